"""The surfaces over PostgreSQL: open, read, search the archive, sync, watch, export, each once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_web.archive.answer import ArchiveQuery
from mcp_web.services.crawl_site import crawl_site
from mcp_web.services.embed_documents import embed_documents
from mcp_web.services.exchange_archive import export_archive, import_archive
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
from mcp_web.services.watch_pages import change_watch, check_page
from miniweb import MiniWeb
from store.postgres_server import PostgresServer

from .tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio
PAGE = "<main><h1>Lanterns</h1><p>" + "A lantern burns {} through the night at sea. " * 6 + "</p></main>"


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ToolCaller]:
    async with tool_caller(miniweb, tmp_path, MCP_WEB_DATABASE_URL=postgres.database()) as made:
        yield made


async def test_a_page_is_opened_read_found_and_shown_again(caller: ToolCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("sea.example").page("/lantern", PAGE.format(*["oil"] * 6))
    opened = await caller.data("web_open", url=url)
    assert (await caller.data("web_open", url=url))["cache"]["state"] == "hit"
    read = await caller.data("web_read", url=url, query="what does a lantern burn")
    assert "oil" in str(read["queries"][0])
    await embed_documents(caller.app)
    for mode in ("text", "hybrid", "semantic"):
        found = await caller.data("archive_search", query="burning lanterns", mode=mode)
        assert [row["document"]["url"] for row in found["results"]] == [url]
    assert (await caller.data("archive_search", query="zzzznothing"))["results"] == []
    assert (await caller.data("cache_get", snapshot=opened["snapshot"][:16]))["url"] == url


async def test_a_watched_page_that_changed_tells_what_changed(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("sea.example")
    url = site.page("/lantern", PAGE.format(*["oil"] * 6))
    assert await change_watch(caller.app, add=[url]) == [url]
    assert (await check_page(caller.app, url)).state == "new"
    site.page("/lantern", PAGE.format(*["gas"] * 6))
    changed = await check_page(caller.app, url)
    assert (changed.state, len(changed.changes)) == ("changed", 1)
    assert await change_watch(caller.app, remove=[url]) == []


async def test_a_folder_is_synced_and_a_site_crawled(caller: ToolCaller, miniweb: MiniWeb, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nAbout zebras, see [next]({number + 1}.md).\n")
    assert (await sync_folder(caller.app, folder)).added == 5
    (folder / "0.md").unlink()
    report = await sync_folder(caller.app, folder)
    assert (report.removed, report.unchanged) == (1, 4)
    site = miniweb.site("docs.example")
    site.page("/docs/b", "<main><h1>B</h1><p>About zebras and their stripes, at some length.</p></main>")
    start = site.page("/docs/a", '<main><h1>A</h1><p>About zebras. See <a href="/docs/b">b</a>.</p></main>')
    assert (await crawl_site(caller.app, start, prefix=start.removesuffix("a"))).new == 2
    answer = await search_archive(caller.app, ArchiveQuery("zebras", mode="text", include_citations=True))
    assert len(answer.results) == 6
    assert answer.citation_graph is not None
    assert len(answer.citation_graph.edges) >= 4


async def test_what_is_exported_is_imported_again(
    caller: ToolCaller, miniweb: MiniWeb, tmp_path: Path, postgres: PostgresServer
) -> None:
    url = miniweb.site("sea.example").page("/lantern", PAGE.format(*["oil"] * 6))
    await caller.call("web_open", url=url)
    place = tmp_path / "out.jsonl"
    assert (await export_archive(caller.app, place, None)).documents == 1
    async with tool_caller(miniweb, tmp_path / "other", MCP_WEB_DATABASE_URL=postgres.database()) as other:
        await import_archive(other.app, place, None)
        found = await other.data("archive_search", query="lantern", mode="text")
        assert [row["document"]["url"] for row in found["results"]] == [url]
