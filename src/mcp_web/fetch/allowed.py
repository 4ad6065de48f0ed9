"""Which URLs the operator's options allow, as far as it can be decided without a DNS lookup."""

from __future__ import annotations

from functools import lru_cache

from mcp_web.errors import DomainDenied
from mcp_web.fetch.options import FetchOptions
from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.text.urls import host_matches, parse_url


def check_domain(options: FetchOptions, host: str, url: str | None = None) -> None:
    """Raise DomainDenied, with `url`, for a host on the deny-list, or not on the allow-list if there is one."""
    denied = [pattern for pattern in options.deny_domains if host_matches(host, pattern)]
    if denied:
        raise DomainDenied(f"The domain {host} is on the deny-list ({denied[0]}).", url=url, host=host)
    allowed = options.allow_domains
    if allowed and not any(host_matches(host, pattern) for pattern in allowed):
        raise DomainDenied(
            f"The domain {host} is not on the allow-list.", url=url, host=host, allowed=list(allowed[:20])
        )


def check_kept(options: FetchOptions, url: str) -> None:
    """Raise DomainDenied or SsrfBlocked if the options do not allow a URL, so that a kept copy is not shown either."""
    target = parse_url(url)
    check_domain(options, target.host)
    _policy(tuple(options.allow_private)).check_host(target.host, target.port)


@lru_cache(maxsize=8)  # for every kept page that is opened: 26 µs for each exemption
def _policy(exemptions: tuple[str, ...]) -> AddressPolicy:
    return AddressPolicy(parse_exemptions(exemptions))
