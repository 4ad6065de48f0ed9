"""Limits on HTTP clients: time for headers and body, connections, bytes, lines in the log.

uvicorn has no timeout for a request that never ends. Without these limits a thousand half-open connections stayed
for good, a hundred unfinished bodies held 468 MB, and a full table of open files wrote 148 MB of log in 30 seconds.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import anyio
import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mcp_web import trace
from mcp_web.server.refusal import Refusal, refuse, replayed

if TYPE_CHECKING:
    import asyncio


HEADER_SECONDS = 10.0  # from the connection, or from the last answer on it, to the end of the headers
BODY_SECONDS = 30.0  # from the headers to the end of the body
MAX_BODY = 8 * 1024 * 1024  # bytes of one body: web_extract takes five million characters
MAX_HELD = 24 * 1024 * 1024  # bytes of all bodies together
MAX_HEADERS = 64 * 1024  # bytes of the headers, and of the size line of a chunk
# After so many chunks of one body, they must have so many bytes on average: a chunk of eight bytes costs as much
# processor time as one of thousands.
CHUNKS = 1000
CHUNK_BYTES = 64
LOG_LINES = 20  # of the HTTP library, per minute


def max_connections() -> int:
    """How many connections may be open: half of the files that the process may open, from 16 to 512.

    The other half is for fetching pages.
    """
    try:
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except ImportError:  # not on Windows
        files = 1024
    return 512 if files == -1 else max(16, min(512, files // 2))


class TinyChunks(Exception):
    """A body comes in very many chunks of a few bytes: a hundred such bodies kept the server busy for minutes."""


class LimitedConnection(h11.Connection):
    """An HTTP/1.1 parser that raises `TinyChunks` for a body of very many small chunks."""

    _chunks = _bytes = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > CHUNKS and self._bytes < self._chunks * CHUNK_BYTES:
                raise TinyChunks
        return event


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol for one connection, which is closed when its request does not arrive in time.

    When there are too many connections, the one that has waited longest for the rest of its request is closed.
    """

    _max_connections = max_connections()
    _timer: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = LimitedConnection(h11.SERVER, MAX_HEADERS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        self._open = _open_connections.setdefault(self.server_state, OpenConnections())
        if len(self._open.all) >= self._max_connections:
            trace.metrics.count("http_refused_total", code="CONNECTIONS")
            oldest = next(iter(self._open.waiting), None)
            if oldest is not None:
                oldest.drop()
            else:
                transport.abort()
        self._open.all.add(self)
        super().connection_made(transport)
        self._arm(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._open.all.discard(self)
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection and stop counting it at once, before the event loop reports it as lost."""
        self._disarm()
        self._open.all.discard(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._arm(BODY_SECONDS)
        if not self.is_waiting:
            self._disarm()

    def handle_events(self) -> None:
        try:
            super().handle_events()
        except TinyChunks:
            trace.metrics.count("http_refused_total", code="PIECES")
            self.drop()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._arm(HEADER_SECONDS)

    @property
    def is_waiting(self) -> bool:
        """Whether the rest of a request is still to come."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _arm(self, seconds: float) -> None:
        """Close the connection in this many seconds, unless the rest of the request arrives."""
        self._disarm()
        self._open.waiting[self] = None
        self._timer = self.loop.call_later(seconds, self._expire)

    def _disarm(self) -> None:
        """Stop the timer, because the whole request has arrived or the connection is closed."""
        self._open.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        """Close the connection if the rest of the request has still not arrived."""
        if self.is_waiting and not self.transport.is_closing():
            trace.metrics.count("http_refused_total", code="TIMEOUT")
            self.drop()


@dataclass(slots=True)
class OpenConnections:
    """The open connections of one server."""

    all: set[LimitedProtocol] = field(default_factory=set)
    # Those that wait for the rest of a request, the oldest first: a dict, so that finding it takes constant time.
    waiting: dict[LimitedProtocol, None] = field(default_factory=dict)


_open_connections: WeakKeyDictionary[ServerState, OpenConnections] = WeakKeyDictionary()


class BodyLimit:
    """ASGI middleware: reads the whole body before the application runs, with limits per body and for all."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._unfinished: dict[anyio.CancelScope, int] = {}  # bytes of each body that is being read

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        chunks: list[bytes] = []  # a growing buffer for each body would fragment the heap
        refused = await self._read(receive, chunks)
        body = b"".join(chunks) if refused is None else b""
        chunks.clear()
        if refused is not None:
            await refuse(send, refused)
            return
        whole: Message = {"type": "http.request", "body": body, "more_body": False}
        await self._app(scope, replayed(whole, receive), send)

    async def _read(self, receive: Receive, chunks: list[bytes]) -> Refusal | None:
        """Read the body into `chunks`; returns the refusal if it is too large, incomplete or aborted, else None."""
        size = 0
        with anyio.CancelScope() as reading:
            try:
                while True:
                    message = await receive()
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if message["type"] == "http.disconnect":
                        return _refused(400, "DISCONNECTED", "The connection was closed before the end of the body.")
                    if size > MAX_BODY:
                        return _refused(413, "TOO_LARGE", f"A request body may have {MAX_BODY:,} bytes.")
                    if not message.get("more_body", False):
                        return None
                    self._unfinished[reading] = size
                    self._make_room()
            finally:
                self._unfinished.pop(reading, None)
        return _refused(503, "BUSY", "Too many unfinished requests; try again.")

    def _make_room(self) -> None:
        """Abort the largest unfinished bodies until the others are within the limit.

        An aborted body is freed when its task runs next, but is no longer counted.
        """
        kept = sum(self._unfinished.values())
        while kept > MAX_HELD:
            largest = max(self._unfinished, key=lambda one: self._unfinished[one])
            kept -= self._unfinished.pop(largest)
            largest.cancel()


def _refused(status: int, code: str, message: str) -> Refusal:
    """A refusal that also closes the connection, because the rest of the body is not read."""
    return Refusal(status, code, message, [(b"connection", b"close")])


class LogRateLimit(logging.Filter):
    """A log filter that passes LOG_LINES lines a minute; the last of them says that more were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        minute = int(record.created // 60)
        if minute != self._minute:
            self._minute, self._lines = minute, 0
        self._lines += 1
        if self._lines == LOG_LINES:
            record.msg, record.args = "%s (further lines of this minute are left out)", (record.getMessage()[:500],)
            record.exc_info = None
        return self._lines <= LOG_LINES


def limit_log() -> None:
    """Limit the log lines of the HTTP server and the event loop."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(LogRateLimit())
