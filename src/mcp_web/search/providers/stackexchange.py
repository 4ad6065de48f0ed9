"""Stack Exchange: questions on Stack Overflow, or on the site of the network that the query names by its domain."""

from __future__ import annotations

import re
import time

from mcp_web.limit.schedule import until_next
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit
from mcp_web.search.provider import HttpResponse, PlanQuota, ProviderRefused
from mcp_web.search.providers.api import Params, Provider, date_range, epoch, joined, source_capabilities
from mcp_web.search.refusals import json_object
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, count, mapping, seconds, text, texts

_SITE = re.compile(
    r"^(?:[a-z0-9-]+\.)?(?:stackexchange|stackoverflow|serverfault|superuser|askubuntu|mathoverflow)\.\w+$"
)
_WAIT = re.compile(r"in (\d+) seconds")


class StackExchange(Provider):
    capabilities = source_capabilities("stackexchange", {"it"}, dated=True, max_count=100, max_pages=25, rate=5)
    label = "Stack Exchange"
    address = "https://api.stackexchange.com/2.3"
    path = "/search/advanced"
    rows_at = ("items",)
    more_at = ("has_more",)

    def params(self, query: SearchQuery) -> Params:
        span = date_range(query)
        site = next((domain for domain in query.include_domains if _SITE.match(domain)), "stackoverflow")
        return {
            "q": query.text,
            "site": site,
            "sort": "relevance",
            "order": "desc",
            "pagesize": str(query.count),
            "page": str(query.page + 1),
            "filter": "withbody",
            "fromdate": str(epoch(span[0])) if span else "",
            "todate": str(epoch(span[1])) if span else "",
        }

    def identity(self) -> Params:
        return {"key": self.access.key}

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for too many requests, a wrong key or a failure, told apart by the error's name."""
        name, message = text(answer.get("error_name")), text(answer.get("error_message"))
        if name == "throttle_violation":
            found = _WAIT.search(message)
            raise self.limited("too many requests from this address", float(found[1]) if found else None)
        if name in ("key_required", "access_denied", "invalid_access_token"):
            raise ProviderRefused("auth", f"Stack Exchange refuses the key ({name}).", fix="Check STACKEXCHANGE_KEY.")
        if name in ("temporarily_unavailable", "internal_error"):
            raise ProviderRefused("error", f"Stack Exchange failed with {name}.")

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        answers = count(row.get("answer_count")) or 0
        accepted = ", one accepted" if row.get("accepted_answer_id") else ""
        facts = f"{amount(count(row.get('score')) or 0, 'vote')}, {amount(answers, 'answer')}{accepted}"
        return make_hit(
            row.get("title"),
            row.get("link"),
            joined(facts, ", ".join(texts(row.get("tags"))), text(row.get("body"))),
            date=row.get("creation_date"),
            source=mapping(row.get("owner")).get("display_name"),
        )

    def quota(self, response: HttpResponse) -> PlanQuota | None:
        """The pause that an answer asks for: its `backoff`, or until midnight UTC when the day's requests are used up;
        None if it asks for none."""
        answer = json_object(response) or {}
        wait = seconds(answer.get("backoff"))
        spent = answer.get("quota_remaining") == 0
        return PlanQuota(pause=until_next(time.time(), "day") if spent else wait) if spent or wait else None
