"""Runs the work of a command in an event loop that Ctrl-C ends at any moment."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mcp_web.app import App

T = TypeVar("T")


def with_app(work: Callable[[App], Awaitable[T]]) -> T:
    """Open an App with the user's settings, run the work, close everything; returns the result of the work."""

    async def run() -> T:
        from mcp_web.app import App
        from mcp_web.cli.output import note
        from mcp_web.settings import load

        async with App(load()) as app:
            try:
                return await work(app)
            finally:
                if text := app.remaining_store_note():
                    note(text)

    return run_interruptible(run)


def run_interruptible(work: Callable[[], Awaitable[T]]) -> T:
    """Run the work; on Ctrl-C cancel it and raise KeyboardInterrupt, whatever the work then raises or returns.

    The default of asyncio cancels a task once, which code that translates errors can turn into a failure of its own. A
    cancelled scope cannot be ignored: every further wait inside it is cancelled too. The signal is handled from before
    the event loop exists until it is closed: in between an exception would leave it open and print a traceback.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        import anyio

        return anyio.run(work)  # signals cannot be received there

    interrupted = False
    cancel: Callable[[], object] | None = None

    def interrupt(number: int, frame: object) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt  # the second time: do not wait for the work to end
        interrupted = True
        if cancel is not None:
            cancel()

    async def run() -> list[T]:
        nonlocal cancel
        import asyncio

        with anyio.CancelScope() as scope:
            loop = asyncio.get_running_loop()
            cancel = partial(loop.call_soon_threadsafe, scope.cancel)
            try:
                return [] if interrupted else [await work()]
            finally:
                cancel = None
        return []

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        import anyio

        results = anyio.run(run)
    except BaseException:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted or not results:
        raise KeyboardInterrupt
    return results[0]
