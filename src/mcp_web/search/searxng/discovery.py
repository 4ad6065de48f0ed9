"""The list of public instances as searx.space publishes it: read from time to time, and stored with the banned ones."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anyio

from mcp_web import trace
from mcp_web.net.address import is_private_host
from mcp_web.search.options import PUBLIC_LIST_URL, SearchOptions
from mcp_web.search.provider import ApiRequest, ProviderRefused
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.refusals import refuse_by_status
from mcp_web.search.run import Runner
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.text.json_fields import JsonObject, mapping, read_json

_BANNED_FOR = 86_400.0  # seconds
_RETRY_AFTER = 60.0  # seconds until a list that could not be read is requested again
# The seed's order: A+ before A before B. An instance without a grade may be fine, but comes after all others.
_GRADES = ("A+", "A", "A-", "B+", "B", "B-", "?")
_LEAST_UPTIME = 95.0  # percent of the last day
_LEAST_SUCCESS = 80.0
_HTML = ("V", "F", "C")  # vanilla, fork, customised; others load foreign scripts


class ListedInstance(NamedTuple):
    """A public SearXNG instance and the grade that searx.space gave it."""

    url: str
    grade: str


@dataclass
class Discovery:
    """The public SearXNG instances: reads their list when it is old, and remembers which ones are banned for a day."""

    options: SearchOptions
    runner: Runner
    notes: BestEffortNotes
    banned: dict[str, float] = field(default_factory=dict)  # until when, by URL, in seconds since the epoch
    listed: list[ListedInstance] = field(default_factory=list)
    _fresh_until: float = float("-inf")
    _reading: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def source(self) -> str:
        """The URL of the list of public instances; empty if none is to be used, because the operator switched it off,
        or has an own instance and configured no list."""
        source = self.options.public_list
        return "" if self.options.searxng_urls and source == PUBLIC_LIST_URL else source

    async def refresh(self) -> bool:
        """Read the list of public instances again if it is in use and old; returns whether that was done.

        If it could not be read, the earlier one stays in use, and it is requested again after a minute.
        """
        async with self._reading:
            if not self.source or anyio.current_time() < self._fresh_until:
                return False
            rows = await self.notes.get("searx_space", self.source) or await self._download()
            pause = _RETRY_AFTER if rows is None else self.options.discovery_interval
            self._fresh_until = anyio.current_time() + pause
            if rows is None:
                return False
            self.listed = [ListedInstance(*row[:2]) for row in rows]  # earlier versions stored more than these two
            for one in self.listed:
                if until := await self.notes.get("searxng_blacklist", one.url):
                    self.banned[one.url] = float(until)
            return True

    def is_banned(self, url: str) -> bool:
        """Whether this instance was banned in the last day: by this process, or another before the last `refresh`."""
        return self.banned.get(url, 0.0) > time.time()

    async def ban(self, url: str) -> None:
        """Record, also for other processes, that this instance is not asked for a day."""
        until = self.banned[url] = time.time() + _BANNED_FOR
        await self.notes.keep("searxng_blacklist", url, until, until)

    async def _download(self) -> list[ListedInstance] | None:
        """Download the list of public instances and store it; None if it could not be read."""
        request = ApiRequest("GET", self.source, {"Accept": "application/json"})
        try:
            # The runner sends requests to providers only; the name is for the log.
            response = await self.runner.send(Searxng(self.source), request, 10.0)
            refuse_by_status(response, "searx.space")
            listed = read_directory(read_json(response.body), self.source)
        except (ProviderRefused, ValueError) as error:
            trace.log("error", "searx_space", reason=type(error).__name__)
            return None
        await self.notes.keep("searx_space", self.source, listed, time.time() + self.options.discovery_interval)
        return listed


def read_directory(data: Any, list_url: str) -> list[ListedInstance]:
    """The instances worth asking in the list `data` (JSON of any shape) that was read from `list_url`.

    The best grade first, then the fastest.
    """
    # A list in the private network may name private hosts, which the address guard allows only if they are exempted.
    local = _is_private(list_url)
    found = [
        (_GRADES.index(grade), _seconds(facts), ListedInstance(url.rstrip("/"), grade))
        for url, facts in mapping(mapping(data).get("instances")).items()
        if isinstance(facts, dict) and (local or _is_public(url)) and (grade := _grade(facts)) in _GRADES
    ]
    return [listed for _, _, listed in sorted(found, key=lambda one: one[:2])]


def _grade(facts: JsonObject) -> str:
    """The grade ("A+", "B") that the list gives an instance, "?" if none; "" for one that should not be asked: it is
    unreachable, unreliable, or has analytics or foreign scripts."""
    http, tls, html, uptime = (mapping(facts.get(name)) for name in ("http", "tls", "html", "uptime"))
    if facts.get("network_type", "normal") != "normal" or facts.get("error") or facts.get("analytics"):
        return ""
    if http.get("status_code") != 200 or http.get("error"):
        return ""
    if html.get("grade") and not str(html["grade"]).startswith(_HTML):
        return ""
    if _number(uptime.get("uptimeDay"), 100.0) < _LEAST_UPTIME:
        return ""
    if _number(_search_timing(facts).get("success_percentage"), 100.0) < _LEAST_SUCCESS:
        return ""
    return str(tls.get("grade") or http.get("grade") or "?")


def _seconds(facts: JsonObject) -> float:
    """The response time of an instance in seconds; 1e9 if it is not known."""
    took = mapping(_search_timing(facts).get("all"))
    return _number(took.get("median"), _number(took.get("value"), 1e9))


def _search_timing(facts: JsonObject) -> JsonObject:
    timing = mapping(facts.get("timing"))
    return mapping(timing.get("search")) or mapping(timing.get("initial"))


def _number(value: Any, default: float) -> float:
    """The value if it is a number, else the default."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default


def _is_public(url: str) -> bool:
    """Whether a URL is https with a public host and a usual port: a public list must not lead to private hosts."""
    try:
        port = urlsplit(url).port
    except ValueError:
        return False
    return url.startswith("https://") and port in (None, 443, 8443) and not _is_private(url)


def _is_private(url: str) -> bool:
    """Whether the host of a URL is private or invalid, as far as its name shows; the address guard checks addresses."""
    try:
        return is_private_host(urlsplit(url).hostname or "")
    except ValueError:
        return True
