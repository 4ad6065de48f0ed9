"""The event loop of the servers: a thread of its own, so that sync tests, async tests and subprocesses can all ask."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="miniweb", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to its end over there, wait here."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)


@cache
def loop_thread() -> LoopThread:
    return LoopThread()
