"""HTTP/1.1 over one stream, by h11, with limits on what the server may send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import h11
from anyio.abc import ByteStream

from mcp_web.errors import FetchFailed
from mcp_web.model.page import last_header
from mcp_web.net.proxy import ForwardStream

MAX_HEAD_BYTES = 128 * 1024
_MAX_INTERIM = 8  # 1xx responses before the real one
_READ = 64 * 1024  # bytes received at once


class Disconnected(FetchFailed):
    """The server closed the connection before it responded; a request on a reused connection can be sent again."""


@dataclass(frozen=True, slots=True)
class Head:
    """The status and the headers of a response."""

    status: int
    headers: tuple[tuple[str, str], ...]  # lower-case names, in order

    def get(self, name: str) -> str:
        """All values of a header (lower-case name), joined by commas; empty if it is missing.

        For headers that must have one value, use `last`.
        """
        return ", ".join(value for key, value in self.headers if key == name)

    def last(self, name: str) -> str | None:
        """The last value of a header (lower-case name); None if it is missing."""
        return last_header(self.headers, name)


class Http1Connection:
    """An HTTP/1.1 connection for consecutive requests."""

    def __init__(self, stream: ByteStream, host: str, authority: str) -> None:
        self.stream = stream
        self._forward = stream.proxy if isinstance(stream, ForwardStream) else None
        self._authority = authority
        self._host = host
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)

    async def request(self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes = b"") -> Head:
        """Send a request and wait for the head of the response.

        Raises Disconnected if the server closed the connection before it responded, else FetchFailed.
        """
        wire = self._encode_request(method, target, headers)
        if body:
            wire += self._state.send(h11.Data(data=body)) or b""
        wire += self._state.send(h11.EndOfMessage()) or b""
        try:
            await self.stream.send(wire)
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise Disconnected(f"The connection to {self._host} was lost.", reason="broken") from error
        return await self._head()

    def _encode_request(self, method: str, target: str, headers: Sequence[tuple[str, str]]) -> bytes:
        """The head of a request; through a forward proxy with the whole URL. Raises FetchFailed if it is invalid."""
        pairs = [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers]
        if self._forward is not None:
            target = f"http://{self._authority}{target}"
            if self._forward.authorization:
                pairs.append((b"Proxy-Authorization", self._forward.authorization.encode("ascii")))
        try:
            return self._state.send(h11.Request(method=method, target=target, headers=pairs)) or b""
        except h11.LocalProtocolError as error:
            raise FetchFailed(
                f"The request to {self._host} could not be written: {error}.", reason="request", retryable=False
            ) from error

    async def _head(self) -> Head:
        """The head of the response, after interim ones."""
        for _ in range(_MAX_INTERIM + 1):
            event = await self._next()
            if isinstance(event, h11.Response):
                pairs = tuple((name.decode("ascii"), header_text(value)) for name, value in event.headers)
                return Head(event.status_code, pairs)
            if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
                break
        raise FetchFailed(f"{self._host} did not answer the request in HTTP.", reason="protocol")

    async def chunk(self) -> bytes | None:
        """The next raw piece of the body, None at its end; raises FetchFailed(reason="cut") when it ends early."""
        event = await self._next()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next event; receives data until there is one."""
        while True:
            try:
                event = self._state.next_event()
            except h11.RemoteProtocolError as error:
                raise self._protocol_error(error) from error
            if event is not h11.NEED_DATA:
                return event
            if self._state.their_state is h11.SEND_RESPONSE and self._state.trailing_data[1]:
                raise Disconnected(f"{self._host} closed the connection without a response.", reason="broken")
            self._state.receive_data(await self._read())

    async def _read(self) -> bytes:
        """The next bytes from the server; empty at the end of a connection whose response has begun."""
        try:
            return await self.stream.receive(_READ)
        except anyio.EndOfStream:
            if self._state.their_state is h11.SEND_RESPONSE and not self._state.trailing_data[0]:
                raise Disconnected(f"{self._host} closed the connection without a response.", reason="broken") from None
            return b""
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            if self._state.their_state is h11.SEND_BODY:
                raise FetchFailed(
                    f"{self._host} closed the connection in the middle of the body.", reason="cut"
                ) from error
            raise Disconnected(f"The connection to {self._host} was lost.", reason="broken") from error

    def _protocol_error(self, error: h11.RemoteProtocolError) -> FetchFailed:
        """The error for an invalid response: reason "cut" if its body ended early, else "protocol"."""
        if "without sending complete message body" in str(error) or "incomplete chunked read" in str(error):
            return FetchFailed(f"{self._host} closed the connection in the middle of the body.", reason="cut")
        # What follows the colon quotes the server's bytes, which must not get into an error message.
        what = str(error).partition(":")[0][:80]
        return FetchFailed(f"{self._host} sent an invalid HTTP response: {what}.", reason="protocol", retryable=False)

    def reusable(self) -> bool:
        """Whether another request may follow, once the response was read to its end; prepares for that request."""
        if self._state.our_state is h11.DONE and self._state.their_state is h11.DONE:
            if self._state.trailing_data[0]:
                return False  # more bytes than announced, which must not be taken for the response to the next request
            self._state.start_next_cycle()
            return True
        return False

    async def close(self) -> None:
        await anyio.aclose_forcefully(self.stream)


def header_text(value: bytes) -> str:
    """A header value as text: UTF-8, or Latin-1 if it is not valid UTF-8."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
