"""What a provider gets and returns: its capabilities, a request, a page of results, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from mcp_web.model.search import Category, Hit, Outcome
from mcp_web.net.connection import HttpResponse as HttpResponse

Filter = Literal[
    "freshness",  # day week month year
    "freshness_range",  # from..to
    "safe_search",
    "language",
    "country",
    "include_domains",
    "exclude_domains",
    "extra_snippets",
    "goggles",
]
Paging = Literal[
    "pages",  # page n of a size that we choose
    "fixed",  # page n of the provider's own size, about ten
    "deeper",  # no pages: request more results and skip the first ones
]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The categories, filters, limits and terms of a provider."""

    name: str
    index: str  # whose crawl it searches: votes of one index count once; "mixed" when each hit names its engines
    categories: frozenset[Category]
    native: frozenset[Filter] = frozenset()  # filters that the provider applies itself
    paging: Paging = "pages"
    max_count: int = 10  # results of one request
    max_pages: int = 10
    needs_key: bool = True
    storage: Literal["disk", "memory"] = "disk"  # where its terms allow answers to be cached
    weight: float = 1.0  # of its votes in the merge
    rate: int = 1  # requests allowed in `per` seconds
    per: float = 1.0
    learns_rate: bool = False  # the headers of its responses state the real rate
    guarded: bool = False  # its address came from a list on the internet: reached through the address guard
    ends: date | None = None  # the day its vendor switches it off
    max_chars: int = 500  # of a query
    max_words: int = 10_000


@dataclass(frozen=True, slots=True)
class ApiRequest:
    method: Literal["GET", "POST"]
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: tuple[tuple[str, str], ...] = ()
    json: Any = None


class ProviderClient(Protocol):
    """Sends requests to providers: an HTTP client, or `DdgsClient`, which calls the keyless search library."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Any = None,
        json: Any = None,
        timeout: float = 20.0,
    ) -> HttpResponse: ...


@dataclass(frozen=True, slots=True)
class PlanQuota:
    """What a response says about the operator's remaining quota with the provider; None: it does not say."""

    rate: int | None = None  # requests a second
    left_this_month: int | None = None  # None when the plan has no monthly cap
    month_resets: float | None = None  # seconds until then
    pause: float | None = None  # seconds that must pass before the next request


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of a provider's results."""

    hits: tuple[Hit, ...]
    total: int | None = None
    more: bool = False  # there are results after this page
    suggestion: str | None = None  # a corrected or better query, in the provider's words
    answers: tuple[str, ...] = ()  # instant answers, such as the text of an infobox
    notes: tuple[str, ...] = ()
    incomplete: bool = False  # some engines behind the provider did not answer
    raw: Any = None  # the provider's own JSON; of several pages a list


@dataclass(eq=False)
class ProviderRefused(Exception):
    """Raised when a provider does not answer the query; `detail` says why, in a sentence.

    `outcome` decides whether the request is repeated, how long the endpoint is paused, and what the agent is told.
    """

    outcome: Outcome
    detail: str
    _: KW_ONLY
    retry_after: float | None = None  # seconds
    fix: str | None = None  # what the operator can do about it
    # False for a refusal that says nothing about the endpoint's health, such as a query that it does not understand:
    # that is neither retried nor counted as a failure.
    counts: bool = True
