"""Tavily: made for agents; with a key, or keyless within a small daily allowance."""

from __future__ import annotations

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.provider import Capabilities, HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Provider
from mcp_web.search.refusals import retry_after
from mcp_web.text.json_fields import JsonObject, seconds, text
from mcp_web.text.untrusted import quoted


class Tavily(Provider):
    capabilities = Capabilities(
        name="tavily",
        index="tavily",
        categories=frozenset({"general", "news"}),
        native=frozenset({"freshness", "freshness_range", "country", "include_domains", "exclude_domains"}),
        paging="deeper",
        max_count=20,
        max_pages=1,
        needs_key=False,
        rate=10,
        weight=0.9,
    )
    label = "Tavily"
    address = "https://api.tavily.com"
    fix = "Set TAVILY_API_KEY to a key from https://app.tavily.com."
    path = "/search"
    rows_at = ("results",)

    def body(self, query: SearchQuery) -> JsonObject:
        first, _, last = (query.freshness or "").partition("..")
        return {
            "query": query.text,
            "max_results": query.count,
            "search_depth": "basic",
            "topic": "news" if query.category == "news" else None,
            "time_range": None if last else query.freshness,
            "start_date": first if last else None,
            "end_date": last or None,
            "include_domains": list(query.include_domains),
            "exclude_domains": list(query.exclude_domains),
            "country": locale(query.language, query.country).country_name if query.category != "news" else None,
        }

    def headers(self) -> dict[str, str]:
        key = self.access.key
        return super().headers() | ({"Authorization": f"Bearer {key}"} if key else {"X-Tavily-Access-Mode": "keyless"})

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused if the allowance of keyless access, or that of the operator's plan, is used up."""
        error = answer.get("error")
        if isinstance(error, dict) and response.status in (402, 403, 429, 432, 433):
            window = text(error.get("window"))
            raise ProviderRefused(
                "rate_limited" if response.status == 429 and window not in ("day", "month") else "quota",
                f"Tavily's keyless allowance is used up for this {quoted(window, 20) if window else 'time'}.",
                retry_after=seconds(error.get("retry_after_seconds")) or retry_after(response),
                fix=self.fix,
            )
        if response.status in (432, 433):
            cause = quoted(clean(self.reason(answer), 200), 200)
            detail = f"Tavily's plan limit is reached ({response.status}: {cause})."
            raise ProviderRefused("quota", detail, fix="Raise the Tavily plan.")

    def answers(self, answer: JsonObject) -> tuple[str, ...]:
        summary = text(answer.get("answer"))
        return (summary,) if summary else ()

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        return make_hit(row.get("title"), row.get("url"), row.get("content"), date=row.get("published_date"))
