"""Rate limits of one process."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import anyio

from mcp_web.limit.limiter import Limiter, spend_one
from mcp_web.limit.schedule import Period, Schedule, Step


class MemoryLimiter(Limiter):
    """Schedules in a dictionary; nothing between reading and writing awaits, so no lock is needed."""

    def __init__(self) -> None:
        self._schedules: dict[str, Schedule] = defaultdict(Schedule)
        self._used: dict[tuple[str, Period], dict[str, Any]] = defaultdict(dict)

    async def step(self, key: str, step: Step, seconds: float, patience: float = 0.0) -> float:
        return self._schedules[key].apply(step, anyio.current_time(), seconds, patience)

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        return spend_one(self._used[key, period], key, budget, period)
