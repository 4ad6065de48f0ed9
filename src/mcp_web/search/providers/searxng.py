"""One SearXNG instance. Which instance is asked, and when, is decided by the pool (`search/searxng/`)."""

from __future__ import annotations

import random
from base64 import b64encode
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp_web.model.search import CATEGORIES, Hit, SearchQuery
from mcp_web.search.dates import published
from mcp_web.search.escape import escape_operators
from mcp_web.search.hits import clean, make_hit
from mcp_web.search.locales import locale
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ApiRequest, Capabilities, HttpResponse, ProviderRefused, ResultPage
from mcp_web.search.providers.api import Access, Params, Provider
from mcp_web.search.refusals import is_wall
from mcp_web.search.searxng.kinds import describe, infobox_text
from mcp_web.text.amounts import amount
from mcp_web.text.json_fields import JsonObject, items, number, text, texts
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import domain_of

JSON_FIX = "Enable JSON in the instance's settings.yml and restart it:\nsearch:\n  formats: [html, json]"
LOGIN_FIX = "Write the login into MCP_WEB_SEARXNG_URLS: https://user:password@host."
# User agents and languages of browsers.
_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
)
_LANGUAGES = ("en-US,en;q=0.9", "en-US,en;q=0.5", "en-GB,en;q=0.8", "en;q=0.9")
_SAFE = {"off": "0", "moderate": "1", "strict": "2"}


class Searxng(Provider):
    capabilities = Capabilities(
        name="searxng",
        index="mixed",
        categories=frozenset(CATEGORIES),
        native=frozenset({"freshness", "safe_search", "language"}),
        paging="fixed",
        max_count=50,
        needs_key=False,
        rate=10,
    )
    fix = "Set MCP_WEB_SEARXNG_URLS to your instance, such as http://127.0.0.1:8888."
    path = "/search"
    total_at = ("number_of_results",)

    def __init__(self, base: str, *, public: bool = False, interval: float = 5.0, rotate: bool = True) -> None:
        """`base`: the address of the instance, which may have a login in it and end in /search.

        `public`: not the operator's own; asked at most once in `interval` seconds, with `rotate` as varying browsers.
        """
        address = base if "://" in base else f"http://{base}"
        scheme, _, rest = address.rstrip("/").removesuffix("/search").partition("://")
        login, _, place = rest.rpartition("@")
        super().__init__(Access(f"{scheme}://{place}"))  # what is listed and logged has no password in it
        self.label = self.access.base
        self._login = b64encode(unquote(login).encode()).decode() if login else ""
        if public:
            self.capabilities = replace(self.capabilities, guarded=True, rate=1, per=interval)
        self.public = public
        self._varied = public and rotate

    @classmethod
    def build(cls, options: SearchOptions) -> list[Provider]:
        return [cls(url) for url in options.searxng_urls]

    @property
    def name(self) -> str:
        return self.label

    def params(self, query: SearchQuery) -> Params:
        return {
            "q": escape_operators(query.text),
            "format": "json",
            "categories": query.category,
            "safesearch": _SAFE[query.safe_search],
            "pageno": str(query.page + 1),
            # Without a language the instance's own default is used.
            "language": locale(query.language, query.country).searxng if query.language else "",
            "time_range": query.freshness if query.freshness and ".." not in query.freshness else "",
        }

    def headers(self) -> dict[str, str]:
        headers = _headers(random.Random() if self._varied else None)  # noqa: S311 - not a secret
        return headers | ({"Authorization": f"Basic {self._login}"} if self._login else {})

    def health(self) -> ApiRequest:
        """The request of a health check: cheap, and not counted in the instance's rate limit for searches."""
        return ApiRequest("GET", self.access.base + "/healthz", self.headers())

    def refuse(self, response: HttpResponse, answer: JsonObject, query: SearchQuery) -> None:
        """Raise ProviderRefused if the instance offers no JSON, asks for a login, has moved, or sends a web page."""
        status, who = response.status, self.label
        if status == 403 and not is_wall(response):
            raise ProviderRefused("auth", f"{who} does not offer JSON (403).", fix=JSON_FIX)
        if 300 <= status < 400 and (place := _moved(who, response.header("location") or "")):
            raise ProviderRefused("auth", f"{who} has moved to {place}.", fix=f"Set MCP_WEB_SEARXNG_URLS to {place}.")
        if status == 401:
            raise ProviderRefused("auth", f"{who} asks for a login (401).", fix=LOGIN_FIX)
        if 200 <= status < 300 and not answer and "html" in (response.header("content-type") or ""):
            raise ProviderRefused("blocked", f"{who} answered with a web page instead of JSON.")

    def rows(self, answer: JsonObject, query: SearchQuery) -> list[JsonObject]:
        # The answer groups results by category; the score is the order.
        return sorted(items(answer.get("results")), key=lambda row: -number(row.get("score")))

    def page(self, answer: JsonObject, query: SearchQuery) -> ResultPage:
        page, results = super().page(answer, query), len(items(answer.get("results")))
        unresponsive = _unresponsive(answer.get("unresponsive_engines"))
        offered = [*_words(answer.get("corrections")), *_words(answer.get("suggestions"))]
        return replace(
            page,
            more=bool(page.hits),
            suggestion=clean(offered[0]) if offered else None,
            answers=_answers(answer),
            notes=_notes(unresponsive, results - len(page.hits), dated=bool(query.freshness) and not results),
            incomplete=bool(unresponsive),
        )

    def hit(self, row: JsonObject, query: SearchQuery) -> Hit | None:
        engines = [name for name in texts(row.get("engines")) if name] or [text(row.get("engine")) or "searxng"]
        dates = (row.get("publishedDate"), row.get("pubdate"), row.get("date_of_publication"))
        sources = (text(row.get(name)) for name in ("author", "source", "journal", "publisher", "maintainer"))
        authors = ", ".join(texts(row.get("authors"))[:5])
        return make_hit(
            row.get("title") or row.get("filename") or row.get("package_name"),
            row.get("url"),
            row.get("content") or describe(row),
            engines=engines,
            date=next((read for value in dates if (read := published(value))), None),
            thumbnail=row.get("thumbnail") or row.get("thumbnail_src") or row.get("img_src"),
            image=row.get("img_src") if query.category == "images" else None,
            source=authors or next(filter(None, sources), None),
        )


