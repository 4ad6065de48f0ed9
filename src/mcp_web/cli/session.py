"""Runs a piece of work with an App, for commands that call services directly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mcp_web.app import App

T = TypeVar("T")


def with_app(work: Callable[[App], Awaitable[T]]) -> T:
    """Open the App with the user's settings, run the work, close everything."""
    import anyio

    from mcp_web.app import App
    from mcp_web.settings import load

    async def run() -> T:
        async with App(load()) as app:
            return await work(app)

    return anyio.run(run)
