"""Keyless search through the ddgs library: one provider per backend, so that each has its own rate limit and health.

`request` names a backend call with a ddgs: address; `ddgs_client.py` makes the call in a thread and answers like
an HTTP server would. So this file does no I/O, like the other providers.
"""

from __future__ import annotations

from dataclasses import replace

from mcp_web.model.search import Category, Hit, SearchQuery
from mcp_web.search.escape import escape_operators
from mcp_web.search.hits import make_hit
from mcp_web.search.locales import locale
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ApiRequest, Capabilities, Filter, HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Access, Params, Provider
from mcp_web.text.json_fields import JsonObject, mapping

_BLOCKED_FIX = "A key (BRAVE_API_KEY, TAVILY_API_KEY …) or a SearXNG of your own is more reliable than keyless search."
CAPABILITIES = Capabilities(
    name="ddgs",
    index="mixed",
    categories=frozenset({"general", "news", "images", "videos"}),
    native=frozenset({"freshness", "language", "country"}),
    paging="fixed",
    max_count=50,
    max_pages=5,
    needs_key=False,
    weight=0.8,
)
_TEXT: frozenset[Category] = frozenset({"general"})
_REGION: frozenset[Filter] = frozenset({"language", "country"})
# What each backend supports, according to its code: DuckDuckGo takes dates but no safe search, Mojeek the reverse.
_BACKENDS: dict[str, tuple[frozenset[Category], frozenset[Filter]]] = {
    "duckduckgo": (CAPABILITIES.categories, _REGION | {"freshness", "freshness_range"}),
    "brave": (_TEXT, _REGION | {"freshness", "safe_search"}),
    "mojeek": (_TEXT, _REGION | {"safe_search"}),
    "yahoo": (frozenset({"general", "news"}), frozenset({"freshness"})),
    "startpage": (_TEXT, _REGION | {"freshness", "safe_search"}),
    "bing": (frozenset({"news", "images"}), _REGION | {"freshness"}),
}
_KINDS = {"general": "text", "news": "news", "images": "images", "videos": "videos"}
_TIMES = {"day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE = {"off": "off", "moderate": "moderate", "strict": "on"}


class Ddgs(Provider):
    capabilities = CAPABILITIES
    fix = "Set MCP_WEB_DDGS_ENABLED=true for search without a key."
    rows_at = ("results",)

    def __init__(self, backend: str) -> None:
        super().__init__(Access(f"ddgs://{backend}"))
        categories, native = _BACKENDS[backend]
        self.label = f"ddgs:{backend}"
        self.backend = backend
        self.capabilities = replace(CAPABILITIES, categories=categories, native=native)

    @classmethod
    def build(cls, options: SearchOptions) -> list[Provider]:
        return [cls(name) for name in dict.fromkeys((*options.ddgs_backends, "bing"))]

    @property
    def name(self) -> str:
        return self.label

    def url(self, query: SearchQuery) -> str:
        return f"{self.access.base}/{_KINDS.get(query.category, 'text')}"

    def headers(self) -> dict[str, str]:
        return {}

    def params(self, query: SearchQuery) -> Params:
        limit = query.freshness or ""  # what a backend cannot express is filtered by result dates
        if ".." in limit and query.category in ("images", "videos"):
            limit = ""
        elif not (self.backend == "bing" and query.category == "images"):
            limit = _TIMES.get(limit, limit)
        return {
            "query": escape_operators(query.text),
            "region": locale(query.language, query.country).ddgs,
            "safesearch": _SAFE[query.safe_search],
            "page": str(query.page + 1),
            "timelimit": limit,
        }

    def probe(self) -> ApiRequest:
        category: Category = "general" if "general" in self.capabilities.categories else "news"
        return self.request(SearchQuery("test", count=1, category=category))

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        # DuckDuckGo sends its bot check with status 202; the library calls that "no results".
        if response.status in (202, 403, 429):
            detail = f"{self.backend} treats this machine as a bot ({response.status})."
            raise ProviderRefused("blocked", detail, fix=_BLOCKED_FIX)

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        return bool(self.rows(answer, query))

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        images = mapping(row.get("images"))
        return make_hit(
            row.get("title"),
            row.get("href") or row.get("url") or row.get("content") or row.get("embed_url"),
            row.get("body") or row.get("description"),
            engines=(self.backend,),
            date=row.get("date") or row.get("published"),
            thumbnail=row.get("thumbnail") or row.get("image") or images.get("large") or images.get("medium"),
            image=row.get("image") if query.category == "images" else None,
            source=row.get("source") or row.get("publisher") or row.get("uploader"),
        )
