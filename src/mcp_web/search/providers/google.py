"""Google Custom Search JSON API: closed to new projects, switched off on 1 January 2027."""

from __future__ import annotations

import time
from datetime import date

from mcp_web.limit.schedule import until_next
from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.dates import published, split_prefix
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.provider import Capabilities, HttpResponse, ProviderRefused
from mcp_web.search.providers.api import Params, Provider
from mcp_web.search.refusals import is_wall
from mcp_web.text.json_fields import JsonObject, items, mapping, text
from mcp_web.text.untrusted import quoted

_FRESHNESS = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
# The schemas of structured data that have a date.
_DATED = ("newsarticle", "article", "blogposting", "webpage", "videoobject", "creativework", "scholarlyarticle", "book")
_DATE_FIELDS = ("datepublished", "uploaddate", "datemodified", "datecreated")
_DAY_LIMITS = frozenset({"dailyLimitExceeded", "dailyLimitExceededUnreg", "quotaExceeded"})
_MINUTE_LIMITS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "concurrentLimitExceeded"})
_WRONG_KEYS = frozenset({"API_KEY_INVALID", "keyInvalid", "keyExpired", "API_KEY_EXPIRED"})
_PACIFIC = 8 * 3600.0  # seconds from UTC to the winter time of the clock at whose midnight the quota is reset
_DATES = ("article:published_time", "og:published_time", "date", "dc.date", "article:modified_time", "og:updated_time")


class Google(Provider):
    capabilities = Capabilities(
        name="google",
        index="google",
        categories=frozenset({"general", "images"}),
        native=frozenset({"freshness", "freshness_range", "safe_search", "language", "country"}),
        rate=10,
        ends=date(2027, 1, 1),
    )
    label = "Google"
    root = "/customsearch/v1"
    address = "https://customsearch.googleapis.com/customsearch/v1"
    fix = (
        "Set GOOGLE_API_KEY and GOOGLE_SEARCH_ENGINE_ID of a project that already used the API; "
        "new projects are refused, and it ends on 2027-01-01."
    )
    rows_at = ("items",)
    total_at = ("searchInformation", "totalResults")
    more_at = ("queries", "nextPage")
    suggestion_at = ("spelling", "correctedQuery")

    def identity(self) -> Params:
        return {"key": self.access.key, "cx": self.access.engine}

    def params(self, query: SearchQuery) -> Params:
        where = locale(query.language, query.country)
        first, _, last = (query.freshness or "").replace("-", "").partition("..")
        return {
            "q": query.text,
            "num": str(query.count),
            "safe": "off" if query.safe_search == "off" else "active",
            "start": str(query.page * query.count + 1) if query.page else "",
            "lr": where.google_lr or "",
            "gl": where.google_gl or "",
            "hl": where.google_hl or "",
            "dateRestrict": _FRESHNESS.get(query.freshness or "", ""),
            "sort": f"date:r:{first}:{last}" if last else "",
            "searchType": "image" if query.category == "images" else "",
        }

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused for a used-up quota, a rate limit, and a wrong key, project or search engine id."""
        if response.status < 400:
            return
        error = mapping(answer.get("error"))
        message = clean(text(error.get("message")), 200)
        cause = quoted(message, 200) if message else str(response.status)
        reasons = {text(detail.get("reason")) for detail in [*items(error.get("details")), *items(error.get("errors"))]}
        unpaid = "billing" in message.lower()  # a limit that does not reset at midnight
        limited = response.status in (403, 429) and not unpaid
        if limited and (reasons & _DAY_LIMITS or "per day" in message.lower()):
            wait = until_next(time.time() - _PACIFIC, "day")
            raise ProviderRefused("quota", "Google's daily quota is used up.", retry_after=wait, fix=self.fix)
        if response.status == 429 or (limited and reasons & _MINUTE_LIMITS):
            raise ProviderRefused("rate_limited", "Google limits the queries per minute.", retry_after=60.0)
        if reasons & _WRONG_KEYS or (response.status in (401, 403, 404) and not is_wall(response)):
            raise ProviderRefused("auth", f"Google refuses this key or project: {cause}.", fix=self.fix)
        if response.status == 400 and query.page == 0:  # of a first page's arguments only the engine can be invalid
            raise ProviderRefused("auth", f"Google does not accept the search engine ID: {cause}.", fix=self.fix)

    def notes(self, answer: JsonObject) -> tuple[str, ...]:
        return ("Google Custom Search is switched off on 2027-01-01; configure another provider.",)

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        pagemap = mapping(row.get("pagemap"))
        tags = (items(pagemap.get("metatags")) or [{}])[0]
        dated, snippet = split_prefix(" ".join(text(row.get("snippet")).split()), language=query.language)
        data = [record for name in _DATED for record in items(pagemap.get(name))]
        named = [tags.get(name) for name in _DATES] + [record.get(name) for record in data for name in _DATE_FIELDS]
        tagged = next((found for value in named if (found := published(value))), None)
        image = mapping(row.get("image"))
        pictures = [*items(pagemap.get("cse_image")), *items(pagemap.get("cse_thumbnail"))]
        # The link of an image is the file itself; its page is what can be opened and cited.
        return make_hit(
            row.get("title"),
            image.get("contextLink") or row.get("link"),
            snippet,
            date=tagged or dated,
            thumbnail=image.get("thumbnailLink") or (pictures[0].get("src") if pictures else None),
            image=row.get("link") if image else None,
            source=tags.get("og:site_name"),
        )
