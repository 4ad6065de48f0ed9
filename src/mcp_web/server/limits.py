"""uvicorn with limits on connections, their time, small chunks and lines in the log, and with a graceful end.

uvicorn has no timeout for a request that never ends. Without these limits a thousand half-open connections stayed
for good, a hundred unfinished bodies held 468 MB, and a full table of open files wrote 148 MB of log in 30 seconds.
"""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mcp_web import trace

if TYPE_CHECKING:
    import asyncio
    from types import FrameType


HEADER_SECONDS = 10.0  # from the connection, or from the last answer on it, to the end of the headers
BODY_SECONDS = 30.0  # from the headers to the end of the body
MAX_HEADERS = 64 * 1024  # bytes of the headers, and of the size line of a chunk
# After so many chunks of one body, they must have so many bytes on average: a chunk of eight bytes costs as much
# processor time as one of thousands.
CHUNKS = 1000
CHUNK_BYTES = 64
LOG_LINES = 20  # of the HTTP library, per minute


def max_connections() -> int:
    """The most HTTP connections: half of the files that the process may open, 16 to 512; others are for fetching."""
    try:
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except ImportError:  # not on Windows
        files = 1024
    return 512 if files == -1 else max(16, min(512, files // 2))


class TinyChunks(Exception):
    """Raised for a body of very many chunks of a few bytes: a hundred such bodies kept the server busy for minutes."""


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
        self._waiting = _waiting_connections.setdefault(self.server_state, {})
        if len(self.connections) >= self._max_connections:
            trace.metrics.count("http_refused_total", code="CONNECTIONS")
            oldest = next(iter(self._waiting), None)
            if oldest is not None:
                oldest.drop()
            else:
                transport.abort()
        super().connection_made(transport)
        self._arm(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection and stop counting it at once, before the event loop reports it as lost."""
        self._disarm()
        self.connections.discard(self)
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
        """Whether the connection waits for the next request or for the rest of one."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _arm(self, seconds: float) -> None:
        """Start the timer that closes the connection in this many seconds, unless the rest of the request arrives."""
        self._disarm()
        self._waiting[self] = None
        self._timer = self.loop.call_later(seconds, self._expire)

    def _disarm(self) -> None:
        """Stop the timer, because the whole request has arrived or the connection is closed."""
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        """Close the connection if the rest of the request has still not arrived."""
        if self.is_waiting and not self.transport.is_closing():
            trace.metrics.count("http_refused_total", code="TIMEOUT")
            self.drop()


# The connections of each server that wait for the rest of a request, the oldest first: a dict, so that finding it
# takes constant time.
_waiting_connections: WeakKeyDictionary[ServerState, dict[LimitedProtocol, None]] = WeakKeyDictionary()


class DrainingServer(uvicorn.Server):
    """A uvicorn server that does not raise its signal again after shutdown, so that the app can still be closed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.force_exit or (self.should_exit and sig == signal.SIGINT)
        self.should_exit = True


class LogRateLimit(logging.Filter):
    """A log filter that passes LOG_LINES lines a minute; the last of them says that further ones are left out."""

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
    """Limit the log lines that the HTTP server and the event loop write in a minute (`LogRateLimit`)."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(LogRateLimit())
