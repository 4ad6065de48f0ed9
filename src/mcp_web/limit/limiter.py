"""The rate limiter: one request per interval for all callers that share a key, and budgets per period."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import anyio

from mcp_web.limit.schedule import LONGEST_PAUSE, Period, Step, apply_step, period_of, until_next


class SharedPause(NamedTuple):
    """A pause of a service, shared between replicas."""

    seconds: float  # that are left
    reason: str


class RateExceeded(Exception):
    """The next allowed moment comes after the caller's deadline; nothing was taken."""

    def __init__(self, key: str, retry_after: float) -> None:
        super().__init__(f"The rate limit of {key} allows no request before the deadline; wait {retry_after:.1f} s.")
        self.retry_after = retry_after  # seconds


class BudgetSpent(Exception):
    """The budget of this month, day or minute is used up."""

    def __init__(self, key: str, budget: int, retry_after: float) -> None:
        super().__init__(f"The budget of {budget} for {key} is used up.")
        self.retry_after = retry_after  # seconds, until the next period


@dataclass(slots=True)
class _Line:
    """The callers of this process that wait for one key; they start in the order in which they came."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    first_starts: float = 0.0  # when the first of them will probably start, a time of `anyio.current_time()`
    scopes: set[anyio.CancelScope] = field(default_factory=set)  # one for each caller, with its deadline

    def wait(self, interval: float) -> float:
        """Seconds until one more caller could start; 0 if nobody waits."""
        ahead = self.turn.statistics().tasks_waiting + self.turn.locked()
        return max(0.0, self.first_starts - anyio.current_time()) + ahead * interval if ahead else 0.0

    def start_in(self, wait: float) -> None:
        """Note when the first caller can start, and cancel the wait of those whose deadlines come before that."""
        self.first_starts = anyio.current_time() + wait
        for scope in self.scopes:
            if scope.deadline < self.first_starts:
                scope.cancel()


class Limiter(ABC):
    """Two requests with the same key never start within one interval. Subclasses decide where times are kept."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = defaultdict(_Line)

    async def acquire(self, key: str, interval: float, *, deadline: float) -> None:
        """Wait for the next allowed moment, which is `interval` seconds after the last one or later.

        `deadline` is a time of `anyio.current_time()`. Raises `RateExceeded` when the next allowed moment is later: at
        once where that is known, so that callers do not wait for a start that comes too late.
        """
        line, left = self._lines[key], deadline - anyio.current_time()
        wait = line.wait(interval) or (await self.step(key, "pause", 0.0) if left <= 0 else 0.0)
        if wait > left:
            raise RateExceeded(key, wait)
        with anyio.CancelScope(deadline=deadline) as scope:
            line.scopes.add(scope)
            try:
                async with line.turn:
                    while wait := await self.step(key, "start", interval):
                        line.start_in(wait)
                        await anyio.sleep(wait)
                    return
            finally:
                line.scopes.discard(scope)
        raise RateExceeded(key, max(interval, line.first_starts - anyio.current_time()))

    async def pause(self, key: str, seconds: float) -> None:
        """Allow no start for this time, at most an hour, for all callers that share the key: for a Retry-After header.

        A shorter pause does not end a longer one.
        """
        await self.step(key, "pause", min(seconds, LONGEST_PAUSE))

    async def share_pause(self, key: str, seconds: float, reason: str) -> None:
        """Tell the other replicas to pause a failed service too; does nothing without Redis."""
        return

    async def shared_pause(self, key: str) -> SharedPause | None:
        """The pause that a replica shared; None when there is none, when it has ended, or without Redis."""
        return None

    @abstractmethod
    async def step(self, key: str, step: Step, seconds: float) -> float:
        """Apply a step to a key, atomically, as `apply_step`; returns the seconds for which the key was closed."""

    @abstractmethod
    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        """Take one from the budget of the calendar period (UTC) and return what is left.

        Raises `BudgetSpent` when nothing was left. Each pair of key and period has its own count.
        """

    async def close(self) -> None:
        """Close what the limiter opened."""
        return


def spend_one(kept: dict[str, Any], key: str, budget: int, period: Period) -> int:
    """Take one from a budget and return what is left; raises `BudgetSpent` when nothing was left.

    `kept` is the stored count, which is changed; a damaged count is taken as 0. `key` is only for the error.
    """
    now = time.time()
    current = period_of(now, period)
    used = kept.get("used", 0) if kept.get("month") == current else 0  # "month" is the name of earlier versions
    used = used if isinstance(used, int) else 0
    if used >= budget:
        raise BudgetSpent(key, budget, until_next(now, period))
    kept["month"], kept["used"] = current, used + 1
    return budget - used - 1


class MemoryLimiter(Limiter):
    """The limits of one process. Nothing between reading and writing a time awaits, so no lock is needed."""

    def __init__(self) -> None:
        super().__init__()
        self._open_at: dict[str, float] = defaultdict(float)
        self._used: dict[tuple[str, Period], dict[str, Any]] = defaultdict(dict)

    async def step(self, key: str, step: Step, seconds: float) -> float:
        self._open_at[key], wait = apply_step(self._open_at[key], step, anyio.current_time(), seconds)
        return wait

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        return spend_one(self._used[key, period], key, budget, period)
