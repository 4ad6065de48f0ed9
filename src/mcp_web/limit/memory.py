"""Rate limits of one process."""

from __future__ import annotations

import time
from collections import defaultdict

import anyio

from mcp_web.limit.limiter import BudgetSpent, Limiter
from mcp_web.limit.schedule import Schedule, Step, month_of, until_next_month


class MemoryLimiter(Limiter):
    """Schedules in a dictionary; nothing between reading and writing awaits, so no lock is needed."""

    def __init__(self) -> None:
        self._schedules: dict[str, Schedule] = defaultdict(Schedule)
        self._used: dict[tuple[str, str], int] = {}

    async def step(self, key: str, step: Step, seconds: float, patience: float = 0.0) -> float:
        return self._schedules[key].apply(step, anyio.current_time(), seconds, patience)

    async def spend(self, key: str, budget: int) -> int:
        now = time.time()
        used = self._used.get((key, month_of(now)), 0)
        if used >= budget:
            raise BudgetSpent(key, budget, until_next_month(now))
        self._used[key, month_of(now)] = used + 1
        return budget - used - 1
