"""mcp-searxng's two tools, with its lines."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from miniweb import MiniWeb

from .contract_caller import ContractCaller, contract_caller
from .pages import Lookalike, article, as_json, searxng, searxng_answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def instance(miniweb: MiniWeb) -> Lookalike:
    return searxng(miniweb, searxng_answer("https://a.example/1", "https://b.example/2"))


@pytest.fixture
async def tools(miniweb: MiniWeb, instance: Lookalike, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "mcp-searxng", SEARXNG_URL=f"{instance.url()};") as made:
        yield made


async def test_results_are_blocks_of_labelled_lines(tools: ContractCaller, instance: Lookalike) -> None:
    text = (await tools.call("searxng_web_search", query="x", time_range="week", safesearch="2", pageno=2)).text
    first, second = text.split("\n\n")
    assert first.splitlines()[:3] == ["Title: Page 0", "Description: About page 0.", "URL: https://a.example/1"]
    assert "Relevance Score: " in first
    assert "Engines: duckduckgo, google" in second
    sent = instance.asked[0]
    assert (sent["time_range"], sent["safesearch"], sent["pageno"]) == ("week", "2", "2")


async def test_compact_and_json_are_the_other_forms(tools: ContractCaller) -> None:
    compact = (await tools.call("searxng_web_search", query="x", result_detail="compact", num_results=1)).text
    assert compact == "Title: Page 0\nDescription: About page 0.\nURL: https://a.example/1"
    full = json.loads((await tools.call("searxng_web_search", query="x", response_format="json")).text)
    assert {"query", "number_of_results", "results"} <= set(full)
    assert {"title", "url", "content", "score", "engines"} <= set(full["results"][0])
    small = json.loads(
        (await tools.call("searxng_web_search", query="x", response_format="json", result_detail="compact")).text
    )
    assert set(small["results"][0]) == {"title", "url", "content"}


async def test_nothing_found_and_nobody_there_are_told_apart(tools: ContractCaller, instance: Lookalike) -> None:
    instance.answer = searxng_answer()
    nothing = await tools.call("searxng_web_search", query="qqq")
    assert not nothing.is_error
    assert nothing.text.startswith('🔍 No results found for "qqq".')
    instance.answer = as_json({}, 500)
    broken = await tools.call("searxng_web_search", query="rrr")
    assert broken.is_error
    assert broken.text.startswith("All configured SearXNG instances failed.")


async def test_a_page_is_read_whole_in_parts_by_section_by_paragraph_and_by_headings(
    tools: ContractCaller, miniweb: MiniWeb
) -> None:
    url = miniweb.site("docs.example").page("/p", article("Page", "First", "Second"))
    whole = (await tools.call("web_url_read", url=url)).text
    assert "First is explained" in whole
    assert (await tools.call("web_url_read", url=url, startChar=10, maxLength=20)).text == whole[10:30]
    section = (await tools.call("web_url_read", url=url, section="first")).text
    assert section.startswith("## First")
    assert "Second is" not in section
    assert (await tools.call("web_url_read", url=url, section="nope")).text == (
        'Section "nope" not found in the content.'
    )
    paragraphs = [part for part in whole.split("\n\n") if part.strip()]
    assert (await tools.call("web_url_read", url=url, paragraphRange="2")).text == paragraphs[1]
    assert (await tools.call("web_url_read", url=url, paragraphRange="2-3")).text == "\n\n".join(paragraphs[1:3])
    headings = (await tools.call("web_url_read", url=url, readHeadings=True)).text
    assert "## First\n## Second" in headings


async def test_a_cut_answer_says_how_to_continue_where_that_is_possible(
    tools: ContractCaller, miniweb: MiniWeb
) -> None:
    text = "".join(f"## Section {number} is about the wheels of old engines\n\nWords.\n\n" for number in range(3000))
    url = miniweb.site("docs.example").page("/long.md", text, headers={"content-type": "text/markdown"})
    whole = (await tools.call("web_url_read", url=url)).text
    part, _, start = whole.removesuffix("]").partition("\n\n[cut: continue with startChar=")
    assert part == text[: int(start)]
    headings = (await tools.call("web_url_read", url=url, readHeadings=True)).text
    assert headings.endswith("\n\n[cut: there are more headings]")


async def test_a_comment_in_code_is_no_heading(tools: ContractCaller, miniweb: MiniWeb) -> None:
    code = "<pre><code># install it\npip install x</code></pre>"
    words = "<p>The tool is installed with one command, which takes a minute on most machines.</p>"
    body = f"<main><h1>Guide</h1>{words * 3}<h2>Install</h2>{words * 3}{code}{words * 3}</main>"
    url = miniweb.site("docs.example").page("/code", body)
    assert (await tools.call("web_url_read", url=url, readHeadings=True)).text == "# Guide\n## Install"
    assert "pip install x" in (await tools.call("web_url_read", url=url, section="install")).text


async def test_failures_have_their_signs(tools: ContractCaller, miniweb: MiniWeb) -> None:
    gone = miniweb.site("docs.example").page("/gone", "x", status=404)
    assert (await tools.call("web_url_read", url=gone)).text.startswith("🚫 Website Error (404)")
    assert (await tools.call("web_url_read", url="http://10.0.0.1/")).text.startswith(
        "🔒 URL blocked by security policy: http://10.0.0.1/"
    )
    assert (await tools.call("web_url_read", url="ftp://x.example/")).text.startswith("🔧 URL Format Error")


async def test_a_huge_page_is_cut_with_the_place_to_go_on(tools: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/huge", article("Huge", *(f"Part {number}" for number in range(400))))
    assert "continue with startChar=" in (await tools.call("web_url_read", url=url)).text
