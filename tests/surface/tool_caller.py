"""The whole application in one process, on the mini web: calls tools as the server does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from application import application
from mcp_web.app import App
from mcp_web.render.options import RenderOptions
from mcp_web.settings import Settings, load
from mcp_web.tools import budget
from mcp_web.tools.call import Call
from mcp_web.tools.calling import call_tool
from mcp_web.tools.sets import tool_named
from mcp_web.tools.tool import Answer
from miniweb import MiniWeb


class ToolCaller:
    def __init__(self, app: App) -> None:
        self.app = app

    async def call(self, name: str, *, structured: bool = False, seconds: float = 50.0, **arguments: Any) -> Answer:
        """The result as it goes over the wire, checked against the ceiling that holds for every answer."""
        call = Call(self.app, deadline=anyio.current_time() + seconds)
        result = await call_tool(tool_named(name), call, arguments, structured=structured)
        whole = json.dumps(
            {"text": result.text, "meta": result.meta, "data": result.data}, ensure_ascii=False, default=str
        )
        assert budget.estimate(whole) <= budget.CEILING, f"{name} answered {budget.estimate(whole)} tokens"
        return result

    async def data(self, name: str, **arguments: Any) -> dict[str, Any]:
        return (await self.call(name, structured=True, **arguments)).data


@asynccontextmanager
async def tool_caller(web: MiniWeb, folder: Path, **env: str) -> AsyncIterator[ToolCaller]:
    settings = load(environ={"DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), **env})
    async with application(_patient(settings), web) as app:
        yield ToolCaller(app)


def _patient(settings: Settings) -> Settings:
    """With as much time for a page in the browser as a busy machine needs to start one."""
    options = replace(settings.of(RenderOptions), timeout=45.0)
    return replace(settings, _options={**settings._options, RenderOptions: options})
