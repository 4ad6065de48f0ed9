"""The one shared browser: started when first needed, replaced when retired or broken, ended with the server.

Between two pages it opens a spare blank tab, because opening one takes most of the time of rendering a page.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web import trace
from mcp_web.errors import RenderDisabled, RenderFailed
from mcp_web.net.egress import Egress
from mcp_web.render.chromium_flags import chromium_flags
from mcp_web.render.driver import Driver, DriverFailed, first_line, within
from mcp_web.render.options import RenderOptions
from mcp_web.render.tab import Tab, TabFailed, open_tab
from mcp_web.render.trust import add_trust

if TYPE_CHECKING:
    from playwright.async_api import Browser

_STOP_SECONDS = 5.0


@dataclass(slots=True)
class RunningBrowser:
    """A running browser with its driver process and profile. A `retired` one gets no further page."""

    driver: Driver
    browser: Browser
    folder: Path  # of its profile
    lifeline: int  # the file descriptor that, when closed, makes the reaper kill the browser
    open_tab: Callable[[], Awaitable[Tab]]  # raises TabFailed
    pages: int = 0  # served so far
    users: int = 0  # pages that are open
    retired: bool = False  # gets no further page, and ends when its last one does
    ending: bool = False
    spare: asyncio.Task[Tab] | None = None  # the blank tab for the next page

    @property
    def usable(self) -> bool:
        """Whether a further page can be opened in it."""
        return not self.retired and self.browser.is_connected()

    async def take_tab(self, until: float) -> Tab:
        """A blank tab for one page. If there is none by `until` (on anyio's clock), or it fails, the browser gets no
        further page, and TimeoutError or TabFailed is raised."""
        opening, self.spare = self.spare, None
        if opening is None or (opening.done() and opening.exception() is not None):
            opening = self._opening()
        done: set[asyncio.Task[Tab]] = set()
        try:
            done, _ = await asyncio.wait({opening}, timeout=max(0.0, until - anyio.current_time()))
        finally:
            if not done:
                self._give_back(opening)
        if not done:
            self.retired = True
            raise TimeoutError
        tab = opening.result()
        if tab.usable:
            return tab
        await tab.close()  # it crashed while it was spare
        return await self.take_tab(until)

    def prepare_tab(self) -> None:
        """Start opening the next tab, unless there is a spare one or the browser is retired."""
        if self.usable and self.spare is None:
            self.spare = self._opening()

    def _opening(self) -> asyncio.Task[Tab]:
        """Start a task that opens a tab; if it fails, it raises TabFailed and the browser gets no further page."""

        async def work() -> Tab:
            try:
                return await self.open_tab()
            except TabFailed:
                self.retired = True  # a half-opened tab stays in it
                raise

        task = asyncio.create_task(work(), name="tab")
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    def _give_back(self, opening: asyncio.Task[Tab]) -> None:
        """Keep an unused tab for the next page; if one is kept already, end this one's lease and retire the browser."""
        if self.spare is None:
            self.spare = opening
        else:
            self.retired = True
            _end_lease_of(opening)


class SharedBrowser:
    """Provides one browser for all pages, launched when first needed. After `recycle_after` pages or a failure it is
    retired: the next page gets a new browser, and the old one ends when its last page is closed."""

    def __init__(self, executable: Path, options: RenderOptions, egress: Egress, ca_bundle: str | None) -> None:
        self._options = options
        self._launch = partial(_launch, executable, options, egress, ca_bundle)
        self._starting = asyncio.Lock()
        self._current: RunningBrowser | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[RunningBrowser]:
        """Context manager: the browser for one page, launched if necessary. Raises RenderDisabled or RenderFailed."""
        running = await self._take()
        try:
            yield running
        finally:
            running.users -= 1
            if running.pages >= self._options.recycle_after or not running.browser.is_connected():
                running.retired = True
            if running.users == 0:
                self._on_unused(running)

    async def _take(self) -> RunningBrowser:
        """The current browser, counted as used by one more page; launches a new one if it is not usable."""
        async with self._starting:
            if self._idle is not None:
                self._idle.cancel()
                self._idle = None
            running = self._current
            if running is None or not running.usable:
                if running is not None and running.users == 0:
                    self._end_soon(running)
                running = self._current = await self._launched()
            running.users += 1
            running.pages += 1
            return running

    async def _launched(self) -> RunningBrowser:
        """Launch a browser; if the caller is cancelled, the launch still completes and the browser is then ended."""
        launch = asyncio.create_task(self._launch())
        try:
            return await asyncio.shield(launch)
        except asyncio.CancelledError:
            self._in_background(_end_launched(launch))
            raise

    def _on_unused(self, running: RunningBrowser) -> None:
        """End a browser without open pages: at once if retired or replaced, else after the idle time (0: never)."""
        if running.retired or running is not self._current:
            self._end_soon(running)
        elif self._options.idle:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._options.idle, self._end_soon, running)  # the next user cancels it

    def _end_soon(self, running: RunningBrowser) -> None:
        """Begin to end a browser, in the background, if that has not begun; it is no longer the current one."""
        if running is self._current:
            self._current = None
        if not running.ending:
            running.ending = True
            self._in_background(end(running))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in a task that `aclose` waits for."""
        task = asyncio.create_task(work, name="end browser")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def aclose(self) -> None:
        """End the current browser, and wait until all are ended."""
        if self._idle is not None:
            self._idle.cancel()
        if self._current is not None:
            self._end_soon(self._current)
        if self._ending:
            await asyncio.wait(self._ending)


async def _launch(executable: Path, options: RenderOptions, egress: Egress, ca_bundle: str | None) -> RunningBrowser:
    """Start the driver process and, through `reaper.py`, the browser; raises RenderDisabled or RenderFailed."""
    try:
        from playwright.async_api import Error

        driver = Driver()
    except ImportError as error:
        raise RenderDisabled(
            "Rendering is enabled, but Playwright is not installed.",
            suggestion="Use mode=readable. The operator installs it with: pip install 'mcp-web[render]'.",
        ) from error
    try:
        folder, lifeline = _new_folder()
    except OSError as error:
        raise _not_started(executable, error) from error
    try:
        with trace.step("browser_start"):
            if ca_bundle:
                await anyio.to_thread.run_sync(add_trust, folder / "profile", ca_bundle)
            playwright = await driver.start(options.timeout)
            browser = await within(
                options.timeout,
                playwright.chromium.launch(
                    # `reaper.py`, not the browser: it runs the browser and kills it when the lifeline closes.
                    executable_path=sys.executable,
                    args=[
                        "-I",
                        "-S",
                        str(Path(__file__).with_name("reaper.py")),
                        str(folder),
                        str(options.memory_mb * 1024 * 1024),
                        str(executable),
                        f"--user-data-dir={folder / 'profile'}",
                        *chromium_flags(egress.port),
                    ],
                    ignore_default_args=True,
                    timeout=options.timeout * 1000,
                ),
            )
    except (Error, DriverFailed, OSError, TimeoutError) as error:
        await _shut_down(lifeline, folder, driver)
        raise _not_started(executable, error) from error
    return RunningBrowser(driver, browser, folder, lifeline, partial(open_tab, browser, egress, options))


def _new_folder() -> tuple[Path, int]:
    """A temporary folder for a browser, and the open file descriptor of the lifeline in it; raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-web-browser-"))
    (folder / "profile").mkdir()
    os.mkfifo(folder / "lifeline")
    return folder, os.open(folder / "lifeline", os.O_RDWR)


