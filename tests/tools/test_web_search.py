"""How results of a search are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts_seeds.pages import article, brave, brave_answer, brave_env
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


async def test_content_that_is_cut_inside_code_closes_it_before_the_call_for_the_rest(
    miniweb: MiniWeb, tmp_path: Path
) -> None:
    site = miniweb.site("docs.example")
    code = "\n".join(f"value_{number} = measure('gauge {number}')" for number in range(200))
    site.page("/listing", article("Listing", "Setup", say=f"is told</p><pre><code>{code}</code></pre><p>at length"))
    url = site.url("/listing")
    async with tool_caller(miniweb, tmp_path / "data", **brave_env(brave(miniweb, brave_answer(url)))) as made:
        search = {"query": "x", "provider": "brave", "fetch_content": True, "content_chars": 1000}
        text = (await made.call("web_search", **search)).text
        content = (await made.data("web_search", **search))["queries"][0]["results"][0]["content"]
        whole = (await made.data("web_open", url=url, max_chars=100_000))["content"]
    start = len(content["markdown"])
    assert f'\n```\n   … more: web_open(url="{url}", start={start})' in text
    assert content["truncated"]
    assert whole.startswith(content["markdown"])
    assert start <= 1000
    assert content["markdown"].endswith(")\n"), "cut inside a line"
