"""A tool's result as MCP sends it."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from mcp_web.tools.calling import Result


class WiderResult(types.CallToolResult):
    """A result with fields of another system beside ours; the protocol lets a result have them, the SDK drops them."""

    _beside: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_serializer(mode="wrap")
    def _with_the_rest(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {**write(self), **self._beside}


def on_the_wire(result: Result, *, structured: bool) -> types.CallToolResult:
    """The texts, the object where answers are structured, the facts in `_meta`."""
    made = (WiderResult if result.extra else types.CallToolResult)(
        content=[types.TextContent(type="text", text=text) for text in (result.text, *result.more)],
        structured_content=result.data if structured else None,
        is_error=result.is_error,
        _meta=result.meta or None,
    )
    if isinstance(made, WiderResult):
        made._beside = dict(result.extra)
    return made
