"""What `doctor` shows about search: for each provider, whether it works and what it allows, and how to fix it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio

from mcp_web.model.search import SearchQuery
from mcp_web.search.options import SearchOptions
from mcp_web.search.provider import ProviderRefused
from mcp_web.search.providers import REGISTRY
from mcp_web.search.providers.api import Provider
from mcp_web.search.run import Runner, read
from mcp_web.search.searxng.pool import InstancePool

_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class ProviderState:
    """The state of one endpoint: one line of `mcp-web doctor`. None: not known, because an earlier check failed."""

    name: str  # the provider, or the instance or backend behind it
    provider: str
    configured: bool
    reachable: bool | None = None
    authorised: bool | None = None
    quota_left: str | None = None
    ms: float | None = None
    detail: str = ""
    fix: str | None = None
    left_out: bool = False  # the settings choose other providers


async def probe_all(
    options: SearchOptions, runner: Runner, endpoints: Mapping[str, Sequence[Provider]], pool: InstancePool
) -> list[ProviderState]:
    """The states of all providers' endpoints. Those that searches may use are sent one cheap request each, all at the
    same time; of public SearXNG instances only the first three."""
    found: list[ProviderState | Provider] = []
    for name, entry in REGISTRY.items():
        listed_out = bool(options.providers) and name not in options.providers
        if listed_out or options.withholds(name):
            why = "not among MCP_WEB_SEARCH_PROVIDERS" if listed_out else "searches stay with your SearXNG"
            fix = "To use one, add it to MCP_WEB_SEARCH_PROVIDERS."
            found.append(ProviderState(name, name, configured=False, detail=why, fix=fix, left_out=True))
            continue
        usable: list[Provider] = list(endpoints[name])
        if name == "searxng" and not usable and options.public_list:
            usable = [one.provider for one in (await pool.known())[:3]]
        found += usable or [ProviderState(name, name, configured=False, detail="not configured", fix=entry.fix)]
    states: dict[int, ProviderState] = {}

    async def state_of(at: int, one: ProviderState | Provider) -> None:
        states[at] = await _probe(one, runner) if isinstance(one, Provider) else one

    async with anyio.create_task_group() as tasks:
        for at, one in enumerate(found):
            tasks.start_soon(state_of, at, one)
    return [states[at] for at in range(len(found))]


async def _probe(endpoint: Provider, runner: Runner) -> ProviderState:
    """Send one endpoint its probe and return its state, by the response; one that its vendor ended is not asked."""
    begun, name = anyio.current_time(), endpoint.capabilities.name
    ended = endpoint.capabilities.ends
    if ended is not None and datetime.now(UTC).date() >= ended:
        detail = f"Ended on {ended.isoformat()}."
        return ProviderState(endpoint.name, name, True, detail=detail, fix="Use another provider.")
    try:
        response = await runner.send(endpoint, endpoint.probe(), _TIMEOUT)
    except ProviderRefused as refused:
        fix = "Check the network and the address; behind a proxy, set MCP_WEB_PROXY."
        return ProviderState(endpoint.name, name, True, reachable=False, detail=refused.detail, fix=fix)
    ms = round((anyio.current_time() - begun) * 1000, 1)
    quota = endpoint.quota(response)
    left = f"{quota.left_this_month} this month" if quota and quota.left_this_month is not None else None
    try:
        read(endpoint, response, SearchQuery("test", count=1))
    except ProviderRefused as refused:
        if refused.outcome == "rejected" and name == "brave" and response.status == 422:
            # The request had no query: the key was accepted before the missing parameter was rejected.
            return ProviderState(endpoint.name, name, True, True, True, left, ms, "The key is accepted.")
        authorised = False if refused.outcome == "auth" else None
        return ProviderState(endpoint.name, name, True, True, authorised, left, ms, refused.detail, refused.fix)
    notice = f"Ends on {ended.isoformat()}." if ended else "Answers."
    return ProviderState(endpoint.name, name, True, True, True, left, ms, notice)
