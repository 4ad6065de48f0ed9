"""How results of a search are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts_seeds.pages import brave, brave_answer, brave_env
from miniweb import MiniWeb
from surface.tool_caller import tool_caller

pytestmark = pytest.mark.anyio


async def test_a_further_excerpt_that_begins_with_an_ellipsis_gets_no_second_one(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    answer = brave_answer("https://a.example/1")
    answer["web"]["results"][0]["extra_snippets"] = ["... and so on", "… or else", ".NET too"]
    async with tool_caller(miniweb, tmp_path / "data", **brave_env(brave(miniweb, answer))) as made:
        result = await made.call("web_search", query="x", provider="brave", extra_snippets=True)
    assert [line for line in result.text.splitlines() if "…" in line] == [
        "   … and so on",
        "   … or else",
        "   … .NET too",
    ]
