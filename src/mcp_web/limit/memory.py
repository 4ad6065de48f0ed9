"""Rate limits of one process."""

from __future__ import annotations

import time
from collections import defaultdict

import anyio

from mcp_web.limit.limiter import BudgetSpent, Limiter
from mcp_web.limit.schedule import Period, Schedule, Step, period_of, until_next


class MemoryLimiter(Limiter):
    """Schedules in a dictionary; nothing between reading and writing awaits, so no lock is needed."""

    def __init__(self) -> None:
        self._schedules: dict[str, Schedule] = defaultdict(Schedule)
        self._used: dict[tuple[str, Period], tuple[str, int]] = {}  # in the current month, day or minute

    async def step(self, key: str, step: Step, seconds: float, patience: float = 0.0) -> float:
        return self._schedules[key].apply(step, anyio.current_time(), seconds, patience)

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        now = time.time()
        current = period_of(now, period)
        counted, used = self._used.get((key, period), (current, 0))
        used = used if counted == current else 0
        if used >= budget:
            raise BudgetSpent(key, budget, until_next(now, period))
        self._used[key, period] = (current, used + 1)
        return budget - used - 1
