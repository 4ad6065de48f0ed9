"""Serves one client over stdin and stdout until it closes them."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from mcp_web.errors import WebError
from mcp_web.server.handshake import instructions_for
from mcp_web.server.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_web.settings import Settings
    from mcp_web.tools.options import ToolOptions


def run(tools: ToolOptions, load: Callable[[], Settings]) -> None:
    """Answer the first requests at once, then load the other settings and the SDK, and serve until stdin is closed.

    `tools` are the tool options, which are read first; `load` reads all settings, and its ConfigError is raised. Raises
    SystemExit(130) after SIGINT.
    """
    lock, cached = threading.Lock(), cache(load)

    def loaded() -> Settings:
        """The settings, read once for the main thread and for the thread that lists the tools."""
        with lock:
            return cached()

    def exit_early() -> None:
        """End the process with status 0, as the client has left; returns if a setting is wrong: `run` raises that."""
        with suppress(WebError):
            loaded()
            os._exit(0)

    # Until the server handles signals itself: SIGINT ends it, SIGTERM waits for what the client has requested.
    stops: list[int] = []
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda number, _: stops.append(number))
    # Before the heavy imports: the handshake comes first.
    wire = Wire(instructions_for(tools.profile, tools.contract), lambda: _tools(loaded(), tools), exit_early)
    settings = loaded()
    import anyio

    from mcp_web.app import App
    from mcp_web.server.build import build_server
    from mcp_web.server.stdio_session import StdioSession

    async def serve() -> int:
        async with App(settings) as app:
            return await StdioSession(wire, build_server(app), app, stops).run()

    try:
        ended_by = anyio.run(serve)
    finally:
        wire.close()
    if ended_by == signal.SIGINT:
        raise SystemExit(130)


def _tools(settings: Settings, tools: ToolOptions) -> list[dict[str, Any]]:
    """The entries of `tools/list` with these settings, for a client that asks while the SDK is still being imported."""
    from mcp_web.app import App
    from mcp_web.contracts.sets import tools_offered
    from mcp_web.server.listing import listed_tools

    return listed_tools(App(settings), tools_offered(tools))
