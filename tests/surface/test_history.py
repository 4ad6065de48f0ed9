"""`mcp-web history` shows what was searched for, where that is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mcp_web.cli.history import command
from miniweb import MiniWeb

from .tool_caller import tool_caller

pytestmark = pytest.mark.anyio


async def test_kept_queries_are_listed_newest_first(
    miniweb: MiniWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"title": "A", "url": "https://a.example/", "content": "a", "engines": ["alpha"], "score": 1}
    site = miniweb.site("searx.example")
    site.page("/search", json.dumps({"results": [row]}), headers={"Content-Type": "application/json"})
    env = {"MCP_WEB_SEARXNG_URLS": site.loopback_url(""), "MCP_WEB_SEARCH_HISTORY": "true"}
    async with tool_caller(miniweb, tmp_path, **env) as made:
        for query in ("tortoise", "hare"):
            assert not (await made.call("web_search", query=query)).is_error
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MCP_WEB_DATA_DIR", str(tmp_path))
    shown = await _run()
    assert [one["query"] for one in shown] == ["hare", "tortoise"]
    assert [one["results"] for one in shown] == [1, 1]


async def _run() -> list[dict[str, object]]:
    from anyio import to_thread

    result = await to_thread.run_sync(lambda: CliRunner().invoke(command, ["--json"]))
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, list)
    return found
