"""GitHub: repositories; issues where the query reads like an error; code where there is a token."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, ProviderRefused, ResultPage
from mcp_web.search.providers.api import Params, Provider, date_range, joined, source_capabilities
from mcp_web.search.refusals import retry_after
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, mapping, text, texts

_FIX = "Set MCP_WEB_GITHUB_TOKEN to a token without any scope."
_PROBLEM = re.compile(
    r"\b(?:\w*(?:error|exception|panic|segfault)|issues?|bugs?|fails?|failed|failing|crash\w*|traceback|not working|"
    r"cannot|can't|unable|undefined|regression)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(){};]|::|->|=>|\w\.\w+\(")


class GitHub(Provider):
    # Without a token ten searches a minute.
    capabilities = source_capabilities("github", {"it"}, dated=True, max_count=100, max_pages=10, rate=10, per=60.0)
    label = "GitHub"
    address = "https://api.github.com"
    rows_at = ("items",)
    total_at = ("total_count",)

    def url(self, query: SearchQuery) -> str:
        return f"{self.access.base}/search/{self._search_kind(query)}"

    def headers(self) -> dict[str, str]:
        token = {"Authorization": f"Bearer {self.access.key}"} if self.access.key else {}
        return (
            super().headers() | {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"} | token
        )

    def params(self, query: SearchQuery) -> Params:
        span, kind = date_range(query), self._search_kind(query)
        changed = {"repositories": "pushed", "issues": "updated"}.get(kind)
        dates = f" {changed}:{span[0]}..{span[1]}" if span and changed else ""
        only = " is:issue" if kind == "issues" else ""
        return {"q": query.text + only + dates, "per_page": str(query.count), "page": str(query.page + 1)}

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a rate limit: a 403 or 429 with the time in Retry-After or X-RateLimit-Reset."""
        if response.status not in (403, 429):
            return
        message = text(answer.get("message")).lower()
        if response.header("x-ratelimit-remaining") == "0" or "rate limit" in message or response.status == 429:
            raise ProviderRefused(
                "rate_limited",
                f"GitHub limits the request rate ({response.status}).",
                retry_after=retry_after(response) or _until_reset(response),
                fix=None if self.access.key else _FIX,
            )

    def page(self, answer: JsonObject, query: SearchQuery) -> ResultPage:
        return replace(super().page(answer, query), incomplete=answer.get("incomplete_results") is True)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        if "path" in row:
            repository = text(mapping(row.get("repository")).get("full_name"))
            return make_hit(f"{repository}: {text(row.get('path'))}", row.get("html_url"))
        if "full_name" in row:
            stars = amount(count(row.get("stargazers_count")) or 0, "star")
            archived = "archived" if row.get("archived") is True else ""
            about = joined(
                text(row.get("description")), stars, text(row.get("language")), ", ".join(texts(row.get("topics")))
            )
            return make_hit(row["full_name"], row.get("html_url"), joined(about, archived), date=row.get("pushed_at"))
        facts = f"{text(row.get('state'))}, {amount(count(row.get('comments')) or 0, 'comment')}"
        return make_hit(
            row.get("title"),
            row.get("html_url"),
            joined(facts, text(row.get("body"))),
            date=row.get("created_at"),
            source=mapping(row.get("user")).get("login"),
        )

    def _search_kind(self, query: SearchQuery) -> str:
        """Which of GitHub's searches fits the words of the query: code (only with a token), issues or repositories."""
        if self.access.key and _CODE.search(query.text):
            return "code"
        return "issues" if _PROBLEM.search(query.text) else "repositories"


def _until_reset(response: HttpResponse) -> float | None:
    moment = count(response.header("x-ratelimit-reset"))
    return max(1.0, moment - time.time()) if moment else None
