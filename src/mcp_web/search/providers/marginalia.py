"""Marginalia: an index of its own, of text-heavy pages without advertisements.

Its results are licensed CC BY-NC-SA 4.0, so it is asked only when it is named, by a caller or in the operator's list.
"""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse
from mcp_web.search.providers.api import Params, Provider, source_capabilities
from mcp_web.search.refusals import is_wall, retry_after
from mcp_web.text.json_fields import JsonObject, count, text


class Marginalia(Provider):
    # The key `public` is shared by all users without a key.
    capabilities = source_capabilities("marginalia", {"general"}, max_count=100, max_pages=5, rate=1, per=2.0)
    label = "Marginalia"
    address = "https://api2.marginalia-search.com"
    path = "/search"
    rows_at = ("results",)

    def headers(self) -> dict[str, str]:
        return super().headers() | {"API-Key": self.access.key or "public"}

    def params(self, query: SearchQuery) -> Params:
        return {"query": query.text, "count": str(query.count), "page": str(query.page + 1)}

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a 503, which means too many requests with the shared key."""
        if response.status == 503 and not is_wall(response):
            raise self.limited("status 503", retry_after(response))

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        return query.page + 1 < (count(answer.get("pages")) or 0)

    def notes(self, answer: JsonObject) -> tuple[str, ...]:
        licence = text(answer.get("license"))
        return (f"Results of Marginalia are licensed {licence}.",) if licence else ()

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        return make_hit(row.get("title"), row.get("url"), text(row.get("description")))
