"""Wikidata: items (people, places, works, terms) by their labels and aliases."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse
from mcp_web.search.providers.api import Params, Provider, offset, source_capabilities
from mcp_web.search.providers.wikipedia import refuse_mediawiki
from mcp_web.text.json_fields import JsonObject, text


class Wikidata(Provider):
    capabilities = source_capabilities("wikidata", {"general"}, language=True, rate=2)
    label = "Wikidata"
    address = "https://www.wikidata.org"
    path = "/w/api.php"
    rows_at = ("search",)
    more_at = ("search-continue",)

    def params(self, query: SearchQuery) -> Params:
        language = (query.language or "en").partition("-")[0].lower()
        return {
            "action": "wbsearchentities",
            "search": query.text,
            "language": language,
            "uselang": language,
            "type": "item",
            "limit": str(query.count),
            "continue": offset(query) if query.page else "",
            "format": "json",
        }

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        refuse_mediawiki(self, response, answer)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        identifier = text(row.get("id"))
        url = f"https://www.wikidata.org/wiki/{identifier}" if identifier else row.get("concepturi")
        return make_hit(row.get("label") or identifier, url, row.get("description"))
