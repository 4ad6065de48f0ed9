"""Search: one query in, one answer or one error out."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import anyio

from mcp_web import trace
from mcp_web.errors import SearchUnavailable, WebError
from mcp_web.limit.flight import Make, MemorySingleFlight, SingleFlight
from mcp_web.limit.limiter import Limiter
from mcp_web.model.search import Attempt, SearchAnswer, SearchQuery
from mcp_web.search.cache import SearchCache, cache_key
from mcp_web.search.failure import failure
from mcp_web.search.merge import cluster, merge
from mcp_web.search.options import SearchOptions
from mcp_web.search.plan import Selection, check, select
from mcp_web.search.probe import ProviderState, probe_all
from mcp_web.search.provider import ProviderClient
from mcp_web.search.providers import REGISTRY, build
from mcp_web.search.providers.api import Provider
from mcp_web.search.providers.ddgs_client import DdgsClient
from mcp_web.search.reply import Reply, best_of, first_answer
from mcp_web.search.result_filter import worth_showing
from mcp_web.search.run import REPORTING, Charge, Runner
from mcp_web.search.searxng.pool import InstancePool
from mcp_web.search.source_choice import beside_general, fitting_sources
from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.store.protocol import Store
from mcp_web.text.amounts import amount
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.untrusted import quoted

_SPARE = 0.25  # seconds of the deadline kept for merging and answering
_MOST_REMEMBERED = 1000  # queries that the history shows
_HISTORY = "search_history"  # the kind of its records
_SHORT_TTL = 300.0  # seconds that an empty or incomplete answer is cached


class Searcher:
    """Searches with the configured providers.

    `public_client` is the client with the address guard, for public SearXNG instances; `flight` shares searches between
    replicas; `proxy` is a URL for the library of keyless search, which has its own HTTP client; `charge` counts one
    request to a provider with a key and raises QuotaExceeded.
    """

    def __init__(
        self,
        options: SearchOptions,
        api_client: ProviderClient,
        limiter: Limiter,
        notes: Store,
        *,
        public_client: ProviderClient | None = None,
        flight: SingleFlight | None = None,
        proxy: str | None = None,
        charge: Charge | None = None,
    ) -> None:
        clients = {"api": api_client, "guarded": public_client or api_client, "ddgs": DdgsClient(proxy)}
        self._options = options
        self._notes = notes
        self._runner = Runner(options, clients, limiter, charge=charge)
        self._endpoints: dict[str, list[Provider]] = {name: build(name, options) for name in REGISTRY}
        best_effort = BestEffortNotes(notes)
        self._pool = InstancePool(options, self._runner, best_effort)
        self._cache = SearchCache(best_effort, options.cache_ttl)
        self._flight = flight or MemorySingleFlight()

    async def search(
        self, query: SearchQuery, provider: str | Sequence[str] = "auto", *, raw: bool = False, deadline: float
    ) -> SearchAnswer:
        """Search for one query; with `raw` the answer includes the providers' own JSON.

        `provider` is `auto`, one name or several. `deadline` is a time of `anyio.current_time()`.

        Raises InvalidInput for an invalid query or provider. An empty result is an answer; when no provider answers,
        raises SearchAuthError, SearchRateLimited or SearchUnavailable with all attempts in `details["attempted"]`.
        """
        begun = anyio.current_time()
        check(query)
        today = datetime.now(UTC).date()
        selection = select(provider, self._options, query.category, today, fitting=fitting_sources(query))
        key = cache_key(query, selection.names + selection.beside, selection.how, raw)
        found = await self._cache.get(key, query)
        if found is None:
            found = await self._shared(key, query, deadline, lambda: self._ask(query, selection, raw, deadline, key))
        await self._remember(query, found)
        return replace(found, query=query, elapsed_ms=round((anyio.current_time() - begun) * 1000, 1))

    async def probe(self) -> list[ProviderState]:
        """For each provider, whether it is configured, reachable and authorised, and how to fix it; for `doctor`."""
        return await probe_all(self._options, self._runner, self._endpoints, self._pool)

    async def watch(self) -> None:
        """Read the list of public SearXNG instances and check which instances work, at intervals, until cancelled."""
        await self._pool.watch()

    async def history(self) -> list[dict[str, Any]]:
        """The last 1000 queries (`at`, `query`, `provider`, number of `results`), newest first; empty if not kept."""
        if not self._options.history:
            return []
        kept = await self._notes.records(_HISTORY, limit=_MOST_REMEMBERED, newest_first=True)
        return [record.value for record in kept]

    async def _shared(self, key: str, query: SearchQuery, deadline: float, ask: Make[SearchAnswer]) -> SearchAnswer:
        """The answer of `ask`, shared by callers with the same key; each raises SearchUnavailable at its deadline."""
        with anyio.CancelScope(deadline=deadline) as patience:

            async def asked() -> SearchAnswer:
                patience.deadline = math.inf  # the running search has a deadline itself and reports who was late
                return await ask()

            return await self._flight.once(f"search:{key}", asked, lambda: self._cache.get(key, query))
        raise SearchUnavailable("No search provider answered before the deadline.", attempted=[])

    async def _ask(
        self, query: SearchQuery, selection: Selection, raw: bool, deadline: float, key: str
    ) -> SearchAnswer:
        """Ask the selected providers, combine their replies, and cache the answer under `key`.

        Raises SearchAuthError, SearchRateLimited or SearchUnavailable if none answers.
        """
        until = deadline - _SPARE
        replies: Sequence[Reply]
        if selection.how == "together":
            replies = await self._together(selection.names, query, until)
        else:
            replies = await self._with_sources(selection, query, until)
        if not any(reply.answered for reply in replies):
            raise failure(replies, selection.intended, self._options.rate_limit_backoff)
        found = combine(query, replies, raw)
        on_disk = all(reply.capabilities.storage == "disk" for reply in replies if reply.answered)
        await self._cache.keep(key, found, on_disk=on_disk, max_seconds=_lifetime(found, selection, replies))
        return found

    async def _failover(self, names: Sequence[str], query: SearchQuery, until: float) -> Sequence[Reply]:
        """Ask providers one after the other, until one has results or the time `until`; returns all replies."""
        asks = [(self._endpoint_name(name), partial(self._provider, name, query, until)) for name in names]
        timeout = self._options.timeout
        patience = timeout + _SPARE
        return (await first_answer(asks, stagger=timeout, deadline=until, accept_empty=False, patience=patience))[1]

    async def _with_sources(self, selection: Selection, query: SearchQuery, until: float) -> Sequence[Reply]:
        """Ask the general providers one after the other and, meanwhile, all official sources; when a general one has
        results, the sources get at most `options.hedge_after` seconds more."""
        if not selection.beside:
            return await self._failover(selection.names, query, until)
        sources: dict[str, Reply] = {}

        async def ask_source(name: str) -> None:
            sources[name] = beside_general(await self._provider(name, query, until), query)

        async with anyio.create_task_group() as tasks:
            for name in selection.beside:
                tasks.start_soon(ask_source, name)
            # It ends by itself at `until`: a scope with the same deadline would cancel it and lose its replies.
            general = await self._failover(selection.names, query, until)
            found = any(reply.page.hits for reply in general)
            patience = anyio.current_time() + self._options.hedge_after if found else until
            tasks.cancel_scope.deadline = min(until, patience)
        return [*general, *(sources.get(name) or self._late(name) for name in selection.beside)]

    async def _together(self, names: Sequence[str], query: SearchQuery, until: float) -> list[Reply]:
        """Ask all providers at once; returns one reply each. Once one has results, the others are waited for only until
        `options.timeout` seconds after the start, else until the time `until`."""
        replies: dict[str, Reply] = {}
        enough = min(until, anyio.current_time() + self._options.timeout)

        async def one(name: str) -> None:
            replies[name] = await self._provider(name, query, until)
            if replies[name].page.hits:
                scope.deadline = enough

        with anyio.CancelScope(deadline=until) as scope:
            async with anyio.create_task_group() as tasks:
                for name in names:
                    tasks.start_soon(one, name)
        return [replies.get(name) or self._late(name) for name in names]

    async def _provider(self, name: str, query: SearchQuery, until: float) -> Reply:
        """Ask one provider: if it has several endpoints, one after the other until one has results or shortly before
        the time `until`. A provider that is not configured, or fails, is a reply with a failed attempt."""
        entry = REGISTRY[name]
        if name == "searxng" and (self._options.searxng_urls or self._options.public_list):
            return await self._pool.search(query, until - REPORTING)
        endpoints = [one for one in self._endpoints[name] if query.category in one.capabilities.categories]
        endpoints = endpoints or self._endpoints[name]
        if not endpoints:
            missing = Attempt(name, "auth", 0.0, f"{name} is not configured.")
            return Reply(entry.capabilities, (missing,), fixes=(entry.fix,))
        if len(endpoints) == 1:
            return await self._runner.ask(endpoints[0], query, until)
        until -= REPORTING
        asks = [(one.name, partial(self._runner.ask, one, query, until, retries=0)) for one in endpoints]
        winner, tried = await first_answer(asks, stagger=self._options.timeout / 2, deadline=until, accept_empty=False)
        return best_of(winner, tried, entry.capabilities)

    def _endpoint_name(self, provider: str) -> str:
        """The name of a provider in the list of attempts: for `searxng` with a single instance, its address."""
        return self._pool.name if provider == "searxng" else provider

    def _late(self, provider: str) -> Reply:
        """A reply with one failed attempt, for a provider that did not answer in time."""
        late = Attempt(self._endpoint_name(provider), "timeout", 0.0, "no answer in time")
        return Reply(REGISTRY[provider].capabilities, (late,))

    async def _remember(self, query: SearchQuery, found: SearchAnswer) -> None:
        """Add the query to the search history, if that is switched on; a failure of the store is only logged."""
        if not self._options.history:
            return
        now = time.time()
        entry = {"at": now, "query": query.text, "provider": found.provider, "results": len(found.hits)}
        name = f"{now:.6f} {secrets.token_hex(4)}"  # a record each: two processes never overwrite each other's
        try:
            await self._notes.add_records(_HISTORY, {name: entry}, now + self._options.history_days * 86400)
        except WebError as error:
            trace.log("error", "search_history", error_code=error.code)


def _lifetime(found: SearchAnswer, selection: Selection, replies: Sequence[Reply]) -> float | None:
    """Seconds an answer may be cached: 0 if it is empty and engines did not answer, 300 if it is empty or incomplete,
    else None, which means the configured time.

    It is complete if every provider answered; also if general ones were asked in turn until one of them had results.
    """
    if not found.hits and any(reply.page.incomplete for reply in replies):
        return 0.0
    # A provider without results whose engines did not answer counts as one that did not.
    complete = all(reply.page.hits or (reply.answered and not reply.page.incomplete) for reply in replies)
    if selection.how == "failover":
        general = (reply for reply in replies if reply.capabilities.name not in selection.beside)
        complete = complete or any(reply.page.hits for reply in general)
    return None if found.hits and complete else _SHORT_TTL


def combine(query: SearchQuery, replies: Sequence[Reply], raw: bool) -> SearchAnswer:
    """Merge the replies of one or several providers into one answer; `raw` adds the providers' own JSON. Pure."""
    good = [reply for reply in replies if reply.answered]
    named = [reply for reply in good if reply.page.hits] or good
    useful, dropped = worth_showing(merge([(reply.capabilities, reply.page.hits) for reply in good]))
    clustered = cluster(useful)
    hits = tuple(
        replace(
            hit,
            snippet=shortened_at_word(hit.snippet, query.snippet_chars),
            extra_snippets=hit.extra_snippets if query.extra_snippets else (),
        )
        for hit in clustered[: query.count]
    )
    notes = [note for reply in good for note in reply.page.notes]
    if dropped:
        useless = amount(dropped, "advertisement or useless result", "advertisements or useless results")
        notes.append(f"Left out: {useless}.")
    last = (reply.attempts[-1] for reply in replies if not reply.answered and reply.attempts)
    notes += [f"{one.name} did not answer ({one.outcome}): {one.detail}" for one in last if one.outcome != "skipped"]
    return SearchAnswer(
        query=query,
        provider="+".join(reply.capabilities.name for reply in named),
        hits=hits,
        attempted=tuple(attempt for reply in replies for attempt in reply.attempts),
        total=max((reply.page.total for reply in named if reply.page.total is not None), default=None),
        more_results=len(clustered) > query.count or any(reply.page.more for reply in named if reply.page.hits),
        suggestion=None if hits else _suggestion(query, good),
        notes=tuple(dict.fromkeys(notes)),
        answers=tuple(dict.fromkeys(answer for reply in named for answer in reply.page.answers)),
        raw={reply.capabilities.name: reply.page.raw for reply in named} if raw else {},
    )


def _suggestion(query: SearchQuery, replies: Sequence[Reply]) -> str:
    """What to try after a search without results, as a sentence."""
    offered = next((reply.page.suggestion for reply in replies if reply.page.suggestion), None)
    if offered and offered.lower() != query.text.lower():
        return f"No results. The provider suggests: {quoted(offered, 200)}"
    filters = {
        "freshness": query.freshness,
        "include_domains": query.include_domains,
        "exclude_domains": query.exclude_domains,
        "page": query.page,
    }
    used = [name for name, value in filters.items() if value]
    if any(reply.page.incomplete for reply in replies):
        return (
            "No results, but some engines did not answer (see the notes), so there may be some. "
            "Try again in a minute, with other words, or with another provider."
        )
    if used:
        return f"No results. Try again without {', '.join(used)}, or with broader words."
    return "No results found. Try broader or fewer words, check the spelling, or name another provider."
