"""The protocol of the browser's proxy: read one request, then relay it as HTTP or tunnel its bytes.

h11 parses both sides, so only well-formed messages are sent on; the proxy's own headers never reach the origin.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import anyio
import h11
from anyio.abc import ByteStream

from mcp_web.net.connection import BROKEN
from mcp_web.net.proxy import ForwardStream

_MAX_HEAD = 64 * 1024  # bytes
_IDLE_SECONDS = 30.0
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade".split()
)
CLOSED = (*BROKEN, anyio.EndOfStream)

OnReceived = Callable[[int], None]  # is called with the size of what the upstream sent


class Refused(Exception):
    """A request of the browser is refused: `status` is that of the response, the message says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ProxyRequest:
    """One request of the browser to the proxy, and the ways to respond to it."""

    def __init__(self, wire: h11.Connection, event: h11.Request, stream: ByteStream, host: str, port: int) -> None:
        self.wire = wire
        self.event = event
        self.host = host
        self.port = port
        self.method = event.method.decode("ascii")
        self.target = event.target.decode("ascii")
        self._stream = stream

    @property
    def authorization(self) -> str:
        """The value of the Proxy-Authorization header; empty if it is missing."""
        values = [value for name, value in self.event.headers if name == b"proxy-authorization"]
        return values[-1].decode("latin-1") if values else ""

    async def challenge(self) -> None:
        """Respond with 407, which asks the browser for credentials."""
        await self._answer(407, [(b"proxy-authenticate", b'Basic realm="mcp-web"')], b"")

    async def accept(self) -> None:
        await self._answer(200, [(b"content-type", b"text/plain")], b"")

    async def refuse(self, status: int, why: str) -> None:
        await self._answer(status, [(b"content-type", b"text/plain")], f"Not opened: {why}.".encode())

    def reusable(self) -> bool:
        """Whether the request and its response are complete, so that another request may follow."""
        return self.wire.our_state is h11.DONE and self.wire.their_state is h11.DONE

    async def _answer(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        headers = [*headers, (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
        with suppress(*CLOSED):
            await self.send(h11.Response(status_code=status, headers=headers))
            await self.send(h11.Data(data=body))
            await self.send(h11.EndOfMessage())

    async def send(self, event: h11.Event) -> None:
        data = self.wire.send(event)
        if data:
            await self._stream.send(data)


async def read_request(stream: ByteStream) -> ProxyRequest | None:
    """Read the head of the next request to the proxy; None when the connection ends or what was sent is not valid.
    Raises TimeoutError after 30 seconds without data."""
    wire = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)
    try:
        event = await _next(wire, stream)
        if not isinstance(event, h11.Request):
            return None
        host, port = _target(event)
        if not any(name in (b"content-length", b"transfer-encoding") for name, _ in event.headers):
            await _next(wire, stream)  # the end of a request without a body, so that the connection can be reused
    except (h11.RemoteProtocolError, ValueError):
        return None
    return ProxyRequest(wire, event, stream, host, port)


def _target(event: h11.Request) -> tuple[str, int]:
    """The host and port to connect to; raises ValueError for a target that is neither host:port nor http://host…"""
    target = event.target.decode("ascii")
    if event.method == b"CONNECT":
        authority, default = target, 443
    elif target[:7].lower() == "http://":
        authority, default = target[7:].partition("/")[0].partition("?")[0], 80
    else:
        raise ValueError(target)
    if "@" in authority or "\\" in authority:
        raise ValueError(authority)
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, str(default)
    return host.strip("[]").lower(), int(port)


async def _next(wire: h11.Connection, stream: ByteStream, on_received: OnReceived | None = None) -> h11.Event:
    """The next part of a message (an h11 event) from `stream`; raises TimeoutError after 30 seconds without data.
    `on_received` is called with the sizes of what is received."""
    while True:
        event = wire.next_event()
        if event is h11.NEED_DATA:
            try:
                with anyio.fail_after(_IDLE_SECONDS):
                    data = await stream.receive()
            except anyio.EndOfStream:
                data = b""
            if on_received is not None:
                on_received(len(data))
            wire.receive_data(data)
            continue
        assert not isinstance(event, type)  # PAUSED comes only after a message's end
        return event


async def copy_both_ways(
    request: ProxyRequest, client: ByteStream, upstream: ByteStream, on_received: OnReceived
) -> None:
    """Accept a CONNECT request, and copy bytes between the browser (`client`) and the host (`upstream`) until one
    closes. `on_received` is called with the sizes of what the host sends."""
    await request.send(h11.Response(status_code=200, headers=[]))
    early = request.wire.trailing_data[0]
    if early:
        await upstream.send(early)

    async with anyio.create_task_group() as group:

        async def carry(source: ByteStream, sink: ByteStream, count: OnReceived | None) -> None:
            with suppress(*CLOSED):
                while True:
                    data = await source.receive()
                    if count is not None:
                        count(len(data))
                    await sink.send(data)
            group.cancel_scope.cancel()

        group.start_soon(carry, client, upstream, None)
        group.start_soon(carry, upstream, client, on_received)


async def relay(request: ProxyRequest, client: ByteStream, upstream: ByteStream, on_received: OnReceived) -> None:
    """Send one plain HTTP request to the host (`upstream`), and its response to the browser (`client`): 502 if none
    comes. `on_received` is called with the sizes of what the host sends."""
    origin = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
    begun = False
    try:
        await upstream.send(origin.send(_upstream_request(request, upstream)) or b"")
        while request.wire.their_state is h11.SEND_BODY:
            event = await _next(request.wire, client)
            if isinstance(event, h11.Data | h11.EndOfMessage):
                await upstream.send(origin.send(event) or b"")
        if origin.our_state is h11.SEND_BODY:
            await upstream.send(origin.send(h11.EndOfMessage()) or b"")
        while True:
            event = await _next(origin, upstream, on_received)
            if isinstance(event, h11.Response):
                kept = [pair for pair in event.headers.raw_items() if pair[0].lower() not in _HOP_BY_HOP]
                headers = [*kept, (b"connection", b"close")]
                await request.send(h11.Response(status_code=event.status_code, headers=headers, reason=event.reason))
                begun = True
            elif isinstance(event, h11.Data):
                await request.send(event)
            elif isinstance(event, h11.EndOfMessage):
                await request.send(h11.EndOfMessage())
                return
            elif isinstance(event, h11.ConnectionClosed):
                return
    except (h11.ProtocolError, TimeoutError, *CLOSED):
        if not begun:
            await request.refuse(502, "the server's answer could not be read")


def _upstream_request(request: ProxyRequest, upstream: ByteStream) -> h11.Request:
    """The request to send on, without headers for this proxy; to another proxy with the whole URL, else a path."""
    target = request.event.target[7:]
    authority, slash, rest = target.partition(b"/")
    if b"?" in authority:  # http://host?query
        authority, _, query = authority.partition(b"?")
        slash, rest = b"/", b"?" + query + slash + rest
    kept = [(name, value) for name, value in request.event.headers if name not in _HOP_BY_HOP and name != b"host"]
    headers = [(b"host", authority), *kept, (b"connection", b"close")]
    path = b"/" + rest
    if isinstance(upstream, ForwardStream):
        path = b"http://" + authority + path
        if upstream.proxy.authorization:
            headers.append((b"proxy-authorization", upstream.proxy.authorization.encode("ascii")))
    return h11.Request(method=request.event.method, target=path, headers=headers)
