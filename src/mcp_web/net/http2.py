"""One HTTP/2 connection over one TLS stream, by httpcore2 and h2; used for one request at a time, as in HTTP/1.1."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import contextmanager

import anyio
import h2.exceptions
import httpcore2
from anyio.abc import ByteStream

from mcp_web.net.connection import BROKEN, Headers, HttpConnection, HttpResponse, header_text

# Headers that HTTP/2 forbids in a request: the protocol itself manages connections.
_NOT_SENT = frozenset({"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"})


class _Stream(httpcore2.AsyncNetworkStream):
    """Lets httpcore2 use a stream that we opened. It ignores `timeout`: the caller sets the deadlines."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except BROKEN as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            await self._stream.send(buffer)
        except BROKEN as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        await anyio.aclose_forcefully(self._stream)


class Http2Connection(HttpConnection):
    """An HTTP/2 connection."""

    def __init__(self, stream: ByteStream, host: str, port: int) -> None:
        super().__init__(stream, host)
        self._origin = httpcore2.Origin(b"https", host.encode("ascii"), port)
        self._wire = httpcore2.AsyncHTTP2Connection(self._origin, _Stream(stream))
        self._body: AsyncIterator[bytes] | None = None

    async def request(self, method: str, target: str, headers: Headers, body: bytes = b"") -> HttpResponse:
        origin = self._origin
        url = httpcore2.URL(scheme=origin.scheme, host=origin.host, port=origin.port, target=target.encode("ascii"))
        pairs = [(name.encode(), value.encode()) for name, value in headers if name.lower() not in _NOT_SENT]
        with self._translate_errors():
            request = httpcore2.Request(method.encode(), url, headers=pairs, content=body)
            response = await self._wire.handle_async_request(request)
        assert isinstance(response.stream, AsyncIterable)
        self._body = aiter(response.stream)
        fields = tuple((name.decode("latin-1").lower(), header_text(value)) for name, value in response.headers)
        return HttpResponse(response.status, fields)

    async def chunk(self) -> bytes | None:
        if self._body is None:
            return None
        with self._translate_errors():
            piece = await anext(self._body, None)
        if piece is None:
            self._body = None
        return piece

    def reusable(self) -> bool:
        return self._body is None and self._wire.is_available() and not self._wire.has_expired()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Context manager: raise errors of the libraries as FetchFailed: connection lost, body cut off, or invalid."""
        in_body = self._body is not None
        try:
            yield
        except (httpcore2.ReadError, httpcore2.WriteError, httpcore2.ConnectionNotAvailable) as error:
            raise (self._cut() if in_body else self._lost()) from error
        except (httpcore2.ProtocolError, h2.exceptions.H2Error, ValueError) as error:
            if in_body and isinstance(error, httpcore2.RemoteProtocolError):
                raise self._cut() from error
            if "disconnected" in str(error) or "ConnectionTerminated" in str(error):
                raise self._lost() from error
            raise self._invalid("HTTP/2 response") from error
