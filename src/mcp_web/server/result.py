"""A tool's answer as MCP sends it."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types

from mcp_web.tools.tool import Answer, Screenshot

_EXTRA = "mcp-web/extra"


def to_mcp(answer: Answer, *, structured: bool) -> types.CallToolResult:
    """The answer as the SDK's type: texts, screenshot, its object if `structured`; facts, extra fields in `_meta`."""
    texts = [types.TextContent(type="text", text=text) for text in (answer.text, *answer.more)]
    return types.CallToolResult(
        content=[*texts, *([_screenshot(answer.screenshot)] if answer.screenshot else [])],
        structured_content=answer.data if structured and answer.shape != "text" else None,
        is_error=answer.is_error,
        _meta=(answer.meta | ({_EXTRA: answer.extra} if answer.extra else {})) or None,
    )


def _screenshot(screenshot: Screenshot) -> types.ResourceLink | types.EmbeddedResource:
    """A link to the screenshot, or the image itself if it was requested: its bytes cost tokens."""
    if screenshot.png is None:
        return types.ResourceLink(
            type="resource_link", name="screenshot", uri=screenshot.uri, mime_type="image/png", size=screenshot.size
        )
    blob = base64.b64encode(screenshot.png).decode("ascii")
    inside = types.BlobResourceContents(uri=screenshot.uri, mime_type="image/png", blob=blob)
    return types.EmbeddedResource(type="resource", resource=inside)


async def add_extra_fields(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """SDK middleware: moves a contract's own fields from `_meta` to the result, beside `content`.

    The protocol lets a result have more fields than it names, but the SDK's type has only those it knows; so they are
    in `_meta` until this last step before serialisation.
    """
    result = await call_next(ctx)
    if isinstance(result, dict) and _EXTRA in (meta := result.get("_meta") or {}):
        rest = {name: value for name, value in meta.items() if name != _EXTRA}
        bare = {name: value for name, value in result.items() if name != "_meta"}
        return bare | meta[_EXTRA] | ({"_meta": rest} if rest else {})
    return result
