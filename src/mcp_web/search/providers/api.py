"""What providers with an API have in common: address, contact, key, refusals, the probe, and the page in an answer.

A provider is a subclass with its parameters and its reading of one result. The official sources are public APIs that
need no key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import ClassVar, Self

from mcp_web.model.search import Category, Hit, SearchQuery
from mcp_web.search.dates import span_of
from mcp_web.search.options import SOURCE_NAMES, SearchOptions
from mcp_web.search.provider import (
    ApiRequest,
    Capabilities,
    Filter,
    HttpResponse,
    Paging,
    PlanQuota,
    ProviderRefused,
    ResultPage,
)
from mcp_web.search.refusals import json_object, refuse_answer, refuse_by_status
from mcp_web.text.json_fields import JsonObject, at, count, items, mapping, text

Params = Mapping[str, str | Sequence[str]]  # a sequence is sent as a parameter that is repeated


@dataclass(frozen=True, slots=True)
class Access:
    """The address of an API, and what identifies the operator to it."""

    base: str
    contact: str = ""  # an e-mail address, for APIs that want to know whom to write to
    key: str = ""
    engine: str = ""  # the id of the operator's search engine, for Google


def source_capabilities(
    name: str,
    categories: set[Category],
    *,
    dated: bool = False,
    language: bool = False,
    max_count: int = 50,
    max_pages: int = 20,
    paging: Paging = "pages",
    rate: int = 1,
    per: float = 1.0,
) -> Capabilities:
    """The capabilities of an official source. `dated` and `language`: its API can filter by date, by language.

    It counts as supporting domain filters, so that no `site:` operators are added to the query; they are applied to its
    results. `general` is added to the categories, so that a call can name the source for any query.
    """
    native: set[Filter] = {"include_domains", "exclude_domains"}
    native |= {"freshness", "freshness_range"} if dated else set()
    native |= {"language"} if language else set()
    return Capabilities(
        name=name,
        index=name,
        categories=frozenset(categories | {"general"}),
        native=frozenset(native),
        paging=paging,
        max_count=max_count,
        max_pages=max_pages,
        needs_key=False,
        rate=rate,
        per=per,
    )


class Provider:
    """One search endpoint: the API of a service, one SearXNG instance, or one backend of keyless search.

    A subclass says where the results are (`rows_at` and so on: paths of names in an answer), what is sent (the `params`
    of a GET or the `body` of a POST request), what a result is (`hit`) and which refusals are its own (`refuse`).
    Nothing here touches the network, so tests need only recorded responses.
    """

    capabilities: Capabilities
    label: str  # the name of the service in messages
    address: ClassVar[str]  # of the public service
    fix = "Take it out of MCP_WEB_SEARCH_EXCLUDE to allow it."  # how an operator sets the provider up
    key_header: ClassVar[str] = ""  # the header that has the key, if one has nothing else
    path: ClassVar[str] = ""
    root: ClassVar[str] = ""  # the path that is added to a configured address without any
    paths: ClassVar[Mapping[str, str]] = {}  # of the categories that have another path
    rows_at: ClassVar[tuple[str, ...]] = ()
    total_at: ClassVar[tuple[str, ...]] = ()  # to the number of results
    more_at: ClassVar[tuple[str, ...]] = ()  # to what only an answer has after which there are more results
    suggestion_at: ClassVar[tuple[str, ...]] = ()  # to a corrected query
    # Seconds between two requests for single documents; None: they share the rate limit of searches.
    lookup_interval: ClassVar[float | None] = 0.1

    def __init__(self, access: Access) -> None:
        self.access = access

    @classmethod
    def from_options(cls, options: SearchOptions) -> Self:
        """The provider with the address, contact and key that the operator configured; an address that ends in `path`
        is shortened by it."""
        name = cls.capabilities.name
        base = options.urls.get(name, cls.address).rstrip("/").removesuffix(cls.path)
        base += "" if "/" in base.partition("://")[2] else cls.root
        return cls(Access(base, options.contact, options.key(name), options.key(f"{name}_engine")))

    @classmethod
    def build(cls, options: SearchOptions) -> list[Provider]:
        """The endpoints that these options configure: several for a provider with several servers."""
        return [cls.from_options(options)]

    @property
    def name(self) -> str:
        """The name in the list of attempts: that of the provider, or of its instance or backend."""
        return self.capabilities.name

    def params(self, query: SearchQuery) -> Params:
        """The parameters of a request for this query; empty ones are not sent."""
        return {}

    def body(self, query: SearchQuery) -> JsonObject | None:
        """The JSON that is posted for this query, of which None, "" and [] are not sent; None: a GET request."""
        return None

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        """One result as a hit; None if it has no page to open."""
        raise NotImplementedError

    def rows(self, answer: JsonObject, query: SearchQuery) -> list[JsonObject]:
        """The results in an answer."""
        return items(at(answer, self.rows_at))

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        """Whether there are results after this page; `total` is the number that the answer states, else 0."""
        if self.more_at:
            return bool(at(answer, self.more_at))
        limits = self.capabilities
        last = query.count >= limits.max_count if limits.paging == "deeper" else query.page + 1 >= limits.max_pages
        reached = (query.page + 1) * query.count
        return not last and (reached < total if self.total_at else len(self.rows(answer, query)) >= query.count)

    def suggestion(self, answer: JsonObject) -> str | None:
        """A corrected or better query; None if there is none."""
        return text(at(answer, self.suggestion_at)) or None

    def answers(self, answer: JsonObject) -> tuple[str, ...]:
        """The instant answers: texts that the provider shows beside the results, such as that of an infobox."""
        return ()

    def notes(self, answer: JsonObject) -> tuple[str, ...]:
        """What an agent should know about the results, as sentences."""
        return ()

    def page(self, answer: JsonObject, query: SearchQuery) -> ResultPage:
        """The page of results in the JSON of a successful answer; results without a page to open are left out."""
        total = count(at(answer, self.total_at)) if self.total_at else None
        found = (self.hit(row, query) for row in self.rows(answer, query))
        own = (self.capabilities.index,)
        hits = tuple(hit if hit.engines else replace(hit, engines=own) for hit in found if hit is not None)
        return ResultPage(
            hits,
            total,
            self.more(answer, query, total or 0),
            self.suggestion(answer),
            self.answers(answer),
            self.notes(answer),
            raw=answer,
        )

    def url(self, query: SearchQuery) -> str:
        """The URL of the request for this query, without parameters."""
        return self.access.base + self.paths.get(query.category, self.path)

    def identity(self) -> Params:
        """The parameters that identify the operator, sent with every request: a key, an e-mail address."""
        return {}

    def headers(self) -> dict[str, str]:
        """The headers of every request: the key, and for official sources the contact."""
        headers = {"Accept": "application/json"} | ({self.key_header: self.access.key} if self.key_header else {})
        known = self.access.contact and self.name in SOURCE_NAMES
        return headers | ({"User-Agent": f"mcp-web (mailto:{self.access.contact})"} if known else {})

    def request(self, query: SearchQuery) -> ApiRequest:
        """The request for one page of results; `query.page` and `query.count` count in the provider's own pages, as
        `plan.adapt` computed them."""
        given = {**self.params(query), **self.identity()}
        params = tuple(
            (name, one)
            for name, value in given.items()
            for one in ([value] if isinstance(value, str) else value)
            if one
        )
        if (body := self.body(query)) is None:
            return ApiRequest("GET", self.url(query), self.headers(), params)
        posted = {name: value for name, value in body.items() if value not in (None, "", [])}
        return ApiRequest("POST", self.url(query), self.headers(), params, posted)

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a refusal that only this API sends; `answer` is the JSON object of the response, or
        empty. The caller then raises for the statuses that mean the same for every API."""

    def reason(self, answer: JsonObject) -> str:
        """The message in the JSON of a refusal; "" if there is none."""
        error, detail = answer.get("error"), answer.get("detail")
        found = (
            answer.get("message"), error, mapping(error).get("message"), answer.get("error_message"),
            mapping(detail).get("error"), detail,
        )  # fmt: skip
        return next((words for one in found if (words := text(one))), "")

    def probe(self) -> ApiRequest:
        """The cheapest request that shows whether the endpoint is reachable and accepts the key."""
        return self.request(SearchQuery("test", count=1))

    def quota(self, response: HttpResponse) -> PlanQuota | None:
        """What a response (a refusal too) states about the remaining quota; None if nothing."""
        return None

    def parse(self, response: HttpResponse, query: SearchQuery) -> ResultPage:
        """The page of results in a response; raises ProviderRefused if it is a refusal or not as expected."""
        found = json_object(response)  # read once: the objects of a large answer take twenty times its size
        answer = found or {}
        self.refuse(response, answer, query)
        fix = None if self.name in SOURCE_NAMES else self.fix
        refuse_by_status(response, self.label, self.reason(answer), fix=fix)
        refuse_answer(response, self.label, found)
        return self.page(answer, query)

    def limited(self, detail: str, retry_after: float | None) -> ProviderRefused:
        """The error for an API that limits the request rate, to be raised; `retry_after` in seconds."""
        return ProviderRefused(
            "rate_limited", f"{self.label} limits the request rate: {detail}.", retry_after=retry_after
        )


def date_range(query: SearchQuery) -> tuple[date, date] | None:
    """The first and last day that the query's `freshness` allows; None if it has none."""
    return span_of(query.freshness, datetime.now(UTC).date()) if query.freshness else None


def epoch(day: date) -> int:
    """The first moment of a day, UTC, in seconds since 1970."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def offset(query: SearchQuery) -> str:
    """The number of results before the requested page, as the text of a parameter."""
    return str(query.page * query.count)


def joined(*parts: str) -> str:
    """The parts that are not empty, joined with " · "."""
    return " · ".join(part for part in parts if part)
