"""Serves one client over stdin and stdout until it closes them."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_web.server.handshake import instructions_for
from mcp_web.server.wire import Wire
from mcp_web.tools.options import ToolOptions

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.settings import Settings

_STOPPED = "The server was told to stop before this call was finished; start it again and repeat the call."


def run(settings: Settings) -> None:
    """Answer the first request at once, then load the rest and serve."""
    tools = settings.of(ToolOptions)
    # Until the server waits for signals itself no call is running, so there is nothing to finish.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    # Before the heavy imports: the handshake comes first.
    wire = Wire(instructions_for(tools.profile, tools.contract), partial(_tools, settings))
    import anyio

    from mcp_web.app import App
    from mcp_web.server.build import build_server

    async def serve() -> int:
        async with App(settings) as app:
            return await _serve(wire, build_server(app), app)

    try:
        ended_by = anyio.run(serve)
    finally:
        wire.close()
    if ended_by == signal.SIGINT:
        raise SystemExit(130)


def _tools(settings: Settings) -> list[dict[str, Any]]:
    """The tools of these settings, made while the SDK is still being imported."""
    from mcp_web.app import App
    from mcp_web.contracts.sets import tools_offered
    from mcp_web.server.listing import listed_tools

    return listed_tools(App(settings), tools_offered(settings.of(ToolOptions)))


async def _serve(wire: Wire, server: _Server, app: App) -> int:
    """Serve until the input ends or a signal comes; the number of the signal, or 0."""
    import anyio
    from anyio.lowlevel import current_token
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

    from mcp_web.services.embed_documents import embed_in_background

    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    running = _Running()

    def take(line: bytes | None) -> None:
        """In the loop: parse one line; what is no message is answered as such."""
        if line is None:
            to_server.close()
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            if isinstance(message, JSONRPCRequest):
                running.begin(message.id)
            to_server.send_nowait(SessionMessage(message))
        except ValueError:
            wire.send(_not_a_message(line))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the server is closing

    loop = current_token().native_token  # the event loop: anyio has no thread-safe fire-and-forget of its own

    async def write() -> None:
        async for item in from_server:
            message = item.message
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                running.end(message.id)
            if isinstance(message, JSONRPCResponse) and message.id in wire.answered:
                wire.answered.discard(message.id)  # the client has its answer already
                continue
            wire.send(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def stop_on_signal() -> None:
        """On SIGTERM running calls finish, which takes at most their deadline; SIGINT ends them at once."""
        running.ended_by = await _signal()
        wire.hand_over(lambda line: wire.send(_refused(line)) if line else None)
        if running.ended_by == signal.SIGTERM:
            with anyio.move_on_after(app.tools.deadline + 1):
                await running.wait()
        for identity in running.ids:
            wire.send(_error(identity, -32000, _STOPPED))
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        tasks.start_soon(stop_on_signal)
        tasks.start_soon(embed_in_background, app)
        wire.hand_over(lambda line: loop.call_soon_threadsafe(take, line))  # type: ignore[attr-defined]  # asyncio loop
        await server.run(from_client, to_client, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    return running.ended_by


class _Running:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        import anyio

        self.ids: set[Any] = set()
        self.ended_by = 0
        self._changed = anyio.Event()

    def begin(self, identity: Any) -> None:
        self.ids.add(identity)

    def end(self, identity: Any) -> None:
        self.ids.discard(identity)
        self._changed.set()

    async def wait(self) -> None:
        import anyio

        while self.ids:
            self._changed = anyio.Event()
            await self._changed.wait()


async def _signal() -> int:
    """Wait for a signal that ends the process."""
    import anyio

    try:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                return number
    except NotImplementedError:  # Windows: its event loop cannot wait for signals
        await anyio.sleep_forever()
    return 0


def _not_a_message(line: bytes) -> bytes:
    """The JSON-RPC answer to a line that is no request: parse error, or a batch, which MCP no longer has."""
    try:
        parsed = json.loads(line)
    except ValueError:
        return _error(None, -32700, "Parse error: the line is not JSON.")
    except RecursionError:
        return _error(None, -32700, "Parse error: the line is nested too deeply.")
    identity = parsed.get("id") if isinstance(parsed, dict) else None
    return _error(identity, -32600, "Invalid request: one JSON-RPC object of valid Unicode a line; no batches.")


def _refused(line: bytes) -> bytes:
    """The answer to a request that comes after the signal to stop; nothing for other messages."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    wanted = isinstance(parsed, dict) and "method" in parsed and parsed.get("id") is not None
    return _error(parsed["id"], -32000, _STOPPED) if wanted else b""


def _error(identity: Any, code: int, message: str) -> bytes:
    body = {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}
    return json.dumps(body).encode() + b"\n"


if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    _Server = Server[None]
