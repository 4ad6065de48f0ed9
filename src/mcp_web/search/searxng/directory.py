"""The list of public instances as searx.space publishes it: read with every field optional, sorted by grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mcp_web.net.address import is_private_host
from mcp_web.text.json_fields import mapping

# The seed's order: A+ before A before B. An instance without a grade may be fine, but comes after all others.
GRADES = ("A+", "A", "A-", "B+", "B", "B-", "?")
_LEAST_UPTIME = 95.0  # percent
_LEAST_SUCCESS = 80.0
_HTML = ("V", "F", "C")  # vanilla, fork, customised; others load foreign scripts


@dataclass(frozen=True, slots=True)
class ListedInstance:
    """A public instance and what searx.space observed about it."""

    url: str
    grade: str
    uptime: float | None = None  # percent of the last day
    response_ms: float | None = None

    @property
    def order(self) -> tuple[int, float]:
        """The sort key: by grade, then by response time."""
        return GRADES.index(self.grade), self.response_ms if self.response_ms is not None else 1e9


def read_directory(data: Any, list_url: str) -> list[ListedInstance]:
    """The instances worth asking in the list `data` (JSON of any shape) that was read from `list_url`, best first."""
    # A list in the private network may name private hosts, which the address guard allows only if they are exempted.
    local = is_private(list_url)
    found = [
        listed
        for url, facts in mapping(mapping(data).get("instances")).items()
        if isinstance(facts, dict)
        and (local or _is_public(url))
        and (listed := _listed(url.rstrip("/"), facts)) is not None
    ]
    return sorted(found, key=lambda listed: listed.order)


def _listed(url: str, facts: dict[str, Any]) -> ListedInstance | None:
    """The instance if it is reachable, reliable, without analytics and without foreign scripts; else None."""
    http, tls, html, timing, uptime = (mapping(facts.get(name)) for name in ("http", "tls", "html", "timing", "uptime"))
    if facts.get("network_type", "normal") != "normal" or facts.get("error") or facts.get("analytics"):
        return None
    if http.get("status_code") != 200 or http.get("error"):
        return None
    if html.get("grade") and not str(html["grade"]).startswith(_HTML):
        return None
    day = _number(uptime.get("uptimeDay"))
    search = mapping(timing.get("search")) or mapping(timing.get("initial"))
    success = _number(search.get("success_percentage"))
    if (day is not None and day < _LEAST_UPTIME) or (success is not None and success < _LEAST_SUCCESS):
        return None
    grade = str(tls.get("grade") or http.get("grade") or "?")
    if grade not in GRADES:
        return None
    took = mapping(search.get("all"))
    seconds = _number(took.get("median")) or _number(took.get("value"))
    return ListedInstance(url, grade, day, seconds * 1000 if seconds is not None else None)


def _is_public(url: str) -> bool:
    """Whether a URL has TLS, a public host and a usual port: a public list must not lead into our network."""
    try:
        port = urlsplit(url).port
    except ValueError:
        return False
    return url.startswith("https://") and port in (None, 443, 8443) and not is_private(url)


def is_private(url: str) -> bool:
    """Whether the host of a URL is private or invalid, as far as its name shows; the address guard checks addresses."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return True
    return is_private_host(host)


def _number(value: Any) -> float | None:
    """The value if it is a number, else None."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
