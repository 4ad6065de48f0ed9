"""The tools for `tools/list` as plain JSON, without the SDK, so that the first answer is fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_web.tools.sets import listed_as
from mcp_web.tools.tool import Tool

if TYPE_CHECKING:
    from mcp_web.app import App

MAX_RESULT_CHARS = 100_000  # for clients that truncate long results: ours are limited already


def listed_tools(app: App, tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """The entries of `tools/list` for these tools, in order, with only the providers and modes available here."""
    structured = app.tools.answers == "structured"
    return [described(listed_as(tool, app), structured=structured) for tool in tools.values()]


def described(tool: Tool, *, structured: bool) -> dict[str, Any]:
    """One tool as an entry of `tools/list`; the output schema only if answers are structured."""
    facts: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema(),
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": True,
            "openWorldHint": tool.open_world,
        },
    }
    if structured and tool.output:
        facts["outputSchema"] = {"type": "object", "properties": dict(tool.output)}
    if tool.long_answers:
        facts["_meta"] = {"anthropic/maxResultSizeChars": MAX_RESULT_CHARS}
    return facts
