"""Waits for calls of the browser's driver, which may hang."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


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
