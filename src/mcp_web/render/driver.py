"""The driver, Playwright's process that controls the browser: it may hang, so every wait for it has a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from playwright.async_api import Playwright

T = TypeVar("T")

_STOP_SECONDS = 5.0


class PageGone(Exception):
    """The page crashed, so a pending call of Playwright would never return."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without its full stop; the name of its type if it has no message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


async def within(seconds: float, work: Awaitable[T], gone: asyncio.Future[None] | None = None) -> T:
    """The result of `work`, a call of Playwright; raises TimeoutError after `seconds`, PageGone once `gone` is done.

    The call itself is never cancelled: a late result or error is ignored instead.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    waiting: set[asyncio.Future[Any]] = {task} if gone is None else {task, gone}
    await asyncio.wait(waiting, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    raise PageGone if gone is not None and gone.done() else TimeoutError


class DriverFailed(Exception):
    """The driver process could not be started, ended before it answered, or did not answer in time."""


class Driver:
    """Starts and stops the driver, Playwright's process that controls the browser; ImportError without Playwright."""

    def __init__(self) -> None:
        from playwright.async_api import async_playwright

        self._manager = async_playwright()
        self._starting: asyncio.Future[Playwright] | None = None

    async def start(self, seconds: float) -> Playwright:
        """Start the process; raises DriverFailed, also after this many seconds. `stop` is to be called in any case."""
        coroutine = self._manager.start()
        self._starting = asyncio.ensure_future(coroutine)
        await asyncio.sleep(0)
        # Playwright keeps the client, which has the process, to itself until the process has answered; one that never
        # does could not be ended. If these private names have changed, asyncio logs the failure of a killed driver.
        with suppress(AttributeError, KeyError):
            self._manager._client = coroutine.cr_await.cr_await.cr_frame.f_locals["client"]  # type: ignore[attr-defined]
            failure = self._manager._client._transport.on_error_future
            failure.add_done_callback(lambda future: future.cancelled() or future.exception())
        try:
            return await within(seconds, self._starting)
        except TimeoutError as error:
            self._kill()
            raise DriverFailed(f"its driver did not answer within {seconds:g} seconds") from error
        except Exception as error:  # Playwright raises some of no type of its own
            raise DriverFailed(str(error)) from error

    async def stop(self) -> None:
        """End the process; kill it after five seconds or if the caller is cancelled. Raises no error."""
        stopping = asyncio.ensure_future(self._stop())
        try:
            await asyncio.wait({stopping}, timeout=_STOP_SECONDS)
        finally:
            self._kill()
        await asyncio.wait({stopping}, timeout=_STOP_SECONDS)

    async def _stop(self) -> None:
        """Wait until the process has started or failed, then end it and wait until its pipes are closed."""
        if self._starting is not None:
            with suppress(Exception):  # a driver that has crashed raises errors of many types
                await self._starting
            with suppress(Exception):
                await self._manager.__aexit__()

    def _kill(self) -> None:
        """Kill the process, unless it has ended, and close its pipes, while there still is an event loop."""
        with suppress(AttributeError):
            self._manager._client._transport._proc._transport.close()  # type: ignore[union-attr]
