"""Leaves out useless results: advertisements, result pages of other engines, texts stuffed with keywords."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from mcp_web.model.search import Hit
from mcp_web.text.urls import domain_of

_ADS = re.compile(
    r"^https?://(?:duckduckgo\.com/y\.js|(?:www\.)?bing\.com/(?:aclick|aclk)|www\.google\.[a-z.]+/(?:aclk|url\?)|"
    r"(?:[a-z0-9-]+\.)?(?:doubleclick\.net|googleadservices\.com|googlesyndication\.com|taboola\.com|outbrain\.com)/)",
    re.IGNORECASE,
)
_RESULT_PAGES = {
    "google.com": "/search",
    "bing.com": "/search",
    "duckduckgo.com": "/",
    "search.brave.com": "/search",
    "search.yahoo.com": "/search",
    "yandex.com": "/search",
    "startpage.com": "/sp/search",
}
_WORDS = re.compile(r"\w+", re.UNICODE)


def worth_showing(hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], int]:
    """The useful hits, in their order, and how many were left out."""
    kept = tuple(hit for hit in hits if not (_ADS.match(hit.url) or _is_result_page(hit) or _is_stuffed(hit)))
    return kept, len(hits) - len(kept)


def _is_result_page(hit: Hit) -> bool:
    """Whether the hit is a page of results of another search engine."""
    path = _RESULT_PAGES.get(domain_of(hit.url))
    if path is None:
        return False
    parts = urlsplit(hit.url)
    return parts.path == path and any(part.startswith(("q=", "p=")) for part in parts.query.split("&"))


def _is_stuffed(hit: Hit) -> bool:
    """Whether title and snippet repeat the same few words, as texts do that are written for an engine."""
    words = [word.lower() for word in _WORDS.findall(f"{hit.title} {hit.snippet}") if len(word) > 3]
    if len(words) < 20:
        return False
    (_, most), *_ = Counter(words).most_common(1)
    return most / len(words) > 0.35
