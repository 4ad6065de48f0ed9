"""Serves one client over stdin and stdout until it closes them."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_web.server.hello import instructions_for
from mcp_web.server.wire import Wire
from mcp_web.tools.options import ToolOptions

if TYPE_CHECKING:
    from mcp_web.settings import Settings


def run(settings: Settings) -> None:
    """Answer the greeting at once, then bring up the rest and serve."""
    tools = settings.of(ToolOptions)
    # Before the heavy imports: the handshake comes first.
    wire = Wire(instructions_for(tools.profile, tools.contract), partial(_tools, settings))
    import anyio

    from mcp_web.app import App
    from mcp_web.server.build import build_server

    async def serve() -> None:
        async with App(settings) as app:
            await _serve(wire, build_server(app))

    try:
        anyio.run(serve)
    finally:
        wire.close()


def _tools(settings: Settings) -> list[dict[str, Any]]:
    """The tools of these settings, made while the SDK is still being imported."""
    from mcp_web.app import App
    from mcp_web.contracts.sets import tools_offered
    from mcp_web.server.listing import listed_tools

    return listed_tools(App(settings), tools_offered(settings.of(ToolOptions)))


async def _serve(wire: Wire, server: _Server) -> None:
    import anyio
    from anyio.lowlevel import current_token
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCResponse, jsonrpc_message_adapter

    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    def take(line: bytes | None) -> None:
        """In the loop: parse one line; what is no message is answered as such."""
        if line is None:
            to_server.close()
            return
        try:
            to_server.send_nowait(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
        except ValueError:
            wire.send(_not_a_message(line))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the server is closing

    loop = current_token().native_token  # the event loop: anyio has no thread-safe fire-and-forget of its own

    async def write() -> None:
        async for item in from_server:
            message = item.message
            if isinstance(message, JSONRPCResponse) and message.id in wire.answered:
                wire.answered.discard(message.id)  # the client has its answer already
                continue
            wire.send(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        wire.hand_over(lambda line: loop.call_soon_threadsafe(take, line))  # type: ignore[attr-defined]  # asyncio loop
        await server.run(from_client, to_client, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def _not_a_message(line: bytes) -> bytes:
    """The JSON-RPC answer to a line that is no request: parse error, or a batch, which MCP no longer has."""
    try:
        parsed = json.loads(line)
    except ValueError:
        code, text, identity = -32700, "Parse error: the line is not JSON.", None
    except RecursionError:
        code, text, identity = -32700, "Parse error: the line is nested too deeply.", None
    else:
        identity = parsed.get("id") if isinstance(parsed, dict) else None
        code, text = -32600, "Invalid request: one JSON-RPC object of valid Unicode a line; no batches."
    body = {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": text}}
    return json.dumps(body).encode() + b"\n"


if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    _Server = Server[None]
