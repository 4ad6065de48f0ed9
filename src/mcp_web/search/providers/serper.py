"""Serper: Google's results as JSON."""

from __future__ import annotations

from typing import ClassVar

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.provider import Capabilities, HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Provider
from mcp_web.text.json_fields import JsonObject, items, mapping, text
from mcp_web.text.untrusted import quoted

_ROWS = {"news": "news", "images": "images", "videos": "videos"}
_FRESHNESS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper(Provider):
    capabilities = Capabilities(
        name="serper",
        index="google",
        categories=frozenset({"general", "news", "images", "videos", "science"}),
        native=frozenset({"freshness", "freshness_range", "language", "country"}),
        max_count=20,
        rate=20,
    )
    label = "Serper"
    address = "https://google.serper.dev"
    fix = "Set SERPER_API_KEY to a key from https://serper.dev."
    key_header = "X-API-KEY"
    path = "/search"
    paths: ClassVar = {"news": "/news", "images": "/images", "videos": "/videos", "science": "/scholar"}

    def body(self, query: SearchQuery) -> JsonObject:
        where = locale(query.language, query.country)
        return {
            "q": query.text,
            "num": query.count,
            "page": query.page + 1 if query.page else None,
            "gl": where.google_gl,
            "hl": where.google_hl.lower() if where.google_hl else None,
            "tbs": _tbs(query.freshness),
        }

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        message = clean(text(answer.get("message")), 200) if response.status >= 400 else ""
        if "credit" in message.lower():
            detail = f"Serper has no credit left: {quoted(message, 200)}."
            raise ProviderRefused("quota", detail, fix="Top up the Serper account.")

    def rows(self, answer: JsonObject, query: SearchQuery) -> list[JsonObject]:
        return items(answer.get(_ROWS.get(query.category, "organic")))

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        """Whether there may be results after this page: if it is half full, as Google's may have only eight results."""
        found = len(self.rows(answer, query))
        return found > 0 and found * 2 >= query.count

    def suggestion(self, answer: JsonObject) -> str | None:
        """The corrected query, or the first related one; None if there is neither."""
        facts = mapping(answer.get("searchInformation"))
        related = [text(row.get("query")) for row in items(answer.get("relatedSearches"))]
        return next(filter(None, [text(facts.get("didYouMean")), text(facts.get("showingResultsFor")), *related]), None)

    def answers(self, answer: JsonObject) -> tuple[str, ...]:
        """The instant answer, and the description in Google's knowledge graph, as far as there are any."""
        box, graph = mapping(answer.get("answerBox")), mapping(answer.get("knowledgeGraph"))
        found = (text(box.get("answer")) or text(box.get("snippet")), text(graph.get("description")))
        return tuple(filter(None, found))

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        # A paper may have no page of its own, only a file.
        return make_hit(
            row.get("title"),
            row.get("link") or row.get("pdfUrl") or row.get("htmlUrl"),
            row.get("snippet"),
            date=row.get("date"),
            thumbnail=row.get("thumbnailUrl") or row.get("imageUrl"),
            image=row.get("imageUrl") if query.category == "images" else None,
            source=row.get("source") or row.get("channel") or row.get("publicationInfo"),
            language=query.language,
        )


def _tbs(freshness: str | None) -> str | None:
    """Google's parameter `tbs` for "day", "week", "month", "year" or "2026-01-31..2026-02-28"; None for None."""
    if freshness is None or freshness in _FRESHNESS:
        return _FRESHNESS.get(freshness or "")
    first, last = ("/".join((day[5:7], day[8:10], day[:4])) for day in freshness.split(".."))
    return f"cdr:1,cd_min:{first},cd_max:{last}"
