"""The quota of each tenant per minute and per day, counted over all replicas that share a Redis."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mcp_web.errors import QuotaExceeded
from mcp_web.limit.limiter import BudgetSpent, Limiter
from mcp_web.limit.schedule import Period


class Quota:
    """Counts what each tenant uses a minute and a day. At the limit its methods raise QuotaExceeded, with the time to
    wait.

    `limits` has the keys of the option `tenant`, such as "pages_per_day"; a missing limit or 0 means unlimited.
    `minute_limiter` counts the requests of a minute: in memory where there is no Redis, since a locked file for each
    request would cost more than the limit is worth.
    """

    def __init__(self, limits: Mapping[str, int], limiter: Limiter, minute_limiter: Limiter) -> None:
        self._limits = limits
        self._limiter = limiter
        self._minute_limiter = minute_limiter

    async def take_call(self, tenant: str, *, is_call: bool = True) -> None:
        """Count one HTTP request of a tenant in this minute and, for an MCP call, in this day; raises QuotaExceeded."""
        await self._take(self._minute_limiter, tenant, "requests", "calls_per_minute", "minute")
        if is_call:
            await self._take(self._limiter, tenant, "calls", "calls_per_day", "day")

    async def take_page(self, tenant: str) -> None:
        """Count one fetched page for a tenant's limit per day; raises QuotaExceeded when that is used up."""
        await self._take(self._limiter, tenant, "pages", "pages_per_day", "day")

    async def take_paid_search(self, tenant: str) -> None:
        """Count one search with a paid key for a tenant's limit per day; raises QuotaExceeded when that is used up."""
        await self._take(self._limiter, tenant, "paid searches", "paid_searches_per_day", "day")

    async def _take(self, limiter: Limiter, tenant: str, what: str, name: str, period: Period) -> None:
        """Count one use by the tenant in the current period against the limit of this name, if there is one; raises
        QuotaExceeded beyond it. `what` names the things that are counted."""
        if not (limit := self._limits.get(name, 0)):
            return
        try:
            await limiter.spend(f"tenant {tenant}: {what}", limit, period)
        except BudgetSpent as spent:
            wait = math.ceil(spent.retry_after)
            raise QuotaExceeded(
                f"{limit:,} {what} a {period} are allowed, and they are used up; the next is possible in {wait} s.",
                retry_after=float(wait),
            ) from spent
