"""Filters that are applied to the results themselves, whatever the provider did: domains, dates, useless results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlsplit

from mcp_web.model.search import Hit
from mcp_web.text.amounts import amount
from mcp_web.text.dates import day_of
from mcp_web.text.urls import domain_of, in_domain

# The date of a page and the date that a provider reports may differ by a day, because of time zones.
_SLACK = timedelta(days=1)
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


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Removes hits of other domains than allowed, or dated outside the span; undated ones with `drop_undated`."""

    include: tuple[str, ...] = ()  # only these domains, if any
    exclude: tuple[str, ...] = ()
    span: tuple[date, date] | None = None  # the first and the last day
    drop_undated: bool = False

    def apply(self, hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """The hits that pass, and notes for the agent: how many were left out, and how many undated ones were kept."""
        notes: list[str] = []
        kept = [hit for hit in hits if self._domain_passes(hit)]
        if len(kept) < len(hits):
            notes.append(f"Left out: {amount(len(hits) - len(kept), 'result')} from other domains.")
        if self.span is not None:
            kept, date_notes = self._by_date(kept, self.span)
            notes += date_notes
        return tuple(kept), tuple(notes)

    def _domain_passes(self, hit: Hit) -> bool:
        if any(in_domain(hit.url, domain) for domain in self.exclude):
            return False
        return not self.include or any(in_domain(hit.url, domain) for domain in self.include)

    def _by_date(self, hits: list[Hit], span: tuple[date, date]) -> tuple[list[Hit], list[str]]:
        """The hits dated within the span or one day beside it, and without `drop_undated` those that have no date; and
        notes with the numbers of undated and dropped ones."""
        kept, undated, outside = [], 0, 0
        for hit in hits:
            day = day_of(hit.published) if hit.published else None
            if day is None:
                undated += 1
                if not self.drop_undated:
                    kept.append(hit)
            elif span[0] - _SLACK <= day <= span[1] + _SLACK:
                kept.append(hit)
            else:
                outside += 1
        notes = []
        if undated:
            what = amount(undated, "undated result")
            dropped = f"dropped {what}, because the provider could not filter by date"
            notes.append(f"Freshness: {dropped if self.drop_undated else f'kept {what}'}.")
        if outside:
            notes.append(f"Freshness: dropped {amount(outside, 'result')} dated outside the range.")
        return kept, notes


def worth_showing(hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], int]:
    """The hits in their order without advertisements, result pages of search engines and keyword spam; and how many
    were left out."""
    kept = tuple(hit for hit in hits if not (_ADS.match(hit.url) or _is_result_page(hit) or _is_stuffed(hit)))
    return kept, len(hits) - len(kept)


def _is_result_page(hit: Hit) -> bool:
    """Whether the hit is a result page of a search engine, such as `google.com/search?q=…`."""
    path = _RESULT_PAGES.get(domain_of(hit.url))
    if path is None:
        return False
    parts = urlsplit(hit.url)
    return parts.path == path and any(part.startswith(("q=", "p=")) for part in parts.query.split("&"))


def _is_stuffed(hit: Hit) -> bool:
    """Whether one word is over 35 % of the longer words of title and snippet (keyword spam); False for short texts."""
    words = [word.lower() for word in _WORDS.findall(f"{hit.title} {hit.snippet}") if len(word) > 3]
    if len(words) < 20:
        return False
    (_, most), *_ = Counter(words).most_common(1)
    return most / len(words) > 0.35
