"""arXiv: preprints by title, author and abstract, or by their number."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from mcp_web.model.search import Hit, Outcome, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ProviderRefused, ResultPage
from mcp_web.search.providers.api import Params, Provider, date_range, joined, offset, source_capabilities
from mcp_web.search.refusals import is_wall, refuse_by_status
from mcp_web.text.json_fields import JsonObject

NUMBER = re.compile(r"\b(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)\b")
_WORD = re.compile(r"\w[\w'-]*")
_ATOM = "{http://www.w3.org/2005/Atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"


class Arxiv(Provider):
    # "No more than one request every three seconds."
    capabilities = source_capabilities("arxiv", {"science"}, dated=True, max_count=100, rate=1, per=3.0)
    label = "arXiv"
    address = "https://export.arxiv.org"
    path = "/api/query"
    lookup_interval = None
    rows_at = ("entries",)
    total_at = ("total",)

    def params(self, query: SearchQuery) -> Params:
        named = NUMBER.findall(query.text)
        return {
            "search_query": "" if named else _expression(query),
            "id_list": ",".join(named),
            "start": offset(query),
            "max_results": str(query.count),
        }

    def parse(self, response: HttpResponse, query: SearchQuery) -> ResultPage:
        refuse_by_status(response, self.label)
        feed = _feed(response)
        answer = {"total": _text(feed, _TOTAL), "entries": [_row(entry) for entry in feed.findall(f"{_ATOM}entry")]}
        return replace(self.page(answer, query), raw=response.body.decode("utf-8", "replace"))

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        if "/api/errors" in row["id"]:
            raise ProviderRefused("rejected", "arXiv did not understand the query.", counts=False)
        return make_hit(
            row["title"],
            row["id"].replace("http://", "https://", 1),
            joined(row["summary"], ", ".join(filter(None, row["authors"]))),
            date=row["published"],
            source="arXiv",
        )


def _expression(query: SearchQuery) -> str:
    """The query in arXiv's syntax: all words must occur, and the date be within the query's freshness."""
    words = " AND ".join(f"all:{word}" for word in _WORD.findall(query.text))
    span = date_range(query)
    dates = f" AND submittedDate:[{span[0]:%Y%m%d}0000 TO {span[1]:%Y%m%d}2359]" if span else ""
    return words + dates


def _feed(response: HttpResponse) -> Any:
    """The root element of the Atom feed in an answer. Raises ProviderRefused for anything else, and for a document type
    declaration, which can define entities."""
    try:
        if b"<!DOCTYPE" in response.body or b"<!ENTITY" in response.body:
            raise ElementTree.ParseError("document type")
        feed = ElementTree.fromstring(response.body)  # noqa: S314 - without a document type there are no entities
    except ElementTree.ParseError:
        feed = None
    if feed is None or feed.tag != f"{_ATOM}feed":
        outcome: Outcome = "blocked" if is_wall(response) else "error"
        raise ProviderRefused(outcome, f"arXiv answered {response.status} with something that is not a feed.")
    return feed


def _row(entry: Any) -> JsonObject:
    """The id, title, summary and date of a feed's entry as text, and the names of its first three authors."""
    fields = {name: _text(entry, _ATOM + name) for name in ("id", "title", "summary", "published")}
    return fields | {"authors": [_text(author, f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")[:3]]}


def _text(element: Any, tag: str) -> str:
    return " ".join((element.findtext(tag) or "").split())
