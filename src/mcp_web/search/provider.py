"""The interface of search providers: capabilities and two pure functions.

`request` turns a query into one API request, `parse` turns the answer into a page of hits. Neither touches
the network, so tests need only recorded responses. A refusal is raised as `ProviderRefused` with one of the outcomes
that the runner, the circuit breaker and the agent distinguish.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from mcp_web.model.search import Category, Hit, Outcome, SearchQuery
from mcp_web.net.client import ApiResponse as ApiResponse

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
    "deeper",  # no pages: ask for more and leave out the first ones
]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do and on which terms."""

    name: str
    index: str  # whose crawl answers: votes of one index count once; "mixed" when each hit names its engines
    categories: frozenset[Category]
    native: frozenset[Filter] = frozenset()
    paging: Paging = "pages"
    max_count: int = 10  # results of one request
    max_pages: int = 10
    needs_key: bool = True
    storage: Literal["disk", "memory"] = "disk"  # what its terms allow us to keep
    weight: float = 1.0  # of its votes in the merge
    rate: int = 1  # requests in any `per` seconds, until an answer's headers state the limit
    per: float = 1.0
    learns_rate: bool = False
    guarded: bool = False  # its address came from a list on the internet: reached through the address guard
    ends: date | None = None  # the day its vendor switches it off
    max_chars: int = 500
    max_words: int = 10_000


@dataclass(frozen=True, slots=True)
class ApiRequest:
    method: Literal["GET", "POST"]
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: tuple[tuple[str, str], ...] = ()
    json: Any = None
    data: Mapping[str, str] | None = None


class ProviderClient(Protocol):
    """Sends requests to providers: the API client of net, or the keyless search library (providers/ddgs_client.py)."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Any = None,
        json: Any = None,
        data: Mapping[str, str] | None = None,
        timeout: float = 20.0,
        max_bytes: int = 10_000_000,
    ) -> ApiResponse: ...


@dataclass(frozen=True, slots=True)
class PlanQuota:
    """The remaining quota of the plan, from the headers of a response."""

    rate: int | None = None  # requests a second
    left_this_month: int | None = None  # None when the plan has no monthly cap
    month_resets: float | None = None
    pause: float | None = None  # seconds that must pass before the next request


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of a provider's answer."""

    hits: tuple[Hit, ...]
    total: int | None = None
    more: bool = False
    suggestion: str | None = None  # a corrected or better query, in the provider's words
    answers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    incomplete: bool = False  # some engines behind the provider did not answer
    raw: Any = None


class ProviderRefused(Exception):
    """A provider did not answer the query. `fix` tells the operator what to do, `outcome` is the kind of refusal.

    `counts` is false for a refusal that says nothing about the endpoint's health, such as a query that it does not
    understand: that is neither retried nor counted as a failure.
    """

    def __init__(
        self,
        outcome: Outcome,
        detail: str,
        *,
        retry_after: float | None = None,
        fix: str | None = None,
        counts: bool = True,
    ) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.retry_after = retry_after
        self.fix = fix
        self.counts = counts


class Provider(Protocol):
    @property
    def name(self) -> str:
        """The name in the list of attempts: that of the provider, or of its instance or backend."""
        ...

    @property
    def capabilities(self) -> Capabilities: ...

    def request(self, query: SearchQuery) -> ApiRequest:
        """The request for one page; `query.page` and `query.count` are the provider's own, already planned."""
        ...

    def parse(self, response: ApiResponse, query: SearchQuery) -> ResultPage:
        """The page in an answer; raises `ProviderRefused` for everything that is not an answer."""
        ...

    def probe(self) -> ApiRequest:
        """The cheapest request that shows whether it is reachable and authorised."""
        ...

    def quota(self, response: ApiResponse) -> PlanQuota | None:
        """The remaining quota from the headers of any response, refusals included."""
        ...
