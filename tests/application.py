"""The application of a test, on the mini web; the processes that parse pages are shared by all tests of a run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import cache, cached_property
from typing import Any

from mcp_web.app import App
from mcp_web.process import PRELOAD, Process
from mcp_web.sandbox.options import SandboxOptions
from mcp_web.sandbox.pool import Sandbox
from mcp_web.settings import Settings
from miniweb import MiniWeb
from miniweb.thread import loop_thread


class SharedSandbox(Sandbox):
    """A pool in the event loop of the mini web: to start a worker for each test costs more than most tests do."""

    async def warm(self) -> None:
        await _over_there(super().warm())

    async def run(self, function: Callable[..., Any], *args: Any, size: int = 0, wall: float | None = None) -> Any:
        return await _over_there(super().run(function, *args, size=size, wall=wall))

    async def close(self) -> None:
        """The workers end with the run of the tests."""


class SharingProcess(Process):
    @cached_property
    def sandbox(self) -> Sandbox:
        is_default = self.settings.of(SandboxOptions) == SandboxOptions()
        return _shared_sandbox(os.getcwd()) if is_default else super().sandbox


@asynccontextmanager
async def application(settings: Settings, web: MiniWeb | None) -> AsyncIterator[App]:
    process = SharingProcess(settings, web.dialer() if web else None)
    async with App(settings, process=process) as app:
        yield app
    await process.close()


@cache
def _shared_sandbox(folder: str) -> SharedSandbox:
    """One for each working folder: site configs are looked for there."""

    async def made() -> SharedSandbox:
        return SharedSandbox(SandboxOptions(), preload=PRELOAD)

    return loop_thread().run(made())


async def _over_there(work: Coroutine[Any, Any, Any]) -> Any:
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop_thread().loop))
