"""The reference server's `fetch`: tool and prompt with the same sentences."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from miniweb import MiniWeb, Reply

from .contract_caller import ContractCaller, contract_caller
from .pages import article

pytestmark = pytest.mark.anyio


@pytest.fixture
async def tools(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[ContractCaller]:
    async with contract_caller(miniweb, tmp_path, "fetch") as made:
        yield made


async def test_parameters_and_defaults_are_the_reference_s(tools: ContractCaller) -> None:
    rules = tools.schema("fetch")["properties"]
    assert {name: rule.get("default") for name, rule in rules.items()} == {
        "url": None, "max_length": 5000, "start_index": 0, "raw": False,
    }  # fmt: skip
    assert rules["max_length"]["exclusiveMaximum"] == 1000000
    assert (await tools.call("fetch", url="https://docs.example/", max_length=0)).is_error
    assert (await tools.call("fetch", url="https://docs.example/", start_index=-1)).is_error


async def test_a_page_begins_with_its_address(tools: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/p", article("Page", "Part"))
    result = await tools.call("fetch", url=url)
    assert result.text.startswith(f"Contents of {url}:\n")
    assert "Part is explained" in result.text
    assert "<error>" not in result.text


async def test_a_long_page_is_read_to_its_end_by_the_sentences(tools: ContractCaller, miniweb: MiniWeb) -> None:
    parts = [f"Part {number}" for number in range(60)]
    url = miniweb.site("docs.example").page("/long", article("Long", *parts))
    whole, start = "", 0
    while True:
        text = (await tools.call("fetch", url=url, start_index=start)).text.removeprefix(f"Contents of {url}:\n")
        found = re.search(
            r"\n\n<error>Content truncated\. Call the fetch tool with a start_index of (\d+) to get more "
            r"content\.</error>$",
            text,
        )
        whole += text[: found.start()] if found else text
        if found is None:
            break
        assert int(found[1]) == start + 5000
        start = int(found[1])
    assert all(f"{part} is explained" in whole for part in parts)
    over = await tools.call("fetch", url=url, start_index=10_000_000)
    assert over.text == f"Contents of {url}:\n<error>No more content available.</error>"


async def test_the_largest_length_stays_within_the_ceiling_and_says_how_to_go_on(
    tools: ContractCaller, miniweb: MiniWeb
) -> None:
    url = miniweb.site("docs.example").page("/huge", article("Huge", *(f"Part {number}" for number in range(400))))
    result = await tools.call("fetch", url=url, max_length=999_999)
    assert "Call the fetch tool with a start_index of" in result.text


async def test_raw_and_what_is_no_page_come_as_they_are(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    url = docs.page("/raw", article("Raw", "Part"), headers={"Content-Type": "text/html"})
    raw = await tools.call("fetch", url=url, raw=True)
    assert raw.text.startswith(
        "Content type text/html cannot be simplified to markdown, but here is the raw content:\n"
    )
    assert "<h2>Part</h2>" in raw.text
    docs.route("/data", lambda request: Reply('{"a": [1, 2]}', 200, {"Content-Type": "application/json"}))
    data = await tools.call("fetch", url="https://docs.example/data")
    assert data.text.startswith("Content type application/json cannot be simplified")
    assert '{"a": [1, 2]}' in data.text


async def test_failures_have_the_reference_s_words(tools: ContractCaller, miniweb: MiniWeb) -> None:
    docs = miniweb.site("docs.example")
    gone = docs.page("/gone", "x", status=404)
    assert (await tools.call("fetch", url=gone)).text == f"Failed to fetch {gone} - status code 404"
    other = miniweb.site("closed.example")
    other.robots("User-agent: *\nDisallow: /secret")
    closed = await tools.call("fetch", url=other.page("/secret", "x"))
    assert closed.is_error
    assert closed.text.startswith(
        "The sites robots.txt (https://closed.example/robots.txt), specifies that autonomous fetching of this page is "
        "not allowed"
    )
    assert (await tools.call("fetch", url="http://127.0.0.1/")).is_error


async def test_the_prompt_carries_the_contents(tools: ContractCaller, miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/p", article("Page", "Part"))
    (prompt,) = tools.contract.prompts
    assert (prompt.name, prompt.argument) == ("fetch", "url")
    description, text = await prompt.write(tools.app, url, anyio.current_time() + 20)
    assert description == f"Contents of {url}"
    assert "Part is explained" in text
    description, _ = await prompt.write(tools.app, "https://nowhere.example/", anyio.current_time() + 20)
    assert description == "Failed to fetch https://nowhere.example/"
