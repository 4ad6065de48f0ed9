"""What providers with an API have in common: address, contact, key, refusals, the probe, and the page in an answer.

A provider is a subclass with its parameters and its reading of one result. The official sources are public APIs that
need no key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Self

from mcp_web.model.search import Category, Hit, SearchQuery
from mcp_web.search.dates import span_of
from mcp_web.search.hits import present
from mcp_web.search.options import SOURCE_NAMES, SearchOptions
from mcp_web.search.provider import (
    ApiRequest,
    ApiResponse,
    Capabilities,
    Filter,
    Paging,
    Provider,
    ProviderRefused,
    ResultPage,
)
from mcp_web.search.refusals import error_object, json_object, refuse_by_status, refuse_error
from mcp_web.text.json_fields import at, count, items, mapping, text

Params = Mapping[str, str | Sequence[str]]  # a sequence is sent as a parameter that is repeated


@dataclass(frozen=True, slots=True)
class Access:
    """How an API is accessed: address, contact and key."""

    base: str
    contact: str = ""  # an e-mail address, for APIs that want to know whom to write to
    key: str = ""


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
    """The capabilities of a source. Domain filters are applied to its results: it does not support `site:`.

    A general query to a source that is named in the call searches everything it has.
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


class JsonApi(Provider):
    """A provider that is one API which answers with JSON.

    A subclass says where the results are (`rows_at`, `total_at`), what is sent (the `params` of a GET or the `body` of
    a POST request), what a result is (`hit`) and which refusals are its own (`refuse`).
    """

    label: str  # the name of the service in messages
    address: ClassVar[str]  # of the public service
    fix = "Take it out of MCP_WEB_SEARCH_EXCLUDE to allow it."
    path: ClassVar[str] = ""
    rows_at: ClassVar[tuple[str, ...]] = ()  # the path of names to the results in an answer
    total_at: ClassVar[tuple[str, ...]] = ()  # and to their number
    # Seconds between two requests for single documents; None: they share the rate limit of searches.
    lookup_interval: ClassVar[float | None] = 0.1

    def __init__(self, access: Access) -> None:
        self.access = access

    @classmethod
    def from_options(cls, options: SearchOptions) -> Self:
        """The provider with the operator's address, contact and key for it."""
        name = cls.capabilities.name
        base = options.urls.get(name, cls.address)
        return cls(Access(base.rstrip("/"), options.contact, options.key(name)))

    @classmethod
    def build(cls, options: SearchOptions) -> list[Provider]:
        return [cls.from_options(options)]

    def params(self, query: SearchQuery) -> Params:
        """The parameters of a request for this query; empty ones are not sent."""
        return {}

    def body(self, query: SearchQuery) -> dict[str, Any] | None:
        """The JSON that is posted for this query, of which None, "" and [] are not sent; None: a GET request."""
        return None

    def hit(self, row: dict[str, Any], query: SearchQuery) -> Hit | None:
        """One result as a hit; None if it has no page to open."""
        raise NotImplementedError

    def rows(self, answer: dict[str, Any], query: SearchQuery) -> list[dict[str, Any]]:
        """The results in an answer."""
        return items(at(answer, self.rows_at))

    def more(self, answer: dict[str, Any], query: SearchQuery, total: int) -> bool:
        """Whether there are results after this page; `total` is the number that the answer states, else 0."""
        return (query.page + 1) * query.count < total

    def page(self, answer: dict[str, Any], query: SearchQuery) -> ResultPage:
        """The page of results in a successful answer."""
        total = count(at(answer, self.total_at)) if self.total_at else None
        hits = present(self.hit(row, query) for row in self.rows(answer, query))
        hits = tuple(hit if hit.engines else replace(hit, engines=(self.capabilities.index,)) for hit in hits)
        return ResultPage(hits=hits, total=total, more=self.more(answer, query, total or 0), raw=answer)

    def url(self, query: SearchQuery) -> str:
        """The URL of the request for this query, without parameters."""
        return self.access.base + self.path

    def identity(self) -> Params:
        """The parameters that identify the caller: a key, an e-mail address."""
        return {}

    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        contact = {"User-Agent": f"mcp-web (mailto:{self.access.contact})"} if self.access.contact else {}
        return {"Accept": "application/json"} | contact

    def request(self, query: SearchQuery) -> ApiRequest:
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

    def refuse(self, response: ApiResponse, answer: dict[str, Any], query: SearchQuery) -> None:
        """Raise the refusals that only this API has; `answer` is the JSON object of the response, or empty.

        What a status means for every API is raised afterwards.
        """

    def reason(self, answer: dict[str, Any]) -> str:
        """The reason that the API gives for a refusal."""
        error, detail = answer.get("error"), answer.get("detail")
        found = (
            answer.get("message"), error, mapping(error).get("message"), answer.get("error_message"),
            mapping(detail).get("error"), detail,
        )  # fmt: skip
        return next((words for one in found if (words := text(one))), "")

    def parse(self, response: ApiResponse, query: SearchQuery) -> ResultPage:
        answer = error_object(response)
        self.refuse(response, answer, query)
        fix = None if self.name in SOURCE_NAMES else self.fix
        refuse_by_status(response, self.label, self.reason(answer), fix=fix)
        refuse_error(response, self.label, answer)
        # Read once: the objects of a large answer take twenty times its size.
        return self.page(answer or json_object(response, self.label), query)

    def limited(self, detail: str, retry_after: float | None) -> ProviderRefused:
        """The refusal of an API that limits the request rate; `retry_after` in seconds."""
        return ProviderRefused(
            "rate_limited", f"{self.label} limits the request rate: {detail}.", retry_after=retry_after
        )


def date_range(query: SearchQuery) -> tuple[date, date] | None:
    """The first and last day that the query allows; None if it allows all."""
    return span_of(query.freshness, datetime.now(UTC).date()) if query.freshness else None


def epoch(day: date) -> int:
    """The first moment of a day, UTC, in seconds since 1970."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def offset(query: SearchQuery) -> str:
    """The number of results before the requested page."""
    return str(query.page * query.count)


def joined(*parts: str) -> str:
    """The non-empty parts, in one line."""
    return " · ".join(part for part in parts if part)
