"""The next blank tab, made ready between two pages: most of what a page costs is paid before it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio

from mcp_web.render.browser import Running
from mcp_web.render.tab import Tab, TabFailed

_SECONDS = 10.0

Open = Callable[[Running, float], Awaitable[Tab]]


class Spare:
    """Hands out tabs, each for one page, and keeps one in reserve for each browser."""

    def __init__(self, open_tab: Open) -> None:
        self._open = open_tab

    async def take(self, running: Running, until: float) -> Tab:
        """A tab that no page has seen; `until` is on the monotonic clock. Raises TabFailed or TimeoutError."""
        tab = await self._wait(running, self._reserved(running), until)
        if not tab.usable:  # it died while it waited
            await tab.close()
            tab = await self._wait(running, self._begin(running), until)
        return tab

    def prepare(self, running: Running) -> None:
        """Begin the next tab, unless there is one or the browser has served enough."""
        if running.usable and running.spare is None:
            running.spare = self._begin(running)

    def _reserved(self, running: Running) -> asyncio.Task[Tab]:
        task, running.spare = running.spare, None
        if task is None or (task.done() and task.exception() is not None):
            return self._begin(running)
        return task

    def _begin(self, running: Running) -> asyncio.Task[Tab]:
        async def work() -> Tab:
            try:
                return await self._open(running, anyio.current_time() + _SECONDS)
            except TabFailed:
                running.worn = True  # what was half made stays in it
                raise

        task = asyncio.create_task(work(), name="tab")
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _wait(self, running: Running, task: asyncio.Task[Tab], until: float) -> Tab:
        try:
            await asyncio.wait({task}, timeout=max(0.0, until - anyio.current_time()))
        except asyncio.CancelledError:
            self._give_back(running, task)
            raise
        if not task.done():
            self._give_back(running, task)
            running.worn = True
            raise TimeoutError
        return task.result()

    def _give_back(self, running: Running, task: asyncio.Task[Tab]) -> None:
        """Nobody has used it: it is for the next page, or goes with the browser."""
        if running.spare is None:
            running.spare = task
        else:
            running.worn = True
