"""Tavily: made for agents; with a key, or keyless within a small daily allowance."""

from __future__ import annotations

from typing import Any

from mcp_web.model.search import SearchQuery
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
from mcp_web.search.refusals import error_object, json_object, refuse_by_status, retry_after
from mcp_web.search.snippets import clean
from mcp_web.text.json_fields import items, seconds, text
from mcp_web.text.untrusted import quoted

FIX = "Set TAVILY_API_KEY to a key from https://app.tavily.com."
CAPABILITIES = Capabilities(
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


class Tavily:
    capabilities = CAPABILITIES
    name = CAPABILITIES.name

    def __init__(self, key: str, base: str) -> None:
        self._key = key
        self._url = base.rstrip("/").removesuffix("/search") + "/search"

    def request(self, query: SearchQuery) -> ApiRequest:
        first, _, last = (query.freshness or "").partition("..")
        optional = {
            "topic": "news" if query.category == "news" else None,
            "time_range": None if last else query.freshness,
            "start_date": first if last else None,
            "end_date": last or None,
            "include_domains": list(query.include_domains),
            "exclude_domains": list(query.exclude_domains),
            "country": locale(query.language, query.country).country_name if query.category != "news" else None,
        }
        body: dict[str, Any] = {"query": query.text, "max_results": query.count, "search_depth": "basic"}
        body |= {name: value for name, value in optional.items() if value}
        return ApiRequest("POST", self._url, self._headers(), json=body)

    def probe(self) -> ApiRequest:
        return self.request(SearchQuery("test", count=1))

    def parse(self, response: ApiResponse, query: SearchQuery) -> ResultPage:
        if response.status >= 400:
            _refuse(response)
        refuse_by_status(response, "Tavily", fix=FIX)
        answer = json_object(response, "Tavily")
        rows = items(answer.get("results"))
        return ResultPage(
            hits=present(
                make_hit(
                    row.get("title"),
                    row.get("url"),
                    row.get("content"),
                    engine="tavily",
                    date=row.get("published_date"),
                )
                for row in rows
            ),
            more=len(rows) >= query.count < CAPABILITIES.max_count,
            answers=tuple(line for line in (text(answer.get("answer")),) if line),
            raw=answer,
        )

    def quota(self, response: ApiResponse) -> PlanQuota | None:
        return None

    def _headers(self) -> dict[str, str]:
        who = {"Authorization": f"Bearer {self._key}"} if self._key else {"X-Tavily-Access-Mode": "keyless"}
        return who | {"Accept": "application/json"}


def from_options(options: SearchOptions) -> list[Provider]:
    return [Tavily(options.key("tavily"), options.url("tavily"))]


def _refuse(response: ApiResponse) -> None:
    answer = error_object(response)
    detail, error = answer.get("detail"), answer.get("error")
    if isinstance(error, dict):  # the keyless shape
        window = text(error.get("window"))
        wait = error.get("retry_after_seconds")
        outcome = "rate_limited" if response.status == 429 and error.get("window") not in ("day", "month") else "quota"
        if response.status in (402, 403, 429, 432, 433):
            raise ProviderRefused(
                "quota" if outcome == "quota" else "rate_limited",
                f"Tavily's keyless allowance is used up for this {quoted(window, 20) if window else 'time'}.",
                retry_after=seconds(wait) or retry_after(response),
                fix=FIX,
            )
    message = clean(text(detail.get("error")) if isinstance(detail, dict) else text(detail) or text(error), 200)
    if response.status in (432, 433):
        raise ProviderRefused(
            "quota",
            f"Tavily's plan limit is reached ({response.status}: {quoted(message, 200)}).",
            fix="Raise the Tavily plan.",
        )
    refuse_by_status(response, "Tavily", message, fix=FIX)
