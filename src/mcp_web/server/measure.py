"""The duration of every MCP request, by the semantic conventions of OpenTelemetry; no cost if not collected."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import MCPError
from mcp_types import METHOD_NOT_FOUND
from opentelemetry import metrics

# The histogram bounds of the conventions, in seconds.
_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_duration = metrics.get_meter("mcp-web").create_histogram(
    "mcp.server.operation.duration",
    unit="s",
    description="The duration of an MCP request as the server sees it.",
    explicit_bucket_boundaries_advisory=_BOUNDS,
)


async def measure(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """SDK middleware: records how long a request took. Unknown methods share a label: each would be a time series."""
    labels: dict[str, str] = {"mcp.method.name": ctx.method, "mcp.protocol.version": ctx.protocol_version}
    begun = time.perf_counter()
    try:
        result = await call_next(ctx)
    except Exception as error:
        labels["error.type"] = type(error).__name__
        if isinstance(error, MCPError) and error.error.code == METHOD_NOT_FOUND:
            labels["mcp.method.name"] = "_OTHER"
        raise
    else:
        if ctx.method == "tools/call":
            labels |= {"gen_ai.tool.name": ctx.params["name"], "gen_ai.operation.name": "execute_tool"}
        if getattr(result, "is_error", False) or (isinstance(result, dict) and result.get("isError")):
            labels["error.type"] = "tool_error"
        return result
    finally:
        _duration.record(time.perf_counter() - begun, labels)
