"""A data folder that cannot be written, and a store that was damaged: pages open, and the answer says what happened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from mcp_web import trace
from mcp_web.app import App
from mcp_web.services.check_readiness import store_problem
from miniweb import MiniWeb

from .tool_caller import tool_caller

pytestmark = pytest.mark.anyio

PAGE = "<main><h1>Valves</h1>" + "<p>Every valve was measured twice.</p>" * 20 + "</main>"


async def test_pages_open_without_being_kept_where_the_data_folder_cannot_be_written(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    url = miniweb.site("docs.example").page("/valves", PAGE)
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    async with tool_caller(miniweb, tmp_path, MCP_WEB_DATA_DIR=str(blocked / "data")) as caller:
        for _ in range(2):
            result = await caller.call("web_open", url=url)
            assert not result.is_error
            assert "measured twice" in result.text
            assert "Pages are opened but not kept." in result.text.splitlines()[0]
        saved = await caller.call("archive_add", content="A decision.", title="Decision")
        assert saved.is_error
        assert "CACHE_ERROR" in saved.text
        assert "cannot be used" in await store_problem(caller.app)


async def test_a_damaged_store_that_was_replaced_is_said_once(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/valves", PAGE)
    (tmp_path / "mcp-web.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    async with tool_caller(miniweb, tmp_path) as caller:
        first = await caller.call("web_open", url=url)
        assert first.text.startswith("note: The store was damaged and replaced by an empty one")
        assert "damaged" not in (await caller.call("web_open", url=url)).text


async def test_a_page_opens_where_the_store_cannot_say_whether_it_needs_a_browser(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    url = miniweb.site("docs.example").page("/valves", PAGE)
    async with tool_caller(miniweb, tmp_path, MCP_WEB_RENDER_ENABLED="true") as caller:
        await caller.app.store()
        with sqlite3.connect(tmp_path / "mcp-web.sqlite") as db:
            db.execute("DROP TABLE notes")
        result = await caller.call("web_open", url=url)
        assert not result.is_error
        assert "measured twice" in result.text


async def test_metrics_that_could_not_be_stored_are_stored_later(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/valves", PAGE)

    async def opened(app: App) -> float:
        counters = (await (await app.store()).metrics())["counters"]
        return sum(value for name, labels, value in counters if name == "tool_total" and labels["tool"] == "web_open")

    async with tool_caller(miniweb, tmp_path) as caller:
        caller.app.own_metrics = trace.Metrics()
        tenant = trace.tenant_metrics.set(caller.app.own_metrics)
        try:
            await caller.call("web_open", url=url)
            file = sqlite3.connect(tmp_path / "mcp-web.sqlite", isolation_level=None)
            file.execute("ALTER TABLE figures RENAME TO away")
            await caller.app.save_metrics()
            file.execute("ALTER TABLE away RENAME TO figures")
            file.close()
            await caller.call("web_open", url=url)
            await caller.app.save_metrics()
        finally:
            trace.tenant_metrics.reset(tenant)
        assert await opened(caller.app) == 2
