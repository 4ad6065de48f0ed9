"""Crossref: works with a DOI, by title, author and journal."""

from __future__ import annotations

from typing import Any

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, date_range, joined, offset, source_capabilities
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, items, mapping, text, texts

_FIELDS = "DOI,URL,title,author,container-title,issued,abstract,type,is-referenced-by-count,updated-by"


class Crossref(Provider):
    # Lists are limited to one request a second for the public.
    capabilities = source_capabilities("crossref", {"science"}, dated=True, max_count=100, rate=1)
    label = "Crossref"
    address = "https://api.crossref.org"
    path = "/works"
    lookup_interval = 0.2
    rows_at = ("message", "items")
    total_at = ("message", "total-results")

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        return {
            "query": query.text,
            "rows": str(query.count),
            "offset": offset(query),
            "filter": f"from-pub-date:{span[0]},until-pub-date:{span[1]}" if span else "",
            "select": _FIELDS,
        }

    def identity(self) -> Params:
        return {"mailto": self.access.contact}

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        doi = text(row.get("DOI"))
        names = [joined_name(one) for one in items(row.get("author"))[:3]]
        cited = count(row.get("is-referenced-by-count"))
        retracted = any(text(one.get("type")) in ("retraction", "withdrawal") for one in items(row.get("updated-by")))
        return make_hit(
            f"{'RETRACTED: ' if retracted else ''}{first(row.get('title'))}",
            f"https://doi.org/{doi}" if doi else row.get("URL"),
            joined(
                text(row.get("abstract")),
                ", ".join(filter(None, names)),
                f"cited {amount(cited, 'time')}" if cited else "",
            ),
            date=_date(row.get("issued")),
            source=first(row.get("container-title")),
        )


def first(value: Any) -> str:
    """The first string of a list; "" if there is none."""
    return next(iter(texts(value)), "")


def joined_name(author: JsonObject) -> str:
    """An author's given and family name, or the name of an organisation; "" if there is none."""
    return " ".join(filter(None, (text(author.get("given")), text(author.get("family"))))) or text(author.get("name"))


def _date(issued: Any) -> str | None:
    """The ISO date in the `date-parts` of a field (year, month, day); a missing month or day is 1. None if there is no
    date."""
    parts = mapping(issued).get("date-parts")
    numbers = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    if not numbers or not all(isinstance(one, int) for one in numbers):
        return None
    year, month, day = (*numbers, 1, 1)[:3] if len(numbers) < 3 else numbers[:3]
    return f"{year:04d}-{month:02d}-{day:02d}"