def _headers(randomness: random.Random | None) -> dict[str, str]:
    """The headers of a browser navigation: with `randomness` a random browser and language, else always the same.

    SearXNG's limiter refuses an Accept without text/html, a missing Accept-Language and user agents of scripts; over
    https it requires the Sec-Fetch headers. No header identifies the user.
    """
    return {
        "User-Agent": randomness.choice(_AGENTS) if randomness else _AGENTS[0],
        "Accept": "text/html,application/json;q=0.9,*/*;q=0.8",
        "Accept-Language": randomness.choice(_LANGUAGES) if randomness else _LANGUAGES[0],
        "Accept-Encoding": "gzip, deflate",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Site": "none",
        "DNT": "1",
    }


def _moved(who: str, location: str) -> str | None:
    """The new address of the instance `who`, on https or below a path, from the `location` of a redirect; None if that
    leads to another host or port, or not to a search."""
    place, found, _ = location.partition("?")[0].rpartition("/search")
    same = found and place.startswith(("http://", "https://")) and domain_of(place) == domain_of(who)
    try:
        return place if same and urlsplit(place).port in (None, urlsplit(who).port) else None
    except ValueError:
        return None


def _unresponsive(listed: Any) -> list[tuple[str, str]]:
    """The engines that did not answer, each with the reason; by its version, SearXNG lists pairs, objects or names."""
    found = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            one = [text(one.get("engine")) or one.get("name"), text(one.get("reason")) or one.get("error")]
        name, reason, *_ = (*map(text, one if isinstance(one, list) else [one]), "", "")
        if name:
            found.append((clean(name, 40), clean(reason, 80) or "no answer"))
    return found


def _words(offered: Any) -> list[str]:
    """The queries in a list of corrections or suggestions, which are strings or objects with a `title`."""
    listed = offered if isinstance(offered, list) else []
    found = [text(one.get("title")) if isinstance(one, dict) else text(one) for one in listed]
    return [word for word in found if word.strip()]


def _notes(unresponsive: list[tuple[str, str]], without_url: int, *, dated: bool) -> tuple[str, ...]:
    notes = []
    if dated:
        notes.append("SearXNG leaves out engines that know no time range, without saying so.")
    if unresponsive:
        named = ", ".join(f"{quoted(name)} ({quoted(why)})" for name, why in unresponsive[:8])
        notes.append(f"Engines that did not answer: {named}.")
    if without_url > 0:
        notes.append(f"Left out: {amount(without_url, 'result')} without a page to open.")
    return tuple(notes)


def _answers(answer: JsonObject) -> tuple[str, ...]:
    """The instant answers (strings until 2025, objects since), the texts of infoboxes, and tables without a page."""
    lines = texts(answer.get("answers"))
    for one in items(answer.get("answers")):
        translated = items(one.get("translations"))
        lines.append(text(one.get("answer")) or (text(translated[0].get("text")) if translated else ""))
    lines += [infobox_text(box) for box in items(answer.get("infoboxes"))]
    lines += [describe(row) for row in items(answer.get("results")) if row.get("kvmap") and not row.get("url")]
    return tuple(line for part in lines if (line := clean(part, 500)))
