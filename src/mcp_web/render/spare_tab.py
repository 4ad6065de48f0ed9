"""Opens a spare blank tab between two pages, because opening one takes most of the time of rendering a page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio

from mcp_web.render.browser import RunningBrowser, end_lease_of
from mcp_web.render.tab import Tab, TabFailed

_OPEN_SECONDS = 10.0

Open = Callable[[RunningBrowser, float], Awaitable[Tab]]  # opens a tab before a time of anyio's clock


class SpareTab:
    """Provides tabs, each for one page, and keeps one spare tab for each browser."""

    def __init__(self, open_tab: Open) -> None:
        self._open = open_tab

    async def take(self, running: RunningBrowser, until: float) -> Tab:
        """An unused tab; `until` is on anyio's clock. Raises TabFailed or TimeoutError."""
        tab = await self._wait(running, self._reserved(running), until)
        if not tab.usable:  # it crashed while it was spare
            await tab.close()
            tab = await self._wait(running, self._begin(running), until)
        return tab

    def prepare(self, running: RunningBrowser) -> None:
        """Start opening the next tab, unless there is a spare one or the browser is retired."""
        if running.usable and running.spare is None:
            running.spare = self._begin(running)

    def _reserved(self, running: RunningBrowser) -> asyncio.Task[Tab]:
        """The task that opens, or has opened, the spare tab, which is then no longer spare; else that of a new tab."""
        task, running.spare = running.spare, None
        if task is None or (task.done() and task.exception() is not None):
            return self._begin(running)
        return task

    def _begin(self, running: RunningBrowser) -> asyncio.Task[Tab]:
        """Start a task that opens a tab; a browser that cannot open one is retired."""

        async def work() -> Tab:
            try:
                return await self._open(running, anyio.current_time() + _OPEN_SECONDS)
            except TabFailed:
                running.retired = True  # a half-opened tab stays in that browser
                raise

        task = asyncio.create_task(work(), name="tab")
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _wait(self, running: RunningBrowser, task: asyncio.Task[Tab], until: float) -> Tab:
        """The tab of a task; raises TabFailed. One that is not open in time is kept as spare: raises TimeoutError."""
        try:
            await asyncio.wait({task}, timeout=max(0.0, until - anyio.current_time()))
        except asyncio.CancelledError:
            self._give_back(running, task)
            raise
        if not task.done():
            self._give_back(running, task)
            running.retired = True
            raise TimeoutError
        return task.result()

    def _give_back(self, running: RunningBrowser, task: asyncio.Task[Tab]) -> None:
        """Keep an unused tab as the spare one; if there is one already, retire the browser and end its lease."""
        if running.spare is None:
            running.spare = task
        else:
            running.retired = True
            end_lease_of(task)
