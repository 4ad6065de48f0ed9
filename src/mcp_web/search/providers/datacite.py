"""DataCite: datasets, software and reports with a DOI that Crossref does not register."""

from __future__ import annotations

from typing import Any

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, joined, source_capabilities
from mcp_web.text.json_fields import JsonObject, items, mapping, text


class DataCite(Provider):
    capabilities = source_capabilities("datacite", {"science"}, max_count=100, rate=2)
    label = "DataCite"
    address = "https://api.datacite.org"
    path = "/dois"
    rows_at = ("data",)
    total_at = ("meta", "total")

    def params(self, query: SearchQuery) -> Params:
        return {"query": query.text, "page[size]": str(query.count), "page[number]": str(query.page + 1)}

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        row = mapping(row.get("attributes"))
        doi = text(row.get("doi"))
        title = next((text(one.get("title")) for one in items(row.get("titles"))), "")
        names = [text(one.get("name")) for one in items(row.get("creators"))[:3]]
        abstract = next((text(one.get("description")) for one in items(row.get("descriptions"))), "")
        return make_hit(
            title,
            f"https://doi.org/{doi}" if doi else None,
            joined(
                abstract, ", ".join(filter(None, names)), text(mapping(row.get("types")).get("resourceTypeGeneral"))
            ),
            date=_date(row),
            source=publisher(row.get("publisher")),
        )


def _date(row: JsonObject) -> str | None:
    """The date of issue, or else the year of publication; for a year or a month, its first day. None without either."""
    dates = {text(one.get("dateType")): text(one.get("date")) for one in items(row.get("dates"))}
    found = dates.get("Issued") or str(row.get("publicationYear") or "")
    return found + "-01-01"[len(found) - 4 :] if len(found) >= 4 else None


def publisher(value: Any) -> str:
    """The publisher's name from its field, which is a string or, in newer answers, an object; "" if there is none."""
    return text(value) or text(mapping(value).get("name"))
