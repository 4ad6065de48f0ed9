"""The pace door: one protocol, kept by memory, by a folder shared between processes, and by Redis."""

from __future__ import annotations

from typing import Protocol


class PaceExceeded(Exception):
    """A slot comes too late for the caller's deadline; nothing was taken."""

    def __init__(self, key: str, retry_after: float) -> None:
        super().__init__(f"The pace of {key} leaves no slot before the deadline; the next is in {retry_after:.1f} s.")
        self.key = key
        self.retry_after = retry_after


class BudgetSpent(Exception):
    """The month's budget is used up."""

    def __init__(self, key: str, budget: int, retry_after: float) -> None:
        super().__init__(f"The monthly budget of {budget} for {key} is used up.")
        self.key = key
        self.budget = budget
        self.retry_after = retry_after


class Limiter(Protocol):
    """Never more than `rate` grants in any window of `per` seconds, whoever shares the key."""

    async def acquire(self, key: str, rate: int, per: float, *, deadline: float) -> float:
        """Wait for a slot and return the seconds waited.

        `deadline` is a moment of `anyio.current_time()`. A slot that would come later is refused at once with
        `PaceExceeded`, so a burst learns its fate immediately instead of waiting in vain.
        """
        ...

    async def pause(self, key: str, seconds: float) -> None:
        """No slots for a while: what a Retry-After asks for, kept by everyone who shares the key."""
        ...

    async def spend(self, key: str, budget: int) -> int:
        """Take one from the calendar month's budget and return what is left; `BudgetSpent` when nothing is."""
        ...

    async def spent(self, key: str) -> int:
        """What this calendar month has used so far."""
        ...

    async def close(self) -> None: ...
