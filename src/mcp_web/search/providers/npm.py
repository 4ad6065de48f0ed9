"""npm: packages for JavaScript."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.providers.api import Params, Provider, joined, offset, source_capabilities
from mcp_web.text.json_fields import JsonObject, mapping, text, texts


class Npm(Provider):
    capabilities = source_capabilities("npm", {"it"}, max_count=100, rate=2)
    label = "npm"
    address = "https://registry.npmjs.org"
    path = "/-/v1/search"
    rows_at = ("objects",)
    total_at = ("total",)

    def params(self, query: SearchQuery) -> Params:
        return {"text": query.text, "size": str(query.count), "from": offset(query)}

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        package = mapping(row.get("package"))
        name, links = text(package.get("name")), mapping(package.get("links"))
        return make_hit(
            f"{name} {text(package.get('version'))}".strip(),
            links.get("npm") or (f"https://www.npmjs.com/package/{name}" if name else None),
            joined(
                text(package.get("description")),
                ", ".join(texts(package.get("keywords"))),
                text(links.get("repository")),
            ),
            date=package.get("date"),
            source=mapping(package.get("publisher")).get("username"),
        )
