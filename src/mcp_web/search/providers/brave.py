"""Brave Search API: its own index, goggles, rate limits a second and a month. Its terms forbid storing results."""

from __future__ import annotations

import re
from typing import ClassVar, get_args

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.dates import published
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.provider import ApiRequest, Capabilities, Filter, HttpResponse, PlanQuota, ProviderRefused
from mcp_web.search.providers.api import Params, Provider
from mcp_web.search.refusals import retry_after
from mcp_web.text.json_fields import JsonObject, items, mapping, number, text, texts
from mcp_web.text.untrusted import quoted

_NUMBER = re.compile(r"-?\d{1,12}", re.ASCII)
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


class Brave(Provider):
    capabilities = Capabilities(
        name="brave",
        index="brave",
        categories=frozenset({"general", "news", "images", "videos"}),
        native=frozenset(get_args(Filter)),
        max_count=20,
        storage="memory",
        learns_rate=True,
        max_chars=400,
        max_words=50,
    )
    label = "Brave"
    root = "/res/v1"
    address = "https://api.search.brave.com/res/v1"
    fix = "Set BRAVE_API_KEY to a key from https://api-dashboard.search.brave.com (Search plan)."
    key_header = "X-Subscription-Token"
    path = "/web/search"
    paths: ClassVar = {"news": "/news/search", "images": "/images/search", "videos": "/videos/search"}

    def params(self, query: SearchQuery) -> Params:
        where, freshness = locale(query.language, query.country), query.freshness or ""
        common = {
            "q": query.text,
            "country": where.brave_country or "",
            "search_lang": where.brave_language or "",
            "goggles": _goggles(query),
        }
        if query.category == "images":
            # Image search has no pages: more results are requested and the first ones skipped.
            count = str(min(200, query.count * (query.page + 1)))
            return common | {"count": count, "safesearch": "off" if query.safe_search == "off" else "strict"}
        return common | {
            "count": str(query.count),
            "safesearch": query.safe_search,
            "offset": str(query.page) if query.page else "",
            "freshness": _FRESHNESS.get(freshness, freshness.replace("..", "to")),
            "ui_lang": query.ui_language or where.brave_ui or "",
            "extra_snippets": "true" if query.extra_snippets else "",
            "text_decorations": "false" if query.category == "general" else "",
            "enable_rich_callback": "1" if query.rich and query.category == "general" else "",
        }

    def probe(self) -> ApiRequest:
        # The key is checked before the parameters, so a request without a query tests it for free.
        return ApiRequest("GET", self.url(SearchQuery("test")), self.headers())

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a wrong key (a 422, not a 401), a used-up quota, a rate limit or a smaller plan."""
        if response.status < 400:
            return
        error = _error(answer)
        code, meta = clean(text(error.get("code")), 60), mapping(error.get("meta"))
        limits, left, resets = _rate_headers(response)
        if code == "SUBSCRIPTION_TOKEN_INVALID" or "x-subscription-token" in str(meta.get("errors", "")):
            raise ProviderRefused("auth", f"Brave does not accept the key ({quoted(code)}).", fix=self.fix)
        used_up = 0 < number(meta.get("quota_limit")) <= number(meta.get("quota_current"))
        used_up = used_up or (len(limits) > 1 and limits[1] > 0 and left[1:2] == [0])
        if code == "QUOTA_LIMITED" or (response.status == 429 and used_up):
            until = float(resets[1]) if len(resets) > 1 else None
            fix = "Raise the Brave plan's limit."
            raise ProviderRefused("quota", "Brave's monthly quota is used up.", retry_after=until, fix=fix)
        if response.status == 429:
            wait = float(resets[0]) if resets else retry_after(response)
            wait = 1.0 if wait is None else wait
            raise ProviderRefused("rate_limited", "Brave limits the request rate.", retry_after=wait)
        if "NOT_IN_PLAN" in code:
            detail = f"The Brave plan does not include this ({quoted(code)})."
            raise ProviderRefused("auth", detail, fix="Choose a plan with this endpoint.")

    def reason(self, answer: JsonObject) -> str:
        error = _error(answer)
        return f"{clean(text(error.get('code')), 60)} {text(error.get('detail')) or text(error.get('message'))}".strip()

    def rows(self, answer: JsonObject, query: SearchQuery) -> list[JsonObject]:
        block = answer if query.category in self.paths else mapping(answer.get("web"))
        rows = items(block.get("results"))
        if not rows:  # then a web answer may have them in its other blocks
            blocks = (mapping(answer.get(name)) for name in ("discussions", "news", "videos", "faq", "locations"))
            rows = [row for one in blocks for row in items(one.get("results"))]
        return rows[query.count * query.page :] if query.category == "images" else rows

    def more(self, answer: JsonObject, query: SearchQuery, total: int) -> bool:
        stated = mapping(answer.get("query")).get("more_results_available")
        return super().more(answer, query, total) if stated is None else bool(stated)

    def answers(self, answer: JsonObject) -> tuple[str, ...]:
        """The descriptions in the infoboxes that Brave shows beside the results."""
        rows = items(mapping(answer.get("infobox")).get("results"))
        return tuple(found for row in rows if (found := text(row.get("long_desc")) or text(row.get("description"))))

    def notes(self, answer: JsonObject) -> tuple[str, ...]:
        facts = mapping(answer.get("query"))
        altered = clean(text(facts.get("altered")), 200)
        changed = bool(altered) and altered != facts.get("original")
        return (f"brave searched for {quoted(altered, 200)} instead.",) if changed else ()

    def quota(self, response: HttpResponse) -> PlanQuota | None:
        limits, left, resets = _rate_headers(response)
        if not limits:
            return None
        capped = len(limits) > 1 and limits[1] > 0  # a monthly limit of 0 means uncapped, not exhausted
        return PlanQuota(
            rate=limits[0] or None,
            left_this_month=left[1] if capped and len(left) > 1 else None,
            month_resets=float(resets[1]) if capped and len(resets) > 1 else None,
        )

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        video, talk = mapping(row.get("video")), mapping(row.get("data"))  # of videos and of discussions
        picture = mapping(row.get("thumbnail")) or mapping(video.get("thumbnail"))
        source = (
            text(mapping(row.get("profile")).get("name"))
            or text(row.get("source"))
            or text(video.get("publisher"))
            or text(video.get("creator"))
            or text(talk.get("forum_name"))
        )
        return make_hit(
            row.get("title") or row.get("question"),
            row.get("url"),
            row.get("description") or row.get("answer") or talk.get("top_comment") or talk.get("question"),
            date=published(row.get("page_age")) or row.get("age"),
            extra=texts(row.get("extra_snippets")) if query.extra_snippets else (),
            thumbnail=picture.get("original") or picture.get("src"),
            image=mapping(row.get("properties")).get("url") if query.category == "images" else None,
            source=source,
            language=query.language,
        )


def _goggles(query: SearchQuery) -> list[str]:
    """The goggles (Brave's ranking rules) of the query, and one more for its domain filters: unlike `site:` operators
    these do not count towards the 50 words of a query."""
    rules = [f"$site={_bare_host(domain)}" for domain in query.include_domains]
    rules = ["$discard", *rules] if rules else []
    rules += [f"$discard,site={_bare_host(domain)}" for domain in query.exclude_domains]
    return [*query.goggles, *(["\n".join(rules)] if rules else [])]


def _bare_host(domain: str) -> str:
    return domain.partition("/")[0].removeprefix("www.")


def _rate_headers(response: HttpResponse) -> tuple[list[int], ...]:
    """The limits, the remaining requests and the seconds until a reset, from the headers: three lists, each with the
    number for the second, then that for the month; empty if a header is missing or invalid."""
    return tuple(_numbers(response.header(f"x-ratelimit-{part}") or "") for part in ("limit", "remaining", "reset"))


def _numbers(header: str) -> list[int]:
    """The numbers of a header, negative ones as 0; none if one is invalid, because their positions matter."""
    parts = [part.strip() for part in header.split(",")]
    return [max(0, int(part)) for part in parts] if all(_NUMBER.fullmatch(part) for part in parts) else []


def _error(answer: JsonObject) -> JsonObject:
    """The error object in an answer: its `error`, the first of its `errors`, or else the answer itself."""
    return mapping(answer.get("error")) or (items(answer.get("errors")) or [answer])[0]
