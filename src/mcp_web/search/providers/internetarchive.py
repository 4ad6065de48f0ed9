"""Internet Archive: its items (books, recordings, films, software), not its copies of web pages."""

from __future__ import annotations

from typing import Any

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, date_range, joined, source_capabilities
from mcp_web.text.json_fields import JsonObject, text, texts

_FIELDS = ("identifier", "title", "description", "date", "mediatype", "creator")
_MEDIA = {"music": " AND mediatype:audio", "videos": " AND mediatype:movies"}


class InternetArchive(Provider):
    capabilities = source_capabilities("internetarchive", {"files", "music", "videos"}, dated=True, rate=1)
    label = "Internet Archive"
    address = "https://archive.org"
    path = "/advancedsearch.php"
    rows_at = ("response", "docs")
    total_at = ("response", "numFound")

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        dates = f" AND date:[{span[0]} TO {span[1]}]" if span else ""
        return {
            "q": f"({query.text}){_MEDIA.get(query.category, '')}{dates}",
            "rows": str(query.count),
            "page": str(query.page + 1),
            "output": "json",
            "fl[]": _FIELDS,
        }

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        identifier = text(row.get("identifier"))
        return make_hit(
            _one(row.get("title")) or identifier,
            f"https://archive.org/details/{identifier}" if identifier else None,
            joined(text(row.get("mediatype")), _one(row.get("creator")), _one(row.get("description"))),
            date=row.get("date"),
        )


def _one(value: Any) -> str:
    """The text of a field that is a string or a list of strings, which are joined with spaces; "" for other values."""
    return text(value) or " ".join(texts(value))
