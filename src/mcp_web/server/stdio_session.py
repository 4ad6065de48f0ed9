"""One session over stdin and stdout: lines to the SDK's server, its messages back, until the input ends or a signal."""

from __future__ import annotations

import json
import signal
from contextlib import suppress
from typing import Any

import anyio
from anyio.lowlevel import current_token
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from mcp_web.app import App
from mcp_web.server.wire import Wire
from mcp_web.services.embed_documents import embed_in_background

_STOPPED = "The server was told to stop before this call was finished; start it again and repeat the call."


class StdioSession:
    """Passes messages between stdin, stdout and the SDK's server until the input ends or a signal comes."""

    def __init__(self, wire: Wire, server: Server[None], app: App, stops: list[int]) -> None:
        """`stops` are the signals that arrived before `run` waits for them."""
        self._stops = stops
        self._wire = wire
        self._server = server
        self._app = app
        self._running: set[Any] = set()  # the ids of requests without an answer
        self._ended = anyio.Event()  # set when a request ends; replaced by whoever waits for the next one
        self._ended_by = 0
        self._to_server, self._from_client = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
        self._to_client, self._from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def run(self) -> int:
        """Serve; returns the number of the signal that ended the session, or 0 at the end of the input."""
        loop = current_token().native_token  # the event loop: anyio has no thread-safe fire-and-forget of its own
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write)
            tasks.start_soon(embed_in_background, self._app)
            self._wire.hand_over(lambda line: loop.call_soon_threadsafe(self._take, line))  # type: ignore[attr-defined]  # asyncio loop
            # After the lines that arrived before: their calls finish before an early stop ends the session.
            tasks.start_soon(self._stop_on_signal, tasks.cancel_scope)
            options = self._server.create_initialization_options()
            await self._server.run(self._from_client, self._to_client, options)
            tasks.cancel_scope.cancel()
        return self._ended_by

    def _take(self, line: bytes | None) -> None:
        """Pass one line to the SDK's server (None: the input has ended); an invalid one is answered with an error."""
        if line is None:
            self._to_server.close()
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            if isinstance(message, JSONRPCRequest):
                self._running.add(message.id)
            elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
                self._end_request((message.params or {}).get("requestId"))  # the SDK never answers it
            self._to_server.send_nowait(SessionMessage(message))
        except ValueError:
            self._wire.send(_not_a_message(line))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the server is closing

    def _end_request(self, identity: Any) -> None:
        """Note that the request with this id needs no answer any more: it was answered or cancelled."""
        with suppress(TypeError):  # an id that is no string or number is not one of ours
            self._running.discard(identity)
        self._ended.set()

    async def _write(self) -> None:
        """Send the messages of the SDK's server to the client until it closes; not the answers that `Wire` sent."""
        async for item in self._from_server:
            message = item.message
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                self._end_request(message.id)
            if isinstance(message, JSONRPCResponse) and message.id in self._wire.answered:
                self._wire.answered.discard(message.id)  # the client has its answer already
                continue
            self._wire.send(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def _stop_on_signal(self, scope: anyio.CancelScope) -> None:
        """Wait for a signal, refuse new requests, and end the session: after SIGTERM when the running calls are done.

        That takes at most their deadline; calls that are not done, and all after SIGINT, are answered with an error.
        """
        wire = self._wire
        self._ended_by = await _signal(self._stops)
        wire.hand_over(lambda line: wire.send(_refused(line)) if line else None)
        if self._ended_by == signal.SIGTERM:
            with anyio.move_on_after(self._app.tools.deadline + 1):
                while self._running:
                    self._ended = anyio.Event()
                    await self._ended.wait()
        for identity in self._running:
            wire.send(_error(identity, -32000, _STOPPED))
        scope.cancel()


async def _signal(earlier: list[int]) -> int:
    """Wait for the signal that ends the process: the first of `earlier`, or the next. On Windows it never returns."""
    try:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            if earlier:
                return earlier[0]
            async for number in signals:
                return number
    except NotImplementedError:  # Windows: its event loop cannot wait for signals
        await anyio.sleep_forever()
    return 0


def _not_a_message(line: bytes) -> bytes:
    """The JSON-RPC error for an invalid line: parse error if it is not JSON, else invalid request, also for a batch."""
    try:
        parsed = json.loads(line)
    except ValueError:
        return _error(None, -32700, "Parse error: the line is not JSON.")
    except RecursionError:
        return _error(None, -32700, "Parse error: the line is nested too deeply.")
    identity = parsed.get("id") if isinstance(parsed, dict) else None
    return _error(identity, -32600, "Invalid request: one JSON-RPC object of valid Unicode a line; no batches.")


def _refused(line: bytes) -> bytes:
    """The error for a request that comes after the signal to stop, as a line; empty for a line that is no request."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return b""
    wanted = isinstance(parsed, dict) and "method" in parsed and parsed.get("id") is not None
    return _error(parsed["id"], -32000, _STOPPED) if wanted else b""


def _error(identity: Any, code: int, message: str) -> bytes:
    """A JSON-RPC error as a line; `identity` is the id of the request."""
    body = {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}
    return json.dumps(body).encode() + b"\n"