def _not_started(executable: Path, error: Exception) -> RenderFailed:
    return RenderFailed(
        f"The browser {executable} did not start: {first_line(error)}.",
        suggestion="Use mode=readable. The operator checks the browser with `mcp-web doctor`.",
    )


async def _end_launched(launch: asyncio.Task[RunningBrowser]) -> None:
    """End a browser as soon as its launch completes."""
    with suppress(RenderFailed, RenderDisabled):
        await end(await launch)


async def end(running: RunningBrowser) -> None:
    """Kill a browser and its driver, delete its profile, end the lease of its spare tab; to be called only once."""
    await _shut_down(running.lifeline, running.folder, running.driver)
    if running.spare is not None:
        _end_lease_of(running.spare)
        await asyncio.wait({running.spare}, timeout=_STOP_SECONDS)


def _end_lease_of(opening: asyncio.Task[Tab]) -> None:
    """End the lease (the access to the proxy) of a tab that is not used, once the task that opens it is done."""

    def ended(done: asyncio.Task[Tab]) -> None:
        if not done.cancelled() and done.exception() is None:
            done.result().forget()

    opening.add_done_callback(ended)


async def _shut_down(lifeline: int, folder: Path, driver: Driver) -> None:
    """Kill the browser by closing the file descriptor `lifeline`, stop its driver, delete its folder."""
    # The reaper kills the whole process tree when the lifeline closes; there is no state to save first.
    os.close(lifeline)
    await driver.stop()
    shutil.rmtree(folder, ignore_errors=True)
