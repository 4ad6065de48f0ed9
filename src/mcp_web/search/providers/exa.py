"""Exa: its own index, searched by meaning; highlights instead of snippets."""

from __future__ import annotations

from datetime import timedelta

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.provider import Capabilities, HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Provider, date_range
from mcp_web.search.refusals import REPHRASE
from mcp_web.text.json_fields import JsonObject, mapping, text, texts
from mcp_web.text.untrusted import quoted

_CATEGORIES = {"news": "news", "science": "research paper"}


class Exa(Provider):
    capabilities = Capabilities(
        name="exa",
        index="exa",
        categories=frozenset({"general", "news", "science"}),
        native=frozenset(
            {"freshness", "freshness_range", "safe_search", "country", "include_domains", "exclude_domains"}
        ),
        paging="deeper",
        max_count=100,
        max_pages=1,
        rate=10,
        weight=0.9,
    )
    label = "Exa"
    address = "https://api.exa.ai"
    fix = "Set EXA_API_KEY to a key from https://dashboard.exa.ai."
    key_header = "x-api-key"
    path = "/search"
    rows_at = ("results",)

    def body(self, query: SearchQuery) -> JsonObject:
        span = date_range(query)
        ends = span[1] + timedelta(days=1) if span and ".." in (query.freshness or "") else None
        return {
            "query": query.text,
            "type": "auto",
            "numResults": query.count,
            "moderation": query.safe_search != "off",
            "contents": {"highlights": True},
            "category": _CATEGORIES.get(query.category),
            "includeDomains": list(query.include_domains),
            "excludeDomains": list(query.exclude_domains),
            "userLocation": locale(query.language, query.country).country,
            "startPublishedDate": f"{span[0].isoformat()}T00:00:00.000Z" if span else None,
            "endPublishedDate": f"{ends.isoformat()}T00:00:00.000Z" if ends else None,
        }

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for missing credit, a wrong key, and a query that Exa's moderation refuses."""
        if response.status < 400:
            return
        tag, detail = _error(answer)
        if response.status == 402 or "CREDITS" in tag or "BUDGET" in tag:
            cause = quoted(tag or detail, 200)
            raise ProviderRefused("quota", f"Exa has no credit left ({cause}).", fix="Top up the Exa account.")
        if "API_KEY" in tag:
            raise ProviderRefused("auth", f"Exa does not accept the key ({quoted(tag)}).", fix=self.fix)
        if "CONTENT" in tag and response.status == 403:  # another query may pass
            detail = f"Exa does not answer this query ({quoted(tag)})."
            raise ProviderRefused("rejected", detail, fix=REPHRASE, counts=False)

    def reason(self, answer: JsonObject) -> str:
        return " ".join(filter(None, _error(answer)))

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        highlights = [part for part in texts(row.get("highlights")) if part.strip()]
        return make_hit(
            row.get("title"),
            row.get("url"),
            highlights[0] if highlights else row.get("summary") or row.get("text"),
            date=row.get("publishedDate"),
            extra=highlights[1:] if query.extra_snippets else (),
            thumbnail=row.get("image"),
            source=row.get("author"),
        )


def _error(answer: JsonObject) -> tuple[str, str]:
    """The tag and the message of an error, which are in the answer itself or in its object `error`; "" if missing."""
    inner = mapping(answer.get("error")) or answer
    return clean(text(inner.get("tag")), 60), clean(text(inner.get("error")) or text(inner.get("message")), 200)
