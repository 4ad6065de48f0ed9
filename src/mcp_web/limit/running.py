"""How many calls are running in this process: background work waits until there are none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class RunningCalls:
    """Counts the tool calls that are running in this process, so that background work can wait until there are none."""

    def __init__(self) -> None:
        self._count = 0
        self._idle: anyio.Event | None = None  # set when the last call ends

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context manager that counts one call as running while its block runs."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            if not self._count and self._idle is not None:
                self._idle.set()
                self._idle = None

    async def wait_until_idle(self) -> None:
        """Wait until no call is running."""
        while self._count:
            self._idle = self._idle or anyio.Event()
            await self._idle.wait()
