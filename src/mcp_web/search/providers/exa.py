"""Exa: its own index, searched by meaning; highlights instead of snippets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from mcp_web.model.search import SearchQuery
from mcp_web.search.dates import span_of
from mcp_web.search.hits import make_hit, present
from mcp_web.search.locales import locale
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import (
    ApiRequest,
    ApiResponse,
    Capabilities,
    PlanQuota,
    Provider,
    ProviderRefused,
    ResultPage,
)
from mcp_web.search.refusals import REPHRASE, error_object, json_object, refuse_by_status
from mcp_web.search.snippets import clean
from mcp_web.text.json_fields import items, mapping, text, texts
from mcp_web.text.untrusted import quoted

FIX = "Set EXA_API_KEY to a key from https://dashboard.exa.ai."
CAPABILITIES = Capabilities(
    name="exa",
    index="exa",
    categories=frozenset({"general", "news", "science"}),
    native=frozenset({"freshness", "freshness_range", "safe_search", "country", "include_domains", "exclude_domains"}),
    paging="deeper",
    max_count=100,
    max_pages=1,
    rate=10,
    weight=0.9,
)
_CATEGORIES = {"news": "news", "science": "research paper"}


class Exa:
    capabilities = CAPABILITIES
    name = CAPABILITIES.name

    def __init__(self, key: str, base: str) -> None:
        self._key = key
        self._url = base.rstrip("/").removesuffix("/search") + "/search"

    def request(self, query: SearchQuery) -> ApiRequest:
        body: dict[str, Any] = {
            "query": query.text,
            "type": "auto",
            "numResults": query.count,
            "moderation": query.safe_search != "off",
            "contents": {"highlights": True},
        }
        optional = {
            "category": _CATEGORIES.get(query.category),
            "includeDomains": list(query.include_domains),
            "excludeDomains": list(query.exclude_domains),
            "userLocation": locale(query.language, query.country).country,
        }
        body |= {name: value for name, value in optional.items() if value} | _dates(query.freshness)
        return ApiRequest("POST", self._url, {"x-api-key": self._key, "Accept": "application/json"}, json=body)

    def probe(self) -> ApiRequest:
        return self.request(SearchQuery("test", count=1))

    def parse(self, response: ApiResponse, query: SearchQuery) -> ResultPage:
        if response.status >= 400:
            answer = error_object(response)
            inner = mapping(answer.get("error")) or answer  # bare, or wrapped in an object of its own
            detail = clean(text(inner.get("error")) or text(inner.get("message")), 200)
            tag = clean(text(inner.get("tag")), 60)
            if response.status == 402 or "CREDITS" in tag or "BUDGET" in tag:
                raise ProviderRefused(
                    "quota", f"Exa has no credit left ({quoted(tag or detail, 200)}).", fix="Top up the Exa account."
                )
            if "API_KEY" in tag:
                raise ProviderRefused("auth", f"Exa does not accept the key ({quoted(tag)}).", fix=FIX)
            if "CONTENT" in tag and response.status == 403:  # moderation: another query may pass
                raise ProviderRefused(
                    "rejected", f"Exa does not answer this query ({quoted(tag)}).", fix=REPHRASE, counts=False
                )
            refuse_by_status(response, "Exa", f"{tag} {detail}".strip(), fix=FIX)
        refuse_by_status(response, "Exa", fix=FIX)
        answer = json_object(response, "Exa")
        rows = items(answer.get("results"))
        return ResultPage(
            hits=present(_hit(row, query) for row in rows),
            more=len(rows) >= query.count < CAPABILITIES.max_count,
            raw=answer,
        )

    def quota(self, response: ApiResponse) -> PlanQuota | None:
        return None


def from_options(options: SearchOptions) -> list[Provider]:
    return [Exa(options.key("exa"), options.url("exa"))]


def _hit(row: dict[str, Any], query: SearchQuery) -> Any:
    highlights = [part for part in texts(row.get("highlights")) if part.strip()]
    return make_hit(
        row.get("title"),
        row.get("url"),
        highlights[0] if highlights else row.get("summary") or row.get("text"),
        engine="exa",
        date=row.get("publishedDate"),
        extra=highlights[1:] if query.extra_snippets else (),
        thumbnail=row.get("image"),
        source=row.get("author"),
    )


def _dates(freshness: str | None) -> dict[str, str]:
    if freshness is None:
        return {}
    first, last = span_of(freshness, datetime.now(UTC).date())
    dates = {"startPublishedDate": f"{first.isoformat()}T00:00:00.000Z"}
    if ".." in freshness:
        dates["endPublishedDate"] = f"{(last + timedelta(days=1)).isoformat()}T00:00:00.000Z"
    return dates
