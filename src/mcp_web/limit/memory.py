"""The pace of one process."""

from __future__ import annotations

import time
from collections import defaultdict

import anyio

from mcp_web.limit.limiter import BudgetSpent, PaceExceeded
from mcp_web.limit.window import Window, month_of, until_next_month


class MemoryLimiter:
    """Windows in a dictionary; nothing between reading and writing awaits, so no lock is needed."""

    def __init__(self) -> None:
        self._windows: dict[str, Window] = defaultdict(Window)
        self._used: dict[tuple[str, str], int] = {}

    async def acquire(self, key: str, rate: int, per: float, *, deadline: float) -> float:
        now = anyio.current_time()
        window = self._windows[key]
        slot = window.next_slot(now, rate, per)
        if slot > deadline:
            raise PaceExceeded(key, slot - now)
        window.take(slot, now)
        wake: float | None = slot if slot > now else None
        while wake is not None:
            try:
                await anyio.sleep(max(0.0, wake - anyio.current_time()))
            except BaseException:
                window.release(wake)  # a cancelled caller makes room
                raise
            wake = window.confirm(wake, anyio.current_time(), rate, per)
            if wake is not None and wake > deadline:
                window.release(wake)
                raise PaceExceeded(key, wake - anyio.current_time())
        return anyio.current_time() - now if slot > now else 0.0

    async def pause(self, key: str, seconds: float) -> None:
        self._windows[key].pause(anyio.current_time() + seconds)

    async def spend(self, key: str, budget: int) -> int:
        now = time.time()
        used = self._used.get((key, month_of(now)), 0)
        if used >= budget:
            raise BudgetSpent(key, budget, until_next_month(now))
        self._used[key, month_of(now)] = used + 1
        return budget - used - 1

    async def spent(self, key: str) -> int:
        return self._used.get((key, month_of(time.time())), 0)

    async def close(self) -> None:
        return None
