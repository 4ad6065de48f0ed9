"""What every client sees of the tools: small, plain, accepted everywhere."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mcp_web.errors import ConfigError
from mcp_web.server.listing import described
from mcp_web.tools.options import ToolOptions
from mcp_web.tools.sets import offered

TOKENS = 4_000
# JSON schemas cost 4.2 to 4.8 characters a token with the tokenizers we counted (o200k, cl100k, Claude's): 4 is safe.
CHARS_PER_TOKEN = 4


def listed(**options: Any) -> list[dict[str, Any]]:
    structured = options.pop("structured", False)
    tools = offered(ToolOptions(**options)).values()
    return [described(tool, structured=structured) for tool in tools]


def test_the_standard_set_costs_less_than_its_budget() -> None:
    assert len(json.dumps({"tools": listed()}, ensure_ascii=False)) / CHARS_PER_TOKEN <= TOKENS


def test_lite_is_three_tools_at_less_than_half_the_price() -> None:
    assert [tool["name"] for tool in listed(profile="lite")] == ["web_search", "web_open", "web_read"]
    assert len(json.dumps(listed(profile="lite"))) < len(json.dumps(listed())) / 2


@pytest.mark.parametrize("tool", listed(), ids=lambda tool: tool["name"])
def test_a_tool_is_plain_enough_for_every_client(tool: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z_]{1,40}", tool["name"])
    assert 40 <= len(tool["description"].split()) <= 120
    assert not re.search(r"\b(ALWAYS|MUST|NEVER|always use|instead of built-in|disregard)\b", tool["description"])
    assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    schema = tool["inputSchema"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert len(schema["required"]) <= 2
    for name, param in schema["properties"].items():
        assert re.fullmatch(r"[a-z_]{1,40}", name)
        assert param["type"] in ("string", "integer", "number", "boolean", "array", ["string", "array"])
        assert param["description"]
        assert set(param) <= {"type", "description", "enum", "minimum", "maximum", "items", "maxItems"}
    assert "anyOf" not in json.dumps(schema)


def test_one_query_or_address_needs_no_list() -> None:
    found = {
        (tool["name"], name)
        for tool in listed(profile="full")
        for name, param in tool["inputSchema"]["properties"].items()
        if param["type"] == ["string", "array"]
    }
    assert found == {
        ("web_search", "query"),
        *((tool, name) for tool in ("web_read", "web_watch") for name in ("url", "query")),
    }


def test_only_purging_is_destructive_and_only_two_tools_write() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in listed()}
    assert [name for name, hint in hints.items() if hint["destructiveHint"]] == ["cache_purge"]
    assert {name for name, hint in hints.items() if not hint["readOnlyHint"]} == {"archive_add", "cache_purge"}


def test_output_schemas_are_listed_only_when_answers_are_structured() -> None:
    assert not any("outputSchema" in tool for tool in listed())
    assert all(tool["outputSchema"]["type"] == "object" for tool in listed(structured=True))


def test_tools_can_be_switched_off_one_by_one_and_by_kind() -> None:
    names = {tool["name"] for tool in listed(disabled_tools=("cache_purge", "search"))}
    assert "cache_purge" not in names
    assert "web_search" not in names
    assert "web_open" in names
    assert not {tool["name"] for tool in listed(disabled_tools=("fetch",))} & {"web_open", "web_batch_open", "web_read"}
    with pytest.raises(ConfigError, match="'nope'"):
        offered(ToolOptions(disabled_tools=("nope",)))
