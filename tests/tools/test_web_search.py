"""How results of a search are shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contracts_seeds.pages import article, brave, brave_answer, brave_env, searxng, searxng_answer
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


async def test_the_call_for_the_next_page_repeats_what_was_asked_for(miniweb: MiniWeb, tmp_path: Path) -> None:
    answer = brave_answer("https://a.example/1", more=True)
    search = {"query": 'the "best" x', "provider": "brave", "count": 3, "exclude_domains": ["b.example"]}
    async with tool_caller(miniweb, tmp_path / "data", **brave_env(brave(miniweb, answer))) as made:
        first = (await made.call("web_search", **search)).text
        last = (await made.call("web_search", **search, page=9)).text
    same = 'provider=["brave"], count=3, exclude_domains=["b.example"]'
    assert first.splitlines()[-1] == f'more: web_search(query="the \\"best\\" x", page=1, {same})'
    assert "more: " not in last


async def test_results_that_do_not_fit_are_counted_without_the_raw_answer(miniweb: MiniWeb, tmp_path: Path) -> None:
    answer = brave_answer(*(f"https://a{number}.example/" for number in range(20)))
    for number, row in enumerate(answer["web"]["results"]):
        row["extra_snippets"] = [" ".join(f"tide{number}of{word}in{part}" for word in range(40)) for part in range(5)]
    queries = ["tides", "tides of the bay", "tides of the sea"]
    async with tool_caller(miniweb, tmp_path / "data", **brave_env(brave(miniweb, answer))) as made:
        result = await made.call("web_search", query=queries, provider="brave", count=20, extra_snippets=True, raw=True)
    for text in result.text.split("## tides")[1:]:
        shown = len(re.findall(r"^   https://", text, re.MULTILINE))
        assert f"{20 - shown} more results did not fit" in text
        assert "raw:\n```json\n{" in text


async def test_passages_are_shown_beside_long_instant_answers(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    say = "takes ten minutes and needs a wrench of the right size for every valve"
    urls = [site.page(f"/{number}", article(f"Setup {number}", "Valves", "Pumps", say=say)) for number in range(3)]
    answer = searxng_answer(*urls)
    answer["answers"] = [
        f"{number}: " + "the valves are set up by hand, one after the other. " * 10 for number in range(9)
    ]
    env = {"MCP_WEB_SEARXNG_URLS": searxng(miniweb, answer).url().rstrip("/"), "MCP_WEB_EMBEDDINGS": "none"}
    queries = [f"setup of valves {number}" for number in range(10)]
    async with tool_caller(miniweb, tmp_path / "data", **env) as made:
        text = (await made.call("web_search", query=queries, provider="searxng", read=True)).text
    assert "did not fit" not in text
    assert text.count(say) >= len(queries)


async def test_passages_and_contents_are_not_asked_for_together(miniweb: MiniWeb, tmp_path: Path) -> None:
    async with tool_caller(miniweb, tmp_path / "data") as made:
        refused = await made.call("web_search", query="x", read=True, fetch_content=True)
    assert refused.is_error
    assert "either read or fetch_content" in refused.text
