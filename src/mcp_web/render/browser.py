"""The one shared browser: started when first needed, replaced when retired or broken, ended with the server."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from mcp_web import trace
from mcp_web.errors import RenderDisabled, RenderFailed
from mcp_web.render.chromium_flags import chromium_flags
from mcp_web.render.options import RenderOptions
from mcp_web.render.trust import add_trust

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

    from mcp_web.render.tab import Tab

T = TypeVar("T")

_STOP_SECONDS = 5.0


class PageGone(Exception):
    """The page's process crashed, so the pending call will never return."""


async def within(seconds: float, work: Coroutine[Any, Any, T], gone: asyncio.Future[None] | None = None) -> T:
    """The result of a call of the driver; raises TimeoutError when it takes too long, PageGone once `gone` is done.

    Calls of the driver are never cancelled: a late result or error is ignored instead.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    waiting: set[asyncio.Future[Any]] = {task} if gone is None else {task, gone}
    await asyncio.wait(waiting, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    raise PageGone if gone is not None and gone.done() else TimeoutError


@dataclass(slots=True)
class RunningBrowser:
    """A browser with its driver."""

    playwright: Playwright
    browser: Browser
    folder: Path  # of its profile
    lifeline: int  # the file descriptor that, when closed, makes the reaper kill the browser
    version: str
    pages: int = 0  # served so far
    users: int = 0  # pages that are open
    retired: bool = False  # gets no further page, and ends when its last one does
    ending: bool = False
    spare: asyncio.Task[Tab] | None = None  # the blank tab for the next page

    @property
    def usable(self) -> bool:
        """Whether it can serve a further page."""
        return not self.retired and self.browser.is_connected()


class SharedBrowser:
    """Provides the current browser; a retired one ends when its last page is closed."""

    def __init__(self, executable: Path, options: RenderOptions, proxy_port: int, ca_bundle: str | None) -> None:
        self._executable = executable
        self._ca_bundle = ca_bundle
        self._options = options
        self._proxy_port = proxy_port
        self._starting = asyncio.Lock()
        self._current: RunningBrowser | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[RunningBrowser]:
        """Context manager: the running browser for one page; before the page is closed, only `aclose` ends it.

        Raises RenderDisabled or RenderFailed if it cannot be started.
        """
        running = await self._take()
        try:
            yield running
        finally:
            running.users -= 1
            if running.pages >= self._options.recycle_after or not running.browser.is_connected():
                running.retired = True
            if running.users == 0:
                self._on_unused(running)

    async def ready(self) -> None:
        """Wait until the spare tab of the current browser, if it has one, is open or has failed to open."""
        if self._current is not None and self._current.spare is not None:
            await asyncio.wait({self._current.spare})

    async def _take(self) -> RunningBrowser:
        """The current browser, with one more user; launched if there is none that is usable."""
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
        launch = asyncio.create_task(_launch(self._executable, self._options, self._proxy_port, self._ca_bundle))
        try:
            return await asyncio.shield(launch)
        except asyncio.CancelledError:
            self._in_background(_end_launched(launch))
            raise

    def _on_unused(self, running: RunningBrowser) -> None:
        """End a browser without pages: at once if it is retired, else after the idle time."""
        if running.retired or running is not self._current:
            self._end_soon(running)
        elif self._options.idle:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._options.idle, self._end_if_idle, running)

    def _end_if_idle(self, running: RunningBrowser) -> None:
        if running.users == 0:
            self._end_soon(running)

    def _end_soon(self, running: RunningBrowser) -> None:
        """End a browser in the background, once; it is no longer the current one."""
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


async def _launch(executable: Path, options: RenderOptions, proxy_port: int, ca_bundle: str | None) -> RunningBrowser:
    """Start the driver and, through the reaper, the browser; raises RenderDisabled or RenderFailed."""
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError as error:
        raise RenderDisabled(
            "Rendering is enabled, but Playwright is not installed.",
            suggestion="Use mode=readable. The operator installs it with: pip install 'mcp-web[render]'.",
        ) from error
    folder = Path(tempfile.mkdtemp(prefix="mcp-web-browser-"))
    (folder / "profile").mkdir()
    os.mkfifo(folder / "lifeline")
    lifeline = os.open(folder / "lifeline", os.O_RDWR)
    playwright: Playwright | None = None
    try:
        with trace.step("browser_start"):
            if ca_bundle:
                await anyio.to_thread.run_sync(add_trust, folder / "profile", ca_bundle)
            driver = async_playwright()
            playwright = await within(options.timeout, driver.start())
            _ignore_driver_failure(driver)
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
                        *chromium_flags(proxy_port),
                    ],
                    ignore_default_args=True,
                    timeout=options.timeout * 1000,
                ),
            )
    except (Error, OSError, TimeoutError) as error:
        await _shut_down(lifeline, folder, playwright)
        raise RenderFailed(
            f"The browser {executable} did not start: {_first_line(error)}.",
            suggestion="Use mode=readable. The operator checks the browser with `mcp-web doctor`.",
        ) from error
    return RunningBrowser(playwright, browser, folder, lifeline, browser.version)


def _ignore_driver_failure(driver: object) -> None:
    """Mark the failure of a killed driver as retrieved: otherwise asyncio would log it to stderr."""
    with suppress(AttributeError):  # a private name; where it has changed, the log gets one more line
        failure = driver._client._transport.on_error_future  # type: ignore[attr-defined]
        failure.add_done_callback(lambda future: future.cancelled() or future.exception())


async def _end_launched(launch: asyncio.Task[RunningBrowser]) -> None:
    """End a browser as soon as its launch completes."""
    with suppress(RenderFailed, RenderDisabled):
        await end(await launch)


async def end(running: RunningBrowser) -> None:
    """Kill a browser and its driver, delete its profile and end the lease of its spare tab; to be called once."""
    await _shut_down(running.lifeline, running.folder, running.playwright)
    if running.spare is not None:
        end_lease_of(running.spare)
        await asyncio.wait({running.spare}, timeout=_STOP_SECONDS)


def end_lease_of(opening: asyncio.Task[Tab]) -> None:
    """End the lease of a tab that nobody will use, as soon as the task that opens it is done."""

    def ended(done: asyncio.Task[Tab]) -> None:
        if not done.cancelled() and done.exception() is None:
            done.result().forget()

    opening.add_done_callback(ended)


async def _shut_down(lifeline: int, folder: Path, playwright: Playwright | None) -> None:
    """Kill the browser, stop its driver, delete its folder."""
    # The reaper kills the whole process tree when the lifeline closes; there is no state to save first.
    os.close(lifeline)
    if playwright is not None:
        with suppress(Exception):  # a driver that has crashed raises errors of many types
            await within(_STOP_SECONDS, playwright.stop())
    shutil.rmtree(folder, ignore_errors=True)


def _first_line(error: BaseException) -> str:
    """The first line of an error's message, without its full stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")
