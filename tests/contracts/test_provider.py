"""What every search provider keeps: a new one joins the registry and is done."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product
from typing import Any

import pytest

from mcp_web.model.search import SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.search.plan import adapt
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers import REGISTRY
from mcp_web.search.providers.api import Provider
from search.lookalike import api_response

KEYED = SearchOptions(
    searxng_urls=("http://127.0.0.1:8888",),
    keys={
        "brave": "secret-key",
        "google": "secret-key",
        "google_engine": "engine",
        "tavily": "secret-key",
        "exa": "secret-key",
        "serper": "secret-key",
        "github": "secret-key",
        "openalex": "secret-key",
        "stackexchange": "secret-key",
    },
)
PROVIDERS: list[Provider] = [one for entry in REGISTRY.values() for one in entry.build(KEYED)]
JSON_PROVIDERS = [one for one in PROVIDERS if one.name != "arxiv"]  # arXiv answers with an Atom feed
TODAY = date(2026, 11, 15)
every_provider = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: str(one.name))


@every_provider
def test_the_card_is_true_to_the_registry(provider: Provider) -> None:
    entry = REGISTRY[provider.capabilities.name]
    assert provider.capabilities.categories <= entry.capabilities.categories
    assert provider.capabilities.max_count >= 10
    assert 0 < provider.capabilities.weight <= 1
    assert entry.fix.endswith(".")


@every_provider
def test_every_filter_in_every_category_makes_a_request(provider: Provider) -> None:
    filters: list[dict[str, Any]] = [
        {},
        {"language": "de", "country": "AT"},
        {"freshness": "week"},
        {"freshness": "2026-01-01..2026-02-01"},
        {"safe_search": "strict"},
        {"safe_search": "off"},
        {"include_domains": ("a.org",), "exclude_domains": ("b.org",)},
        {"extra_snippets": True, "goggles": ("$boost=3,site=c.org",)},
        {"count": 50, "page": 1},
    ]
    for category, facts in product(sorted(provider.capabilities.categories), filters):
        plan = adapt(SearchQuery("tortoise & hare", category=category, **facts), provider.capabilities, TODAY)
        for window in plan.page_requests:
            query = replace(plan.query, page=window.page, count=window.size)
            request = provider.request(query)
            assert request == provider.request(query) or provider.name.startswith("http")
            sent = f"{request.params} {request.json}"
            if provider.name != "pypi":  # has no search: the name of a package is part of the path
                assert "tortoise" in sent
                assert "tortoise" not in request.url
            assert "secret-key" not in request.url


@every_provider
@pytest.mark.parametrize(
    ("status", "body", "outcomes"),
    [
        (200, b"<html>nope</html>", {"error", "blocked"}),
        (200, b"[1,2", {"error", "blocked"}),
        (302, b"", {"blocked"}),
        (401, b"", {"auth", "error"}),
        (429, b"<html>slow</html>", {"rate_limited", "blocked"}),
        (502, b"<html>Bad gateway</html>", {"error"}),
    ],
)
def test_nonsense_is_refused_and_never_crashes(
    provider: Provider, status: int, body: bytes, outcomes: set[str]
) -> None:
    with pytest.raises(ProviderRefused) as refused:
        provider.parse(api_response(status, body, {"content-type": "text/html"}), SearchQuery("q"))
    assert refused.value.outcome in outcomes
    assert refused.value.detail.endswith(".")


@pytest.mark.parametrize("provider", JSON_PROVIDERS, ids=lambda one: str(one.name))
@pytest.mark.parametrize(
    "body", [b"{}", b'{"results":null,"web":null,"items":null,"organic":null}', b'{"results":[1,"x",{}]}']
)
def test_missing_and_odd_fields_are_an_empty_page(provider: Provider, body: bytes) -> None:
    assert provider.parse(api_response(200, body, {"content-type": "application/json"}), SearchQuery("q")).hits == ()


@every_provider
def test_a_retry_after_is_kept(provider: Provider) -> None:
    with pytest.raises(ProviderRefused) as refused:
        provider.parse(
            api_response(429, b"{}", {"retry-after": "7", "content-type": "application/json"}), SearchQuery("q")
        )
    if refused.value.outcome == "rate_limited":
        assert refused.value.retry_after in (7.0, 60.0)  # Google's minute is known without being told


@every_provider
def test_a_probe_carries_no_more_than_a_search(provider: Provider) -> None:
    request = provider.probe()
    assert request.method in ("GET", "POST")
    assert "secret-key" not in request.url
