"""What an operator sees of the calls: log lines, counters by tool, cache hit rates, resource names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_web import trace
from mcp_web.server.resources import list_resources
from mcp_web.services.check_parts import check_parts
from mcp_web.services.show_stats import show_stats
from mcp_web.web.metrics import prometheus
from miniweb import MiniWeb

from .tool_caller import tool_caller

pytestmark = pytest.mark.anyio
PAGE = "<title>Guide</title><main><h1>Guide</h1><p>" + "Words that explain how it is used. " * 20 + "</p></main>"


def tool_lines(text: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, text.splitlines()) if line["event"] == "tool"]


async def test_a_log_line_has_address_status_and_cache_hit_also_when_the_call_failed(
    miniweb: MiniWeb, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = miniweb.site("docs.example")
    url, gone = site.page("/guide", PAGE), site.page("/gone", "no", status=404)
    async with tool_caller(miniweb, tmp_path, MCP_WEB_LOG="info") as made:
        for address in (url, url, gone):
            await made.call("web_open", url=address)
    trace.configure("error")
    first, second, failed = tool_lines(capsys.readouterr().err)
    assert (first["tool"], first["url"], first["status"], first["cache_hit"]) == ("web_open", url, 200, False)
    assert second["cache_hit"] is True
    assert (failed["url"], failed["status"], failed["cache_hit"]) == (gone, 404, False)
    assert failed["error_code"] == "HTTP_ERROR"
    assert all(line["ms"] >= 0 and line["ts"] for line in (first, second, failed))


async def test_calls_are_counted_by_tool_with_their_cache_hit_rate(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/guide", PAGE)
    async with tool_caller(miniweb, tmp_path) as made:
        trace.metrics.drain()
        for _ in range(4):
            await made.call("web_open", url=url)
        await (await made.app.store()).add_metrics(trace.metrics.drain())
        stats = await show_stats(made.app)
        text = prometheus(await (await made.app.store()).metrics())
    assert {"tool": "web_open", "calls": 4, "cache_hit_rate": 0.75} in stats["cache_hit_rates"]
    assert next(row for row in stats["steps"] if row["step"] == "tool web_open")["times"] == 4
    assert 'mcp_web_tool_total{outcome="ok",tool="web_open"} 4' in text
    assert 'mcp_web_cache_hit_rate{tool="web_open"} 0.75' in text


async def test_a_listed_resource_is_named_by_its_address(miniweb: MiniWeb, tmp_path: Path) -> None:
    url = miniweb.site("docs.example").page("/guide", PAGE)
    async with tool_caller(miniweb, tmp_path) as made:
        await made.call("web_open", url=url)
        (resource,) = await list_resources(made.app)
    assert (resource.name, resource.title) == ("docs.example/guide", '"Guide"')


async def test_one_bad_site_config_stops_no_page_and_is_reported(miniweb: MiniWeb, tmp_path: Path) -> None:
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "bad.toml").write_text('id = "other"\ndomains = ["other.example"]\nbody = ["div["]\n')
    (folder / "good.toml").write_text('id = "docs"\ndomains = ["docs.example"]\nbody = ["main"]\n')
    (folder / "broken.toml").write_bytes(b"\xff\xfe = nothing")
    url = miniweb.site("docs.example").page("/guide", PAGE)
    async with tool_caller(miniweb, tmp_path / "data", MCP_WEB_SITE_CONFIGS=str(folder)) as made:
        opened = await made.data("web_open", url=url)
        assert "how it is used" in opened["content"]
        assert opened["siteconfig"] == "docs@1"
        extracted = await made.call("web_extract", html=PAGE)
        assert not extracted.is_error
        named = await made.call("web_open", url=url, siteconfig="other")
        assert "bad.toml cannot be used" in named.text
        findings = [check.finding for check in await check_parts(made.app) if check.part == "site configs"]
        assert [name for name in ("bad.toml", "broken.toml") if any(name in finding for finding in findings)]
        assert len(findings) == 2
