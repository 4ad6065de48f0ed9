"""Connections kept open between requests. Each stays connected to the address that was checked when it was opened."""

from __future__ import annotations

import select
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
from anyio.abc import SocketAttribute
from anyio.streams.tls import TLSAttribute

from mcp_web.net.connection import Disconnected, Headers, HttpConnection, HttpResponse
from mcp_web.net.dial import BaseDialer
from mcp_web.net.http1 import Http1Connection
from mcp_web.text.urls import Url

_Key = tuple[str, str, int]  # scheme, host and port
# Long enough to save handshakes within one call; idle sockets cost both sides.
KEEP_SECONDS = 15.0
_IDLE_PER_HOST = 6  # idle connections at most
_IDLE_TOTAL = 48


@dataclass(slots=True)
class Exchange:
    """A response whose head was received and whose body is still to be read."""

    head: HttpResponse  # without its body
    connection: HttpConnection
    connect_ms: float  # until a connection was open
    wait_ms: float  # from then until the head was received


class ConnectionPool:
    """Sends requests over connections that are reused. Idle ones are kept by scheme, host and port."""

    def __init__(self, dialer: BaseDialer) -> None:
        self._dialer = dialer
        self._idle: dict[_Key, list[tuple[HttpConnection, float]]] = {}

    @asynccontextmanager
    async def exchange(
        self, url: Url, *, method: str = "GET", headers: Headers = (), body: bytes = b"", connect_timeout: float = 10.0
    ) -> AsyncIterator[Exchange]:
        """Context manager: send a request over an idle or new connection; the block reads the body from the Exchange.

        A connection whose body was read to its end returns to the pool, any other is closed. Raises what
        `BaseDialer.open` and `HttpConnection.request` raise.
        """
        begun = anyio.current_time()
        key = (url.scheme, url.host, url.port)
        connection = await self._take(key)
        reused = connection is not None
        if connection is None:
            connection = await self._open(url, connect_timeout)
        try:
            opened = anyio.current_time()
            try:
                head = await connection.request(method, url.target, headers, body)
            except Disconnected:
                # A server may close an idle connection at any moment, also while our request is on its way. Our
                # requests only read, so sending one again is safe.
                if not reused:
                    raise
                await connection.close()
                connection = await self._open(url, connect_timeout)
                opened = anyio.current_time()
                head = await connection.request(method, url.target, headers, body)
            answered = anyio.current_time()
            yield Exchange(head, connection, (opened - begun) * 1000, (answered - opened) * 1000)
        except BaseException:
            await connection.close()
            raise
        await self._give_back(key, connection)

    async def _open(self, url: Url, timeout: float) -> HttpConnection:
        """A new connection: HTTP/2 if the server chose it in the TLS handshake, else HTTP/1.1."""
        secure = url.scheme == "https"
        stream = await self._dialer.open(url.host, url.port, tls=secure, timeout=timeout, forward=not secure)
        if secure and stream.extra(TLSAttribute.alpn_protocol, None) == "h2":
            from mcp_web.net.http2 import Http2Connection

            return Http2Connection(stream, url.host, url.port)
        return Http1Connection(stream, url.host, url.authority)

    async def _take(self, key: _Key) -> HttpConnection | None:
        """Take an idle connection that is still open out of the pool; None if there is none."""
        await self._expire()
        kept = self._idle.get(key, [])
        while kept:
            connection, _ = kept.pop()
            if not _hung_up(connection):
                return connection
            await connection.close()
        return None

    async def _give_back(self, key: _Key, connection: HttpConnection) -> None:
        """Keep a connection for the next request; close it if it cannot be reused or enough are kept."""
        kept = self._idle.setdefault(key, [])
        if connection.reusable() and len(kept) < _IDLE_PER_HOST and sum(map(len, self._idle.values())) < _IDLE_TOTAL:
            kept.append((connection, anyio.current_time() + KEEP_SECONDS))
        else:
            await connection.close()

    async def _expire(self) -> None:
        """Close the connections that have been idle for 15 seconds."""
        now = anyio.current_time()
        expired: list[HttpConnection] = []
        # Without an await and in place: other requests use the same lists.
        for key, kept in list(self._idle.items()):
            expired += [connection for connection, until in kept if until <= now]
            kept[:] = [item for item in kept if item[1] > now]
            if not kept:
                del self._idle[key]
        await _close(expired)

    async def aclose(self) -> None:
        idle = [connection for kept in self._idle.values() for connection, _ in kept]
        self._idle.clear()
        await _close(idle)


async def _close(connections: Sequence[HttpConnection]) -> None:
    # Shielded: if this request is cancelled, the connections after the first would stay open.
    with anyio.CancelScope(shield=True):
        for connection in connections:
            await connection.close()


def _hung_up(connection: HttpConnection) -> bool:
    """Whether an idle connection is unusable: it is readable, so the server closed it or sent stray bytes."""
    raw = connection.stream.extra(SocketAttribute.raw_socket, None)
    if raw is None or raw.fileno() < 0:
        return True
    if sys.platform == "win32":
        return bool(select.select([raw], [], [], 0)[0])
    watch = select.poll()
    watch.register(raw, select.POLLIN)
    return bool(watch.poll(0))
