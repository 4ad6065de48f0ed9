"""Serper: Google's results as JSON."""

from __future__ import annotations

from typing import Any

from mcp_web.model.search import SearchQuery
from mcp_web.search.hits import make_hit, present
from mcp_web.search.locales import locale
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import (
    ApiRequest,
    ApiResponse,
    Capabilities,
    PlanQuota,
    Provider,
    ProviderRefused,
    ResultPage,
)
from mcp_web.search.refusals import error_object, json_object, refuse_by_status
from mcp_web.search.snippets import clean
from mcp_web.text.json_fields import items, mapping, text
from mcp_web.text.untrusted import quoted

FIX = "Set SERPER_API_KEY to a key from https://serper.dev."
CAPABILITIES = Capabilities(
    name="serper",
    index="google",
    categories=frozenset({"general", "news", "images", "videos", "science"}),
    native=frozenset({"freshness", "freshness_range", "language", "country"}),
    max_count=20,
    max_pages=10,
    rate=20,
)
_PATHS = {"news": "/news", "images": "/images", "videos": "/videos", "science": "/scholar"}
_ROWS = {"news": "news", "images": "images", "videos": "videos"}
_FRESHNESS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper:
    capabilities = CAPABILITIES
    name = CAPABILITIES.name

    def __init__(self, key: str, base: str) -> None:
        self._key = key
        self._base = base.rstrip("/").removesuffix("/search")

    def request(self, query: SearchQuery) -> ApiRequest:
        where = locale(query.language, query.country)
        body: dict[str, Any] = {"q": query.text, "num": query.count}
        optional = {
            "page": query.page + 1 if query.page else None,
            "gl": where.google_gl,
            "hl": where.google_hl.lower() if where.google_hl else None,
            "tbs": _tbs(query.freshness),
        }
        body |= {name: value for name, value in optional.items() if value}
        path = _PATHS.get(query.category, "/search")
        return ApiRequest("POST", self._base + path, {"X-API-KEY": self._key, "Accept": "application/json"}, json=body)

    def probe(self) -> ApiRequest:
        return self.request(SearchQuery("test", count=1))

    def parse(self, response: ApiResponse, query: SearchQuery) -> ResultPage:
        if response.status >= 400:
            message = clean(text(error_object(response).get("message")), 200)
            if "credit" in message.lower():
                raise ProviderRefused(
                    "quota", f"Serper has no credit left: {quoted(message, 200)}.", fix="Top up the Serper account."
                )
            refuse_by_status(response, "Serper", message, fix=FIX)
        refuse_by_status(response, "Serper", fix=FIX)
        answer = json_object(response, "Serper")
        rows = items(answer.get(_ROWS.get(query.category, "organic")))
        return ResultPage(
            hits=present(_hit(row, query) for row in rows),
            more=bool(rows)
            and len(rows) * 2 >= query.count,  # a full page of Google's has eight or nine as often as ten
            suggestion=_suggestion(answer),
            answers=_answers(answer),
            raw=answer,
        )

    def quota(self, response: ApiResponse) -> PlanQuota | None:
        return None


def from_options(options: SearchOptions) -> list[Provider]:
    return [Serper(options.key("serper"), options.url("serper"))]


def _hit(row: dict[str, Any], query: SearchQuery) -> Any:
    # A paper may have no page of its own, only a file.
    return make_hit(
        row.get("title"),
        row.get("link") or row.get("pdfUrl") or row.get("htmlUrl"),
        row.get("snippet"),
        engine="google",
        date=row.get("date"),
        thumbnail=row.get("thumbnailUrl") or row.get("imageUrl"),
        image=row.get("imageUrl") if query.category == "images" else None,
        source=row.get("source") or row.get("channel") or row.get("publicationInfo"),
        language=query.language,
    )


def _suggestion(answer: dict[str, Any]) -> str | None:
    facts = mapping(answer.get("searchInformation"))
    related = [text(row.get("query")) for row in items(answer.get("relatedSearches"))]
    return next(filter(None, [text(facts.get("didYouMean")), text(facts.get("showingResultsFor")), *related]), None)


def _answers(answer: dict[str, Any]) -> tuple[str, ...]:
    box, graph = mapping(answer.get("answerBox")), mapping(answer.get("knowledgeGraph"))
    found = (text(box.get("answer")) or text(box.get("snippet")), text(graph.get("description")))
    return tuple(part for part in found if part)


def _tbs(freshness: str | None) -> str | None:
    if freshness is None or freshness in _FRESHNESS:
        return _FRESHNESS.get(freshness or "")
    first, last = ("/".join((day[5:7], day[8:10], day[:4])) for day in freshness.split(".."))
    return f"cdr:1,cd_min:{first},cd_max:{last}"
