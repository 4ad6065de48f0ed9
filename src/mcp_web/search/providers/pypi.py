"""PyPI: a package for Python, by its name; PyPI has no public search."""

from __future__ import annotations

import re
from dataclasses import replace

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ResultPage
from mcp_web.search.providers.api import Provider, joined, source_capabilities
from mcp_web.text.json_fields import JsonObject, items, mapping, text

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_AROUND = frozenset({"pypi", "pip", "install", "python", "package", "library", "module", "docs", "documentation"})


class PyPi(Provider):
    capabilities = source_capabilities("pypi", {"it"}, max_pages=1, rate=2)
    label = "PyPI"
    address = "https://pypi.org"

    def url(self, query: SearchQuery) -> str:
        return f"{self.access.base}/pypi/{package_name(query.text)}/json"

    def parse(self, response: HttpResponse, query: SearchQuery) -> ResultPage:
        # No package of that name: nothing was found.
        return ResultPage(hits=()) if response.status == 404 else super().parse(response, query)

    def rows(self, answer: JsonObject, query: SearchQuery) -> list[JsonObject]:
        return [answer]

    def page(self, answer: JsonObject, query: SearchQuery) -> ResultPage:
        found = super().page(answer, query)
        return replace(found, total=len(found.hits) or None)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        info = mapping(row.get("info"))
        name, links = text(info.get("name")), mapping(info.get("project_urls"))
        listed = ", ".join(f"{label}: {url}" for label, url in list(links.items())[:4] if isinstance(url, str))
        return make_hit(
            f"{name} {text(info.get('version'))}".strip(),
            info.get("package_url") or (f"https://pypi.org/project/{name}/" if name else None),
            joined(text(info.get("summary")), listed),
            date=next((file.get("upload_time_iso_8601") for file in items(row.get("urls"))), None),
            source=info.get("author"),
        )


def package_name(words: str) -> str:
    """The word of a query that names the package: the first one other than "python", "install" and the like, else the
    first, else "pip"."""
    names = _NAME.findall(words)
    return next((name for name in names if name.lower() not in _AROUND), names[0] if names else "pip")
