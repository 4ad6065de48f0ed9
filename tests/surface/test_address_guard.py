"""The address guard stands before every tool of every set, crawl and watch, and search with content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contracts_seeds.contract_caller import OFFLINE, contract_caller
from mcp_web.services.crawl_site import crawl_site
from mcp_web.services.watch_pages import check_page
from miniweb import MiniWeb
from search.lookalike import reply, searxng_page
from surface.rpc import Stdio, text_of
from surface.tool_caller import tool_caller

pytestmark = pytest.mark.anyio

# What a set of tools calls the parameter that holds the address.
CONTRACTS: list[tuple[str, str, dict[str, Any]]] = [
    ("read-page", "web.readFromPage", {"url": "{}", "query": "secret"}),
    ("mcp-web", "web_open", {"url": "{}"}),
    ("mcp-web", "web_batch_open", {"urls": ["{}"]}),
    ("web-tools", "WebFetch", {"url": "{}"}),
    ("fetch", "fetch", {"url": "{}"}),
    ("fetch", "fetch", {"url": "{}", "raw": True}),
    ("mcp-searxng", "web_url_read", {"url": "{}"}),
]
TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("web_open", {"url": "{}"}),
    ("web_open", {"url": "{}", "mode": "raw", "max_age": 0}),
    ("web_batch_open", {"urls": ["{}"]}),
    ("web_read", {"url": "{}", "query": "secret"}),
    ("verify_quotes", {"source": "{}", "quotes": ["secret of the private network"]}),
    ("archive_add", {"content": "{}"}),
]


def closed(web: MiniWeb) -> list[str]:
    """An address, a name that leads to one, and a public page that sends its readers there."""
    web.names.answer("inside.example", "10.1.2.3")
    moved = web.site("moved.example").redirect("/", "http://192.168.0.1/secret")
    return ["http://127.0.0.1/", "http://[::ffff:169.254.169.254]/latest/", "http://inside.example/page", moved]


def filled(arguments: dict[str, Any], url: str) -> dict[str, Any]:
    return {name: [url] if value == ["{}"] else url if value == "{}" else value for name, value in arguments.items()}


@pytest.mark.parametrize(("tool", "arguments"), TOOLS)
async def test_a_tool_opens_nothing_closed(
    miniweb: MiniWeb, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    async with tool_caller(miniweb, tmp_path, **OFFLINE) as caller:
        for url in closed(miniweb):
            result = await caller.call(tool, **filled(arguments, url))
            assert "secret of the private network" not in result.text.replace("“secret of the private network”", "")
            assert "SSRF_BLOCKED" in str(result.meta) + result.text or "public web" in result.text, result.text
    assert miniweb.private.reached == []


@pytest.mark.parametrize(("contract", "tool", "arguments"), CONTRACTS)
async def test_a_contract_opens_nothing_closed(
    miniweb: MiniWeb, tmp_path: Path, contract: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with contract_caller(miniweb, tmp_path, contract) as made:
        for url in closed(miniweb):
            result = await made.call(tool, **filled(arguments, url))
            assert "secret of the private network" not in result.text
            assert result.is_error or "public web" in result.text or "SSRF" in result.text, result.text
    assert miniweb.private.reached == []


async def test_a_crawl_keeps_out_although_sitemaps_and_links_point_inside(miniweb: MiniWeb, tmp_path: Path) -> None:
    inside = closed(miniweb)
    site = miniweb.site("docs.example")
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in [*inside, "https://docs.example.evil.example/x"])
    more = "".join(f"<sitemap><loc>{url}sitemap.xml</loc></sitemap>" for url in inside)
    site.page("/sitemap.xml", f"<urlset>{listed}</urlset>", headers={"Content-Type": "text/xml"})
    site.page("/a/sitemap.xml", f"<sitemapindex>{more}</sitemapindex>", headers={"Content-Type": "text/xml"})
    site.page("/llms.txt", "\n".join(f"- [x]({url})" for url in inside), headers={"Content-Type": "text/plain"})
    links = "".join(f'<p>A paragraph with <a href="{url}">a link</a>.</p>' for url in [*inside, "/a/moved"])
    site.page("/a/", f"<main><h1>Start</h1>{links}</main>")
    site.redirect("/a/moved", "http://10.1.2.3/")
    async with tool_caller(miniweb, tmp_path, **OFFLINE) as caller:
        report = await crawl_site(caller.app, site.url("/a/"))
        assert report.new == 1
        assert [url for url, _ in report.failed] == [site.url("/a/moved")]
        for url in inside:
            assert (await crawl_site(caller.app, url)).new == 0
    assert miniweb.private.reached == []


async def test_a_watch_reports_the_refusal(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with tool_caller(miniweb, tmp_path, **OFFLINE) as caller:
        for url in closed(miniweb):
            watched = await check_page(caller.app, url)
            assert watched.state == "failed"
            assert "public web" in watched.error or "metadata" in watched.error
    assert miniweb.private.reached == []


async def test_results_that_lead_inside_are_listed_but_not_opened(miniweb: MiniWeb, tmp_path: Path) -> None:
    engine = miniweb.site("engine.example")
    inside = closed(miniweb)
    engine.route("/search", lambda request: reply(searxng_page(*inside)))
    env = OFFLINE | {"MCP_WEB_SEARXNG_URLS": engine.loopback_url("")}
    async with tool_caller(miniweb, tmp_path, **env) as caller:
        data = await caller.data("web_search", query="tortoise", fetch_content=True)
    (found,) = data.get("queries", [data])
    assert len(found["results"]) == len(inside)
    assert not any(hit.get("content") for hit in found["results"])
    assert all(hit["content_error"]["code"] == "SSRF_BLOCKED" for hit in found["results"])
    assert miniweb.private.reached == []


@pytest.mark.parametrize("closing", [{}, {"MCP_WEB_DENYLIST_DOMAINS": "127.0.0.1"}])
def test_a_kept_copy_is_not_shown_once_its_address_is_closed(
    miniweb: MiniWeb, tmp_path: Path, closing: dict[str, str]
) -> None:
    site = miniweb.site("inner.example")
    site.page(
        "/wiki",
        "<h1>Wiki</h1>" + "<p>What only colleagues may read.</p>" * 20,
        headers={"Cache-Control": "max-age=9999"},
    )
    url = site.loopback_url("/wiki")
    with Stdio(tmp_path, MCP_WEB_ALLOW_PRIVATE=site.exemption) as server:
        server.initialize()
        assert "colleagues" in text_of(server.call("web_open", url=url))
    if closing:
        closing = closing | {"MCP_WEB_ALLOW_PRIVATE": site.exemption}
    with Stdio(tmp_path, **closing) as server:
        server.initialize()
        for max_age in (None, 3600):
            asked = {} if max_age is None else {"max_age": max_age}
            result = server.call("web_open", url=url, **asked)
            assert result["isError"]
            assert "colleagues" not in text_of(result)
