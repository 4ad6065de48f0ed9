"""Screenshots of rendered pages, from the browser to the client."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import mcp_types as types
import pytest
from mcp import MCPError

from mcp_web.app import App
from mcp_web.render.chromium import find_chromium
from mcp_web.server.resources import read_resource
from mcp_web.server.result import to_mcp
from mcp_web.settings import load
from mcp_web.tools import budget
from mcp_web.tools.sets import listed_as, tool_named
from miniweb import MiniWeb

from .tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio

_PNG = b"\x89PNG\r\n\x1a\n"
_TEXT = "The keeper wrote down what the lamp had seen in the night. " * 12


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[ToolCaller]:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("playwright")
    on = {"MCP_WEB_RENDER_ENABLED": "true", "MCP_WEB_RENDER_SCREENSHOT": "true"}
    async with tool_caller(miniweb, tmp_path, **on) as made:
        yield made


async def test_picture_of_a_rendered_page_is_linked_read_attached_and_purged(
    caller: ToolCaller, miniweb: MiniWeb
) -> None:
    miniweb.site("docs.example").page("/lamp", f"<!doctype html><title>Lamp</title><h1>Lamp</h1><p>{_TEXT}</p>")
    opened = await caller.data("web_open", url="http://docs.example/lamp", mode="rendered")

    shown = await caller.call("cache_get", snapshot=opened["snapshot"])
    link = to_mcp(shown, structured=False).content[-1]
    assert isinstance(link, types.ResourceLink)
    assert link.mime_type == "image/png"
    assert link.uri in shown.text

    read = (await read_resource(caller.app, link.uri)).contents[0]
    assert isinstance(read, types.BlobResourceContents)
    assert base64.b64decode(read.blob).startswith(_PNG)
    assert len(base64.b64decode(read.blob)) == link.size

    attached = to_mcp(
        await caller.call("cache_get", snapshot=opened["snapshot"], screenshot=True), structured=False
    ).content[-1]
    assert isinstance(attached, types.EmbeddedResource)
    assert attached.resource == read

    await caller.call("cache_purge", url="http://docs.example/lamp", dry_run=False)
    with pytest.raises(MCPError):
        await read_resource(caller.app, link.uri)


async def test_page_without_a_picture_says_how_to_have_one(caller: ToolCaller, miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/plain", f"<!doctype html><title>Plain</title><p>{_TEXT}</p>")
    opened = await caller.data("web_open", url="http://docs.example/plain", mode="readable")

    shown = await caller.call("cache_get", snapshot=opened["snapshot"], screenshot=True)

    assert "MCP_WEB_RENDER_SCREENSHOT=true" in shown.text
    assert shown.screenshot is None


async def test_parameter_is_listed_only_where_pictures_are_kept_and_costs_little(tmp_path: Path) -> None:
    def listed(**env: str) -> str:
        app = App(load(environ={"DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **env}))
        return json.dumps(listed_as(tool_named("cache_get"), app).input_schema())

    without = listed(MCP_WEB_RENDER_ENABLED="true")
    with_pictures = listed(MCP_WEB_RENDER_ENABLED="true", MCP_WEB_RENDER_SCREENSHOT="true")

    assert "screenshot" not in without
    assert "screenshot" in with_pictures
    assert budget.estimate(with_pictures) - budget.estimate(without) <= 40
