"""web_crawl and web_watch as an agent uses them, on the mini web."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mcp_web.errors import CacheError
from mcp_web.services.crawl_site import crawl_site
from mcp_web.services.watch_pages import change_queries, watched_changes, watched_urls
from mcp_web.store.protocol import PurgeRule
from miniweb import MiniWeb, Reply, Request
from miniweb.site import Site

from .tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio
WORDS = "The harbour master keeps a list of every vessel that entered since the spring. "


def article(title: str, text: str, links: str = "") -> str:
    return f"<title>{title}</title><main><h1>{title}</h1><p>{WORDS * 5}</p><h2>Rules</h2><p>{text}</p>{links}</main>"


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path) -> object:
    async with tool_caller(miniweb, tmp_path, MCP_WEB_EMBEDDINGS="none", MCP_WEB_PROFILE="full") as made:
        yield made


def manual(web: MiniWeb) -> Site:
    site = web.site("manual.example")
    names = ("anchor", "mooring", "secret")
    links = "".join(f"<p>{WORDS} More of it in <a href=/docs/{name}>the part on {name}</a>.</p>" for name in names)
    site.page("/docs/", article("Manual", "Start here, and read everything before you sail.", links))
    site.page("/docs/anchor", article("Anchor", "Drop the anchor slowly, against the wind. " * 4))
    site.page("/docs/mooring", article("Mooring", "Two lines are enough for a mooring in calm weather. " * 4))
    site.page("/docs/secret", article("Secret", "Not for machines."))
    site.robots("User-agent: *\nDisallow: /docs/secret\n")
    return site


async def test_a_crawled_site_is_asked_at_once_and_robots_are_kept(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    found = await caller.data("web_crawl", url=site.url("/docs/"), collection="manual")
    assert found["new"] == 3
    assert [one["url"] for one in found["failed"]] == [site.url("/docs/secret")]
    assert site.asked("/docs/secret") == []
    asked = await caller.data("archive_search", query="how many lines for a mooring", collection="manual")
    assert asked["results"][0]["document"]["url"] == site.url("/docs/mooring")


async def test_a_crawl_that_reached_its_limit_goes_on_with_the_same_call(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    first = await caller.call("web_crawl", url=site.url("/docs/"), max_pages=2)
    assert "Visited 2 pages" in first.text
    assert "2 known pages are left" in first.text
    assert f'web_crawl(url="{site.url("/docs/")}", collection="manual.example")' in first.text
    second = await caller.data("web_crawl", url=site.url("/docs/"))
    assert second["new"] == 1
    assert second["left"] == 0


async def test_the_call_that_continues_a_crawl_crawls_the_same_pages(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    wanted = {"url": site.url("/docs/"), "prefix": site.url("/"), "exclude": ["*/mooring"], "max_depth": 2}
    text = (await caller.call("web_crawl", max_pages=1, **wanted)).text
    again = f'url="{site.url("/docs/")}", collection="manual.example", prefix="{site.url("/")}", exclude=["*/mooring"]'
    assert f"to continue, repeat: web_crawl({again}, max_depth=2)" in text


async def test_a_crawl_from_another_page_of_an_unfinished_one_visits_it(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    await caller.call("web_crawl", url=site.url("/docs/"), max_pages=1)
    site.page("/docs/alone", article("Alone", "No other page links to this one. " * 4))
    await caller.call("web_crawl", url=site.url("/docs/alone"))
    assert len(site.asked("/docs/alone")) == 1


async def test_a_sitemap_is_read_whatever_its_address(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    part = site.url("/sitemap_part.xml?from=1&amp;to=9")
    site.page("/sitemap.xml", f"<sitemapindex><sitemap><loc>{part}</loc></sitemap></sitemapindex>")
    pages = f"<urlset><url><loc>{site.url('/docs/anchor')}</loc></url></urlset>"
    site.page("/sitemap_part.xml", pages, headers={"Content-Type": "text/xml"})
    found = await caller.data("web_crawl", url=site.url("/docs/mooring"))
    assert (found["new"], found["failed"]) == (2, [])


async def test_sitemaps_that_hang_do_not_hold_a_crawl_beyond_its_deadline(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site, released = manual(miniweb), threading.Event()

    async def hangs(request: Request) -> Reply:
        await asyncio.to_thread(released.wait)
        return Reply("late", status=404)

    site.route("/sitemap.xml", hangs)
    try:
        stopped = await caller.data("web_crawl", url=site.url("/docs/"), seconds=4.0)
        assert (stopped["pages"], stopped["left"]) == (0, 1)
        assert site.asked("/llms.txt") == []
    finally:
        released.set()
    assert (await caller.data("web_crawl", url=site.url("/docs/")))["new"] == 3


async def test_a_crawl_ends_before_the_calls_deadline_and_keeps_what_is_left(
    caller: ToolCaller, miniweb: MiniWeb
) -> None:
    site = manual(miniweb)
    stopped = await caller.call("web_crawl", structured=True, seconds=2.0, url=site.url("/docs/"))
    assert (stopped.data["pages"], stopped.data["left"]) == (0, 1)
    again = await caller.data("web_crawl", url=site.url("/docs/"))
    assert again["new"] == 3


async def test_what_changed_on_a_watched_page_is_told_by_section(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = manual(miniweb)
    url = site.url("/docs/anchor")
    first = await caller.call("web_watch", url=[url])
    assert "Watched: 1 page, 0 queries; 0 with something new." in first.text
    site.page("/docs/anchor", article("Anchor", "Drop the anchor quickly, with the wind. " * 4))
    second = await caller.call("web_watch")
    assert "changed: Anchor > Rules" in second.text
    assert "quickly" in second.text
    refused = await caller.call("web_watch", url=["javascript:1"], remove=[url])
    assert refused.meta["error"]["code"] == "INVALID_URL"
    assert await watched_urls(caller.app) == [url], "a call that is refused changes nothing"
    gone = await caller.call("web_watch", remove=[url])
    assert gone.text.startswith("Watched: 0 pages")


async def test_a_watched_page_whose_earlier_version_is_deleted_meanwhile_is_changed(
    caller: ToolCaller, miniweb: MiniWeb
) -> None:
    site = manual(miniweb)
    urls = [site.url("/docs/anchor"), site.url("/docs/mooring")]
    await caller.call("web_watch", url=urls)

    async def deletes(request: Request) -> Reply:
        await (await caller.app.store()).purge(PurgeRule(url=urls[0]), dry_run=False)
        return Reply(article("Anchor", "Drop the anchor quickly. " * 4), headers={"Content-Type": "text/html"})

    site.route("/docs/anchor", deletes)
    checked = (await caller.data("web_watch"))["pages"]
    assert [one["url"] for one in checked] == urls
    assert (checked[0]["state"], checked[0]["changes"]) == ("changed", [])
    assert "deleted" in checked[0]["error"]


async def test_a_watched_page_that_was_also_opened_in_another_way_is_the_same(
    caller: ToolCaller, miniweb: MiniWeb
) -> None:
    site = manual(miniweb)
    url = site.url("/docs/anchor")
    site.redirect("/old", url)
    await caller.call("web_watch", url=[url])
    for opened in ({"url": url, "selector": "h1"}, {"url": url, "mode": "raw"}, {"url": site.url("/old")}):
        await caller.call("web_open", **opened)
        (checked,) = (await caller.data("web_watch"))["pages"]
        assert checked["state"] == "same"
    site.page("/docs/anchor", article("Anchor", "Drop the anchor quickly, with the wind. " * 4))
    await caller.call("web_watch")
    await caller.call("web_open", url=url, selector="h1", max_age=0)
    ((_, change),) = await watched_changes(caller.app, 5)
    assert "quickly" in change.changes[0].hunk


async def test_a_watched_page_is_removed_in_another_spelling_of_its_url(caller: ToolCaller, miniweb: MiniWeb) -> None:
    manual(miniweb)
    await caller.call("web_watch", url=["manual.example/docs/anchor"], query=["anchor"])
    gone = await caller.call("web_watch", remove=["manual.example/docs/anchor", "anchor"])
    assert gone.text.startswith("Watched: 0 pages, 0 queries")


def searx(web: MiniWeb, answer: Callable[[Request], object]) -> dict[str, str]:
    """The settings of a search whose results are `answer(request)`."""
    site = web.site("searx.example")

    async def found(request: Request) -> Reply:
        rows = answer(request)
        rows = await rows if isinstance(rows, Awaitable) else rows
        return Reply(json.dumps({"results": rows}), headers={"Content-Type": "application/json"})

    site.route("/search", found)
    env = {"MCP_WEB_SEARXNG_URLS": site.loopback_url("").rstrip("/"), "MCP_WEB_SEARCH_CACHE_TTL": "0"}
    return env | {"MCP_WEB_EMBEDDINGS": "none"}


async def test_a_page_that_hangs_leaves_time_for_the_watched_queries(miniweb: MiniWeb, tmp_path: Path) -> None:
    never = threading.Event()

    async def hangs(request: Request) -> Reply:
        await asyncio.to_thread(never.wait)
        return Reply("late")

    url = miniweb.site("slow.example").route("/", hangs)
    env = searx(miniweb, lambda request: [{"title": "Old", "url": "https://old.example/", "content": "tides"}])
    async with tool_caller(miniweb, tmp_path, **env) as caller:
        checked = await caller.data("web_watch", query=["tides of the bay"], url=[url], seconds=4.0)
        never.set()
    assert checked["pages"][0]["state"] == "failed"
    assert checked["queries"] == [{"query": "tides of the bay", "new": [], "error": ""}]


async def test_a_query_that_is_removed_while_it_is_checked_is_not_watched_again(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    async def removes(request: Request) -> object:
        over_there = change_queries(caller.app, remove=["tides of the bay"])
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(over_there, loop))
        return [{"title": "Old", "url": "https://old.example/", "content": "tides"}]

    async with tool_caller(miniweb, tmp_path, **searx(miniweb, removes)) as caller:
        loop = asyncio.get_running_loop()
        await caller.call("web_watch", query=["tides of the bay"])
        assert await change_queries(caller.app) == []


async def test_a_watched_query_tells_its_new_results(miniweb: MiniWeb, tmp_path: Path) -> None:
    rows = [{"title": "Old", "url": "https://old.example/", "content": "tides"}]
    async with tool_caller(miniweb, tmp_path, **searx(miniweb, lambda request: rows)) as caller:
        first = await caller.data("web_watch", query=["tides of the bay"])
        assert first["queries"] == [{"query": "tides of the bay", "new": [], "error": ""}]
        rows.append({"title": "New tides", "url": "https://new.example/", "content": "tides"})
        second = await caller.data("web_watch")
    assert second["queries"][0]["new"] == [{"title": "New tides", "url": "https://new.example/"}]


async def test_a_crawl_whose_pages_cannot_be_listed_fails(caller: ToolCaller, miniweb: MiniWeb, tmp_path: Path) -> None:
    site = manual(miniweb)
    pages = f"<urlset><url><loc>{site.url('/docs/anchor')}</loc></url></urlset>"
    site.page("/sitemap.xml", pages, headers={"Content-Type": "text/xml"})
    await caller.app.store()
    with sqlite3.connect(tmp_path / "mcp-web.sqlite") as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON records WHEN new.key LIKE '%anchor'"
            " BEGIN SELECT raise(FAIL, 'no space'); END"
        )
    with pytest.raises(CacheError):
        await crawl_site(caller.app, site.url("/docs/"), max_depth=0)
