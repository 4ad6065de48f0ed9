"""Which SearXNG instances are asked, in which order, and how each is doing.

One's own instances come first, in turn. Public ones follow by grade, in turn within a grade, a random one first. An
instance that fails rests (longer each time), one that offers no JSON is put on the blacklist for a day. The first
search is also the probe for JSON: a separate one would spend a quarter of what a public limiter allows in an hour.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

import anyio

from mcp_web import trace
from mcp_web.model.search import Attempt, SearchQuery
from mcp_web.search.cache import Notes
from mcp_web.search.health import Health
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ApiRequest, Refused
from mcp_web.search.providers.searxng import CARD, Searxng
from mcp_web.search.race import first_answer
from mcp_web.search.reply import Reply
from mcp_web.search.run import Runner
from mcp_web.search.searxng.directory import GRADES, Listed, read_directory

_MOST_ASKED = 6  # instances one search may wake; more would be a nuisance to their owners
_BLACKLISTED_FOR = 86_400.0
_PUBLIC_LIST = SearchOptions().searx_space_url


@dataclass(slots=True)
class Instance:
    provider: Searxng
    health: Health
    grade: str = "own"
    uptime: float | None = None  # as observed by searx.space, per cent
    response_ms: float | None = None

    @property
    def url(self) -> str:
        return self.provider.url


@dataclass
class Pool:
    options: SearchOptions
    runner: Runner
    notes: Notes
    dice: random.Random = field(default_factory=random.Random)
    wall: Callable[[], float] = time.time
    _public: list[Instance] = field(default_factory=list)
    _listed_at: float | None = None
    _turn: int = 0

    def __post_init__(self) -> None:
        banned = {url.rstrip("/") for url in self.options.searxng_blacklist}
        urls = [url for url in self.options.searxng_urls if url.rstrip("/") not in banned]
        self._own = [self._instance(Searxng(url), "own") for url in urls]
        self._blacklist: set[str] = banned

    def _instance(self, provider: Searxng, grade: str, listed: Listed | None = None) -> Instance:
        health = self.runner.health[provider.name]
        known = (listed.uptime, listed.response_ms) if listed else (None, None)
        return Instance(provider, health, grade, *known)

    async def search(self, query: SearchQuery, deadline: float) -> Reply:
        """Ask instances until one answers; the reply lists everyone that was tried."""
        instances = await self.in_turn()
        if not instances:
            return Reply(CARD, (Attempt("searxng", "skipped", 0.0, "no instance is known"),))
        asks = [(one.url, partial(self._ask, one, query, deadline)) for one in instances]
        winner, replies = await first_answer(
            asks, stagger=self.options.hedge_after, deadline=deadline, accept_empty=True
        )
        attempts = tuple(attempt for reply in replies for attempt in reply.attempts)
        fixes = tuple(dict.fromkeys(fix for reply in replies for fix in reply.fixes))
        if winner is None:
            return Reply(CARD, attempts, fixes=fixes)
        return replace(winner, attempts=attempts, fixes=fixes)

    async def in_turn(self) -> list[Instance]:
        """Those that may be asked now, best first; resting ones only when there is no other."""
        await self._discover()
        everyone = [*self._own, *(one for one in self._public if one.url not in self._blacklist)]
        now = anyio.current_time()
        ready = [one for one in everyone if one.health.ready(now)]
        self._turn += 1
        ordered: list[Instance] = []
        for _, equals in groupby(ready, key=lambda one: one.grade):
            same = list(equals)
            start = self._turn - 1
            if self.options.use_random_instances and same[0].grade != "own":
                start = self.dice.randrange(len(same))
            ordered += same[start % len(same) :] + same[: start % len(same)]
        return (ordered or everyone)[:_MOST_ASKED]

    async def _ask(self, one: Instance, query: SearchQuery, deadline: float) -> Reply:
        if one.provider.card.public:
            await anyio.sleep(self.dice.uniform(self.options.request_delay_least, self.options.request_delay_most))
        alone = len(self._own) + len(self._public) == 1
        reply = await self.runner.ask(one.provider, query, deadline, retries=1 if alone else 0)
        if one.provider.card.public and reply.attempts[0].outcome == "auth":
            await self._ban(one.url)
        return reply

    async def check(self) -> None:
        """Health of every instance that has not been asked for a while."""
        async with anyio.create_task_group() as tasks:
            for one in [*self._own, *self._public[:_MOST_ASKED]]:
                checked = one.health.last_checked
                if checked is None or anyio.current_time() - checked >= self.options.health_check_interval:
                    tasks.start_soon(self._check, one)

    async def watch(self) -> None:
        """Check again and again, until cancelled."""
        while True:
            await self._discover()
            await self.check()
            await anyio.sleep(self.options.health_check_interval)

    async def _check(self, one: Instance) -> None:
        begun = anyio.current_time()
        try:
            response = await self.runner.send(one.provider, one.provider.health(), 5.0)
        except Refused as refused:
            one.health.failed(begun, refused.outcome, refused.detail, self.options)
            return
        now = anyio.current_time()
        if response.status == 200:
            # Alive, but a rate limit or a missing format is not lifted by that.
            if one.health.rate_limited_until <= now and one.health.outcome != "auth":
                one.health.succeeded(now, (now - begun) * 1000)
        else:
            one.health.failed(now, "error", f"/healthz answered {response.status}", self.options)

    async def _discover(self) -> None:
        """Read the list of public instances when it is wanted and old."""
        source = self.options.public_list
        if not source or (self._own and source == _PUBLIC_LIST):
            return  # whoever runs an instance keeps queries to it, unless a list is named on purpose
        now = anyio.current_time()
        if self._listed_at is not None and now - self._listed_at < self.options.discovery_interval:
            return
        self._listed_at = now
        data = await self.notes.note("searx_space", source) or await self._download(source)
        if data is None:
            self._listed_at = now - self.options.discovery_interval + 60.0  # try again in a minute
            return
        listed = [Listed(*row) for row in data]
        for one in listed:
            if await self.notes.note("searxng_blacklist", one.url):
                self._blacklist.add(one.url)
        rotate = self.options.rotate_user_agents
        fresh = [self._instance(Searxng(one.url, public=True, rotate=rotate), one.grade, one) for one in listed]
        own = {one.url for one in self._own}
        self._public = sorted((one for one in fresh if one.url not in own), key=lambda one: GRADES.index(one.grade))

    async def _download(self, source: str) -> list[list[object]] | None:
        request = ApiRequest("GET", source, {"Accept": "application/json"})
        try:
            response = await self.runner.send(_Directory(source), request, 10.0)
            listed = read_directory(json.loads(response.body), source, self.options.searxng_blacklist)
        except (Refused, ValueError) as error:
            trace.log("error", "searx_space", reason=type(error).__name__)
            return None
        rows: list[list[object]] = [[one.url, one.grade, one.uptime, one.response_ms] for one in listed]
        await self.notes.keep_note("searx_space", source, rows, self.wall() + self.options.discovery_interval)
        return rows

    async def _ban(self, url: str) -> None:
        self._blacklist.add(url)
        await self.notes.keep_note("searxng_blacklist", url, True, self.wall() + _BLACKLISTED_FOR)


class _Directory(Searxng):
    """The list's server, as far as sending a request to it goes."""

    @property
    def name(self) -> str:
        return "searx.space"
