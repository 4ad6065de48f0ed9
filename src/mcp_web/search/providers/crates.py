"""crates.io: packages for Rust."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Params, Provider, joined, source_capabilities
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, text


class Crates(Provider):
    # "A maximum of 1 request per second", with a user agent that names the program.
    capabilities = source_capabilities("crates", {"it"}, max_count=100, rate=1)
    label = "crates.io"
    address = "https://crates.io"
    path = "/api/v1/crates"
    rows_at = ("crates",)
    total_at = ("meta", "total")

    def params(self, query: SearchQuery) -> Params:
        return {"q": query.text, "per_page": str(query.count), "page": str(query.page + 1)}

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        if response.status == 403:
            raise ProviderRefused(
                "blocked",
                "crates.io refuses requests with this user agent.",
                fix="Set MCP_WEB_CONTACT to an e-mail address: crates.io asks for one.",
            )

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        name = text(row.get("name")) or text(row.get("id"))
        downloads = count(row.get("downloads"))
        return make_hit(
            f"{name} {text(row.get('max_stable_version')) or text(row.get('max_version'))}".strip(),
            f"https://crates.io/crates/{name}" if name else None,
            joined(
                text(row.get("description")),
                amount(downloads, "download") if downloads else "",
                text(row.get("documentation")),
                text(row.get("repository")),
            ),
            date=row.get("updated_at"),
        )
