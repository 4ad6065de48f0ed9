"""Runs the work of a command in an event loop that Ctrl-C ends at any moment."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mcp_web.app import App

T = TypeVar("T")


def with_app(work: Callable[[App], Awaitable[T]]) -> T:
    """Open the App with the user's settings, run the work, close everything."""

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

    The default of asyncio cancels a task once, which code that translates errors can turn into a failure of its own.
    A cancelled scope cannot be ignored: every further wait inside it is cancelled too.
    """
    import anyio

    async def run() -> T:
        interrupted = False

        async def watch(scope: anyio.CancelScope, started: anyio.Event) -> None:
            nonlocal interrupted
            with anyio.open_signal_receiver(signal.SIGINT) as signals:
                started.set()
                async for _ in signals:
                    interrupted = True
                    scope.cancel()
                    return

        results: list[T] = []
        try:
            async with anyio.create_task_group() as tasks:
                started = anyio.Event()
                tasks.start_soon(watch, tasks.cancel_scope, started)
                await started.wait()
                results.append(await work())
                tasks.cancel_scope.cancel()
        except BaseExceptionGroup as failures:
            if interrupted:
                raise KeyboardInterrupt from None
            if len(failures.exceptions) == 1:
                raise failures.exceptions[0] from None
            raise
        if interrupted or not results:
            raise KeyboardInterrupt
        return results[0]

    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return anyio.run(work)  # signals cannot be received there
    return anyio.run(run)
