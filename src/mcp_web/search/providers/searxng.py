"""One SearXNG instance. Which instance is asked, and when, is the pool's business (`search/searxng/`)."""

from __future__ import annotations

import random
from base64 import b64encode
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from mcp_web.model.search import Hit, SearchQuery
from mcp_web.search.hits import make_hit, present
from mcp_web.search.locales import locale
from mcp_web.search.neutral import neutralise
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ApiRequest, ApiResponse, Card, Page, Provider, Quota, Refused
from mcp_web.search.reading import items, number, text, texts
from mcp_web.search.refusals import error_object, json_object, refuse_by_status
from mcp_web.search.searxng.headers import headers_for
from mcp_web.search.snippets import clean

JSON_FIX = "Enable JSON in the instance's settings.yml and restart it:\nsearch:\n  formats: [html, json]"
FIX = "Set MCP_WEB_SEARXNG_URLS to your instance, such as http://127.0.0.1:8888."
CARD = Card(
    name="searxng",
    index="mixed",
    categories=frozenset({"general", "images", "videos", "news", "map", "music", "it", "science", "files"}),
    native=frozenset({"freshness", "safe_search", "language"}),
    paging="fixed",
    max_count=50,
    max_pages=10,
    needs_key=False,
    rate=10,
)
_SAFE = {"off": "0", "moderate": "1", "strict": "2"}
_BLOCKED = ("captcha", "too many requests", "access denied")


class Searxng:
    def __init__(
        self, base: str, *, public: bool = False, guarded: bool = False, interval: float = 5.0, rotate: bool = True
    ) -> None:
        address = base if "://" in base else f"http://{base}"
        scheme, _, rest = address.rstrip("/").removesuffix("/search").partition("://")
        login, _, place = rest.rpartition("@")
        self.url = f"{scheme}://{place}"  # what is listed and logged has no password in it
        self._login = b64encode(unquote(login).encode()).decode() if login else ""
        self.card = replace(CARD, guarded=guarded, rate=1, per=interval) if public else CARD
        self.public = public
        self._varied = public and rotate

    @property
    def name(self) -> str:
        return self.url

    def request(self, query: SearchQuery) -> ApiRequest:
        params = [
            ("q", neutralise(query.text)),
            ("format", "json"),
            ("categories", query.category),
            ("safesearch", _SAFE[query.safe_search]),
            ("pageno", str(query.page + 1)),
        ]
        if query.language:  # otherwise the instance's own default
            params.append(("language", locale(query.language, query.country).searxng))
        if query.freshness and ".." not in query.freshness:
            params.append(("time_range", query.freshness))
        return ApiRequest("GET", self.url + "/search", self._headers(), tuple(params))

    def probe(self) -> ApiRequest:
        return self.request(SearchQuery("test", count=1))

    def health(self) -> ApiRequest:
        """Whether it is there at all: cheap, and not counted by the limiter's allowance for JSON."""
        return ApiRequest("GET", self.url + "/healthz", self._headers())

    def parse(self, response: ApiResponse, query: SearchQuery) -> Page:
        _refuse(response, self.url)
        answer = json_object(response, self.url)
        silent = _silent(answer.get("unresponsive_engines"))
        rows = items(answer.get("results"))
        # The answer groups results by category; the score is the order.
        rows.sort(key=lambda row: -number(row.get("score")))
        hits = present(_hit(row) for row in rows)
        answers = _answers(answer)
        if not rows and not answers and silent:
            raise _all_silent(silent, self.url)
        total = answer.get("number_of_results")
        offered = [*texts(answer.get("corrections")), *texts(answer.get("suggestions"))]
        return Page(
            hits=hits,
            total=int(total) if isinstance(total, (int, float)) and total > 0 else None,
            more=bool(hits),
            suggestion=clean(offered[0]) if offered else None,
            answers=answers,
            notes=_notes(silent, len(rows) - len(hits), dated=bool(query.freshness) and not rows),
            raw=answer,
        )

    def quota(self, response: ApiResponse) -> Quota | None:
        return None

    def _headers(self) -> dict[str, str]:
        headers = headers_for(random.Random() if self._varied else None)  # noqa: S311 - not a secret
        return headers | ({"Authorization": f"Basic {self._login}"} if self._login else {})


def from_options(options: SearchOptions) -> list[Provider]:
    return [Searxng(url) for url in options.searxng_urls]


def _refuse(response: ApiResponse, who: str) -> None:
    if response.status == 403:
        raise Refused("auth", f"{who} does not offer JSON (403).", fix=JSON_FIX)
    refuse_by_status(response, who, text(error_object(response).get("error")))
    if "html" in (response.header("content-type") or ""):
        raise Refused("blocked", f"{who} answered with a web page instead of JSON.")


def _silent(pairs: Any) -> list[tuple[str, str]]:
    """Engines that did not answer, each with its reason."""
    found = pairs if isinstance(pairs, list) else []
    return [(str(pair[0]), str(pair[1])) for pair in found if isinstance(pair, list) and len(pair) > 1]


def _all_silent(silent: list[tuple[str, str]], who: str) -> Refused:
    """No engine answered: that is not an empty result."""
    named = ", ".join(f"{name} ({reason})" for name, reason in silent[:8])
    blocked = any(word in reason.lower() for _, reason in silent for word in _BLOCKED)
    # Dead engines of one category say little about the instance; a robot check concerns its address.
    return Refused("blocked" if blocked else "error", f"No engine of {who} answered: {named}.", counts=blocked)


def _notes(silent: list[tuple[str, str]], without_url: int, *, dated: bool) -> tuple[str, ...]:
    notes = []
    if dated:
        notes.append("SearXNG leaves out engines that know no time range, without saying so.")
    if silent:
        notes.append("Engines that did not answer: " + ", ".join(f"{name} ({why})" for name, why in silent[:8]) + ".")
    if without_url > 0:
        notes.append(f"{without_url} results without a page to open were left out.")
    return tuple(notes)


def _hit(row: dict[str, Any]) -> Hit | None:
    engines = texts(row.get("engines"))
    return make_hit(
        row.get("title"),
        row.get("url"),
        row.get("content"),
        engines=engines or [text(row.get("engine"))],
        date=row.get("publishedDate") or row.get("pubdate"),
        thumbnail=row.get("thumbnail") or row.get("thumbnail_src") or row.get("img_src"),
        source=row.get("author") or row.get("source"),
    )


def _said(one: dict[str, Any]) -> str:
    translated = items(one.get("translations"))
    return text(one.get("answer")) or (text(translated[0].get("text")) if translated else "")


def _answers(answer: dict[str, Any]) -> tuple[str, ...]:
    """Instant answers (strings until 2025, objects since) and the text of infoboxes."""
    said = [*texts(answer.get("answers")), *(_said(one) for one in items(answer.get("answers")))]
    said += [f"{text(box.get('infobox'))}: {text(box.get('content'))}" for box in items(answer.get("infoboxes"))]
    return tuple(line for part in said if (line := clean(part, 500)).strip(": "))
