"""A tool's result as MCP sends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types

from mcp_web.tools.calling import Result

_BESIDE = "mcp-web/beside"


def on_the_wire(result: Result, *, structured: bool) -> types.CallToolResult:
    """The texts, the object where answers are structured, the facts in `_meta`."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text) for text in (result.text, *result.more)],
        structured_content=result.data if structured else None,
        is_error=result.is_error,
        _meta=(result.meta | ({_BESIDE: result.extra} if result.extra else {})) or None,
    )


async def lift_beside(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Put a contract's own fields beside `content`.

    The protocol lets a result have more fields than it names, but the SDK sends only those it knows; so they travel
    in `_meta` as far as here, the last place before the wire.
    """
    result = await call_next(ctx)
    if isinstance(result, dict) and _BESIDE in (meta := result.get("_meta") or {}):
        rest = {name: value for name, value in meta.items() if name != _BESIDE}
        bare = {name: value for name, value in result.items() if name != "_meta"}
        return bare | meta[_BESIDE] | ({"_meta": rest} if rest else {})
    return result
