"""The quota of each tenant per minute and per day, counted over all replicas that share a Redis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mcp_web.errors import QuotaExceeded
from mcp_web.limit.limiter import BudgetSpent, Limiter
from mcp_web.limit.memory import MemoryLimiter
from mcp_web.limit.options import LimitOptions
from mcp_web.limit.schedule import Period


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of a tenant; 0 means unlimited."""

    calls_per_minute: int = 0
    calls_per_day: int = 0
    pages_per_day: int = 0
    paid_searches_per_day: int = 0


def open_quota(options: LimitOptions, limiter: Limiter) -> Quota:
    """The quota that the options name, counted by the limiter that replicas share."""
    return Quota(Allowance(**options.tenant), limiter, limiter if options.redis_url else MemoryLimiter())


class Quota:
    """Counts the usage of each tenant; raises QuotaExceeded with the time to wait.

    `minutes` counts per minute: in memory if there is no Redis, since a locked file for each request would be too slow.
    """

    def __init__(self, allowance: Allowance, limiter: Limiter, minutes: Limiter) -> None:
        self._allowance = allowance
        self._limiter = limiter
        self._minutes = minutes

    async def take_call(self, tenant: str, *, is_call: bool = True) -> None:
        """Count one request; those that are not MCP calls count for the minute only."""
        await self._take(self._minutes, tenant, "requests", self._allowance.calls_per_minute, "minute")
        if is_call:
            await self._take(self._limiter, tenant, "calls", self._allowance.calls_per_day, "day")

    async def take_page(self, tenant: str) -> None:
        await self._take(self._limiter, tenant, "pages", self._allowance.pages_per_day, "day")

    async def take_paid_search(self, tenant: str) -> None:
        await self._take(self._limiter, tenant, "paid searches", self._allowance.paid_searches_per_day, "day")

    async def _take(self, limiter: Limiter, tenant: str, what: str, limit: int, period: Period) -> None:
        if not limit:
            return
        try:
            await limiter.spend(f"tenant {tenant}: {what}", limit, period)
        except BudgetSpent as spent:
            wait = math.ceil(spent.retry_after)
            raise QuotaExceeded(
                f"{limit:,} {what} a {period} are allowed, and they are used up; the next is possible in {wait} s.",
                retry_after=float(wait),
            ) from spent
