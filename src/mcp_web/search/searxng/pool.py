"""Which SearXNG instances are asked, in which order, and the health of each.

The operator's instances come first, in rotation. Public ones follow by grade, in rotation from a random one. An
instance that fails is paused (longer each time), one that offers no JSON is banned for a day. The first search is also
the probe for JSON: a separate one would spend a quarter of what a public limiter allows in an hour.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import anyio

from mcp_web.model.search import Attempt, SearchQuery
from mcp_web.search.health import Health
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers.searxng import Searxng
from mcp_web.search.reply import Reply, best_of, first_answer
from mcp_web.search.run import Runner
from mcp_web.search.searxng.discovery import Discovery
from mcp_web.store.best_effort import BestEffortNotes

_MOST_ASKED = 6  # instances that one search may ask; more would burden their owners


@dataclass(slots=True)
class Instance:
    """A SearXNG instance with its health and its grade; the operator's instances have the grade `own`."""

    provider: Searxng
    health: Health
    grade: str = "own"

    @property
    def url(self) -> str:
        return self.provider.access.base


@dataclass
class InstancePool:
    """Searches with the operator's SearXNG instances, then with public ones."""

    options: SearchOptions
    runner: Runner
    notes: BestEffortNotes
    _public: list[Instance] = field(default_factory=list)
    _turn: int = 0

    def __post_init__(self) -> None:
        self._discovery = Discovery(self.options, self.runner, self.notes)
        providers = {one.name: one for one in map(Searxng, self.options.searxng_urls)}  # each once, however it is spelt
        self._own = [Instance(one, self.runner.health[name]) for name, one in providers.items()]

    @property
    def name(self) -> str:
        """The name for an attempt that reached no instance: the URL of the only one, or `searxng` if there are more."""
        return self._own[0].url if len(self._own) == 1 and not self._discovery.source else "searxng"

    async def search(self, query: SearchQuery, deadline: float) -> Reply:
        """Ask the operator's instances, then public ones, until one answers.

        If none does until the deadline or `options.timeout` seconds have passed, the reply has only failed attempts.
        """
        begun = anyio.current_time()
        until = min(deadline, begun + self.options.timeout)
        winner, replies = None, tuple[Reply, ...]()
        if self._own:
            # If public instances can be asked afterwards, the operator's own get half of the time.
            own_until = begun + (until - begun) / 2 if self._discovery.source else until
            winner, replies = await self._race(self._in_turn(self._own), query, own_until)
        if winner is None and (public := await self.public()):
            winner, asked = await self._race(self._in_turn(public), query, until)
            replies = (*replies, *asked)
        if not replies:
            unknown = Attempt(self.name, "unreachable", 0.0, "No public SearXNG instance is known.")
            return Reply(Searxng.capabilities, (unknown,))
        return best_of(winner, replies, Searxng.capabilities)

    async def public(self) -> list[Instance]:
        """The public instances that are not banned, best grade first; downloads the list again when it is old."""
        if await self._discovery.refresh():
            own, options = {one.url for one in self._own}, self.options
            new = partial(Searxng, public=True, interval=options.public_interval, rotate=options.rotate_user_agents)
            listed = [(new(url), grade) for url, grade in self._discovery.listed if url not in own]
            self._public = [Instance(one, self.runner.health[one.name], grade) for one, grade in listed]
        return [one for one in self._public if not self._discovery.is_banned(one.url)]

    async def known(self) -> list[Instance]:
        """The operator's instances, then those public ones that a search would ask now, in its order."""
        return [*self._own, *self._in_turn(await self.public())]

    async def check(self) -> None:
        """Send a health check to each of the operator's instances and of the six best public ones that was neither used
        nor checked for `options.health_check_interval` seconds; none to one that is banned."""
        async with anyio.create_task_group() as tasks:
            for one in [*self._own, *(await self.public())[:_MOST_ASKED]]:
                checked = one.health.last_checked
                if checked is None or anyio.current_time() - checked >= self.options.health_check_interval:
                    tasks.start_soon(self._check, one)

    async def watch(self) -> None:
        """Read the list of public instances and `check` the health of instances at intervals, until cancelled."""
        while True:
            await self.check()
            await anyio.sleep(self.options.health_check_interval)

    def _in_turn(self, instances: Sequence[Instance]) -> list[Instance]:
        """The instances to ask now, in order, at most six: those that are not paused, or all if every one is.

        The order of the grades is kept; within a grade the first one changes with each call.
        """
        now = anyio.current_time()
        self._turn += 1
        ordered: list[Instance] = []
        for _, equals in groupby((one for one in instances if not one.health.wait(now)), key=lambda one: one.grade):
            same = list(equals)
            random_start = self.options.use_random_instances and same[0].grade != "own"
            start = random.randrange(len(same)) if random_start else (self._turn - 1) % len(same)  # noqa: S311
            ordered += same[start:] + same[:start]
        return (ordered or list(instances))[:_MOST_ASKED]

    async def _race(
        self, instances: Sequence[Instance], query: SearchQuery, until: float
    ) -> tuple[Reply | None, tuple[Reply, ...]]:
        """Ask them in order, the next when one fails or is slow; returns the first answer (or None) and all replies."""
        retries = 1 if len(instances) == 1 and not self._discovery.source else 0
        asks = [(one.url, partial(self._ask, one, query, until, retries)) for one in instances]
        return await first_answer(asks, stagger=self.options.hedge_after, deadline=until, accept_empty=True)

    async def _ask(self, one: Instance, query: SearchQuery, until: float, retries: int) -> Reply:
        """Ask one instance, a public one after a random delay; a public one that offers no JSON is then banned."""
        if one.provider.public:
            least, most = self.options.request_delay_least, self.options.request_delay_most
            await anyio.sleep(random.uniform(least, most))  # noqa: S311 - not a secret
        reply = await self.runner.ask(one.provider, query, until, retries=retries)
        if one.provider.public and reply.attempts[0].outcome == "auth":
            await self._discovery.ban(one.url)
        return reply

    async def _check(self, one: Instance) -> None:
        """Send a health check to an instance and record the outcome in its `health`."""
        begun = anyio.current_time()
        try:
            response = await self.runner.send(one.provider, one.provider.health(), 5.0)
        except ProviderRefused as refused:
            one.health.failed(begun, refused.outcome, refused.detail, self.options)
            return
        now = anyio.current_time()
        if response.status != 200:
            one.health.failed(now, "error", f"/healthz answered {response.status}", self.options)
        elif one.health.outcome != "auth" and not (one.health.limits and one.health.wait(now)):
            # A successful health check ends neither a rate limit nor a ban for a missing format.
            one.health.succeeded(now)
