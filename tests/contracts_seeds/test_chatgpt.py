"""The chatgpt profile: search and fetch as ChatGPT's connectors expect them; schemas that follow the configuration."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from mcp_web.tools.options import ToolOptions
from mcp_web.tools.sets import listed_as, offered, tool_named
from miniweb import MiniWeb
from surface.tool_caller import ToolCaller, tool_caller

from .contract_caller import OFFLINE, assert_same_shape
from .pages import article, searxng, searxng_answer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[ToolCaller]:
    page = miniweb.site("docs.example").page("/p", article("Page", "Part"))
    instance = searxng(miniweb, searxng_answer(page))
    async with tool_caller(miniweb, tmp_path, **OFFLINE, MCP_WEB_SEARXNG_URLS=instance.url()) as made:
        yield made


async def parsed(caller: ToolCaller, name: str, **arguments: Any) -> dict[str, Any]:
    result = await caller.call(name, **arguments)
    assert not result.is_error, result.text
    made = json.loads(result.text)
    assert isinstance(made, dict)
    return made


def test_the_profile_is_two_tools_with_one_string_each() -> None:
    tools = offered(ToolOptions(profile="chatgpt"))
    assert list(tools) == ["search", "fetch"]
    for tool, name in zip(tools.values(), ("query", "id"), strict=True):
        schema = tool.input_schema()
        assert list(schema["properties"]) == schema["required"] == [name]
        assert schema["properties"][name]["type"] == "string"
        assert 40 <= len(tool.description.split()) <= 120


async def test_a_result_s_id_fetches_its_text(caller: ToolCaller) -> None:
    found = await parsed(caller, "search", query="part")
    assert_same_shape({"results": [{"id": "i", "title": "t", "url": "u", "text": "s"}]}, found)
    document = await parsed(caller, "fetch", id=found["results"][0]["id"])
    assert_same_shape({"id": "i", "title": "t", "text": "x", "url": "u", "metadata": document["metadata"]}, document)
    assert "Part is explained" in document["text"]
    assert "<untrusted" in document["text"]
    again = await parsed(caller, "fetch", id=document["metadata"]["snapshot"])
    assert again["title"] == document["title"]


async def test_saved_research_is_found_by_its_snapshot(caller: ToolCaller) -> None:
    await caller.call("archive_add", content="We chose SQLite for its one file.", title="Decision on storage")
    found = await parsed(caller, "search", query="decision storage")
    assert found["results"][0]["title"] == "Decision on storage"
    document = await parsed(caller, "fetch", id=found["results"][0]["id"])
    assert "one file" in document["text"]


async def test_a_long_document_goes_on_with_the_id_it_names(caller: ToolCaller, miniweb: MiniWeb) -> None:
    parts = [f"Part {number}" for number in range(300)]
    name, whole = miniweb.site("docs.example").page("/long", article("Long", *parts)), ""
    while name:
        document = await parsed(caller, "fetch", id=name)
        whole += document["text"]
        name = document["metadata"].get("next_id", "")
    assert all(f"{part} is explained" in whole for part in parts)


async def test_only_providers_that_can_be_asked_are_offered(caller: ToolCaller) -> None:
    tool = listed_as(tool_named("web_search"), caller.app)
    assert tool.input_schema()["properties"]["provider"]["items"]["enum"] == ["auto", "searxng"]


@pytest.mark.parametrize(("enabled", "modes"), [("true", 4), ("false", 3)])
async def test_rendering_is_offered_only_where_it_is_on(
    miniweb: MiniWeb, tmp_path: Path, enabled: str, modes: int
) -> None:
    async with tool_caller(miniweb, tmp_path, **OFFLINE, MCP_WEB_RENDER_ENABLED=enabled) as caller:
        shown = listed_as(tool_named("web_open"), caller.app).input_schema()["properties"]["mode"]["enum"]
    assert len(shown) == modes
    assert ("rendered" in shown) is (enabled == "true")
