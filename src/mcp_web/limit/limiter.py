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
    """A pause of a failed service that one replica (server process) told the others of, with its reason."""

    seconds: float  # that are left
    reason: str


class RateExceeded(Exception):
    """The next request that a rate limit allows, in `retry_after` seconds, is after the caller's deadline."""

    def __init__(self, key: str, retry_after: float) -> None:
        super().__init__(f"The rate limit of {key} allows no request before the deadline; wait {retry_after:.1f} s.")
        self.retry_after = retry_after  # seconds


class BudgetSpent(Exception):
    """The budget of a key (so many requests per month, day or minute) is used up for this period."""

    def __init__(self, key: str, budget: int, retry_after: float) -> None:
        super().__init__(f"The budget of {budget} for {key} is used up.")
        self.retry_after = retry_after  # seconds, until the next period


@dataclass(slots=True)
class _Line:
    """The callers of this process that wait for the rate limit of one key, in the order in which they came."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    first_starts: float = 0.0  # when the first of them will probably start, a time of `anyio.current_time()`
    scopes: set[anyio.CancelScope] = field(default_factory=set)  # one for each caller, with its deadline

    def wait(self, interval: float) -> float:
        """Estimated seconds until one more caller could start, `interval` after the last waiting; 0 if none waits."""
        ahead = self.turn.statistics().tasks_waiting + self.turn.locked()
        return max(0.0, self.first_starts - anyio.current_time()) + ahead * interval if ahead else 0.0

    def start_in(self, wait: float) -> None:
        """The first caller can start in `wait` seconds: note that, and cancel those whose deadlines come before it."""
        self.first_starts = anyio.current_time() + wait
        for scope in self.scopes:
            if scope.deadline < self.first_starts:
                scope.cancel()


class Limiter(ABC):
    """Rate limits and budgets by key: two requests with the same key never start within one interval, and a period has
    a limited number of them. Subclasses decide where times and counts are kept."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = defaultdict(_Line)

    async def acquire(self, key: str, interval: float, *, deadline: float) -> None:
        """Wait until a request with this key may start: `interval` seconds after the last one, or after a `pause`.

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
        """Let no request with this key start for `seconds` (at most an hour), such as after a response with a
        Retry-After header. A shorter pause does not end a longer one."""
        await self.step(key, "pause", min(seconds, LONGEST_PAUSE))

    async def share_pause(self, key: str, seconds: float, reason: str) -> None:
        """Ask other replicas (server processes) to pause the failed service `key` for `seconds`; only with Redis."""
        return

    async def shared_pause(self, key: str) -> SharedPause | None:
        """The pause of a service that a replica shared; None if there is none, if it has ended, or without Redis."""
        return None

    @abstractmethod
    async def step(self, key: str, step: Step, seconds: float) -> float:
        """Apply a step to a key, atomically: "start" starts a request if the key is open and then closes it for
        `seconds`, "pause" closes it for at least `seconds`. Returns for how many seconds the key was still closed
        before the step; 0: it was open."""

    @abstractmethod
    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        """Count one request with this key in the current calendar period (UTC), and return how many of the `budget` are
        left. Raises `BudgetSpent` when nothing was left. Each pair of key and period has its own count."""

    async def close(self) -> None:
        """Close the connections that the limiter opened, if any."""
        return


def spend_one(kept: dict[str, Any], key: str, budget: int, period: Period) -> int:
    """Count one request of the current period in `kept`, the stored count, and return how many of the `budget` are
    left. A count that is damaged or of an earlier period is taken as 0. Raises `BudgetSpent`, which names `key`, when
    nothing was left."""
    now = time.time()
    current = period_of(now, period)
    used = kept.get("used", 0) if kept.get("month") == current else 0  # "month" is the name of earlier versions
    used = used if isinstance(used, int) else 0
    if used >= budget:
        raise BudgetSpent(key, budget, until_next(now, period))
    kept["month"], kept["used"] = current, used + 1
    return budget - used - 1


class MemoryLimiter(Limiter):
    """The rate limits and budgets of one process. Without a lock: nothing between reading and writing a time awaits."""

    def __init__(self) -> None:
        super().__init__()
        self._open_at: dict[str, float] = defaultdict(float)
        self._used: dict[tuple[str, Period], dict[str, Any]] = defaultdict(dict)

    async def step(self, key: str, step: Step, seconds: float) -> float:
        self._open_at[key], wait = apply_step(self._open_at[key], step, anyio.current_time(), seconds)
        return wait

    async def spend(self, key: str, budget: int, period: Period = "month") -> int:
        return spend_one(self._used[key, period], key, budget, period)
