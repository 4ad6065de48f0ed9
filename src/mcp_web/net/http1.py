"""HTTP/1.1 over one stream, by h11, with limits on what the server may send."""

from __future__ import annotations

import anyio
import h11
from anyio.abc import ByteStream

from mcp_web.errors import FetchFailed
from mcp_web.net.connection import BROKEN, Disconnected, Headers, HttpConnection, HttpResponse, header_text
from mcp_web.net.proxy import ForwardStream

MAX_HEAD_BYTES = 128 * 1024
_MAX_INTERIM = 8  # 1xx responses before the real one
_READ = 64 * 1024  # bytes received at once


class Http1Connection(HttpConnection):
    """An HTTP/1.1 connection; through a forward proxy its requests name the whole URL."""

    def __init__(self, stream: ByteStream, host: str, authority: str) -> None:
        super().__init__(stream, host)
        self._forward = stream.proxy if isinstance(stream, ForwardStream) else None
        self._authority = authority
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)

    async def request(self, method: str, target: str, headers: Headers, body: bytes = b"") -> HttpResponse:
        pairs = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]
        if self._forward is not None:
            target = f"http://{self._authority}{target}"
            if self._forward.authorization:
                pairs.append((b"Proxy-Authorization", self._forward.authorization.encode("ascii")))
        try:
            wire = self._state.send(h11.Request(method=method, target=target, headers=pairs)) or b""
        except h11.LocalProtocolError as error:
            message = f"The request to {self._host} could not be written: {error}."
            raise FetchFailed(message, reason="request", retryable=False) from error
        if body:
            wire += self._state.send(h11.Data(data=body)) or b""
        wire += self._state.send(h11.EndOfMessage()) or b""
        try:
            await self.stream.send(wire)
        except BROKEN as error:
            raise self._lost() from error
        return await self._head()

    async def _head(self) -> HttpResponse:
        """Receive the head of the response, after at most eight interim ones (status 1xx). Raises FetchFailed."""
        for _ in range(_MAX_INTERIM + 1):
            event = await self._next()
            if isinstance(event, h11.Response):
                pairs = tuple((name.decode("ascii"), header_text(value)) for name, value in event.headers)
                return HttpResponse(event.status_code, pairs)
            if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                break
        raise FetchFailed(f"{self._host} did not answer the request in HTTP.", reason="protocol")

    async def chunk(self) -> bytes | None:
        event = await self._next()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next h11 event of the response, receiving data until there is one; raises FetchFailed."""
        while True:
            try:
                event = self._state.next_event()
            except h11.RemoteProtocolError as error:
                why = str(error)
                if "without sending complete message body" in why or "incomplete chunked read" in why:
                    raise self._cut() from error
                # What follows the colon quotes the server's bytes, which must not get into an error message.
                raise self._invalid(f"HTTP response: {why.partition(':')[0][:80]}") from error
            if event is not h11.NEED_DATA:
                return event
            if self._state.their_state is h11.SEND_RESPONSE and self._state.trailing_data[1]:
                raise self._no_response()
            self._state.receive_data(await self._read())

    async def _read(self) -> bytes:
        """The next bytes from the server; empty at their end. Raises FetchFailed; Disconnected before any byte came."""
        try:
            return await self.stream.receive(_READ)
        except anyio.EndOfStream:
            if self._state.their_state is h11.SEND_RESPONSE and not self._state.trailing_data[0]:
                raise self._no_response() from None
            return b""
        except BROKEN as error:
            raise (self._cut() if self._state.their_state is h11.SEND_BODY else self._lost()) from error

    def _no_response(self) -> Disconnected:
        return Disconnected(f"{self._host} closed the connection without a response.", reason="broken")

    def reusable(self) -> bool:
        # More bytes than announced must not be taken for the response to the next request.
        done = self._state.our_state is h11.DONE and self._state.their_state is h11.DONE
        if not done or self._state.trailing_data[0]:
            return False
        self._state.start_next_cycle()
        return True
