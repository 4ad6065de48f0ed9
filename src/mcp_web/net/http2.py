"""One HTTP/2 connection over one TLS stream, by httpcore2 and h2; used for one request at a time, as in HTTP/1.1."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

import anyio
import h2.exceptions
import httpcore2
from anyio.abc import ByteStream

from mcp_web.errors import FetchFailed
from mcp_web.net.http1 import Disconnected, Head, header_text

# Headers that HTTP/2 forbids in a request: the protocol itself manages connections.
_NOT_SENT = frozenset({"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"})


class _Stream(httpcore2.AsyncNetworkStream):
    """Adapts our guarded stream to httpcore2. Deadlines are set by the caller."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            await self._stream.send(buffer)
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        await anyio.aclose_forcefully(self._stream)


class Http2Connection:
    """An HTTP/2 connection for consecutive requests; the same methods as `Http1Connection`."""

    def __init__(self, stream: ByteStream, host: str, port: int) -> None:
        self.stream = stream
        self._host = host
        self._port = port
        self._wire = httpcore2.AsyncHTTP2Connection(
            httpcore2.Origin(b"https", host.encode("ascii"), port), _Stream(stream)
        )
        self._response: httpcore2.Response | None = None
        self._body: AsyncIterator[bytes] | None = None

    async def request(self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes = b"") -> Head:
        """Send a request and wait for the head of the response; raises as `Http1Connection.request`."""
        url = httpcore2.URL(
            scheme=b"https", host=self._host.encode("ascii"), port=self._port, target=target.encode("ascii")
        )
        pairs = [(name.encode(), value.encode()) for name, value in headers if name.lower() not in _NOT_SENT]
        with self._translate_errors(Disconnected, "broken", f"The connection to {self._host} was lost."):
            request = httpcore2.Request(method.encode(), url, headers=pairs, content=body)
            self._response = await self._wire.handle_async_request(request)
        assert isinstance(self._response.stream, AsyncIterable)
        self._body = aiter(self._response.stream)
        fields = tuple((name.decode("latin-1").lower(), header_text(value)) for name, value in self._response.headers)
        return Head(self._response.status, fields)

    async def chunk(self) -> bytes | None:
        """The next raw piece of the body, None at its end; raises FetchFailed(reason="cut") when it ends early."""
        if self._body is None:
            return None
        with self._translate_errors(
            FetchFailed, "cut", f"{self._host} closed the connection in the middle of the body."
        ):
            piece = await anext(self._body, None)
        if piece is None:
            self._body = None
        return piece

    def reusable(self) -> bool:
        """Whether another request may follow; the response must have been read to its end."""
        return self._body is None and self._wire.is_available() and not self._wire.has_expired()

    async def close(self) -> None:
        await anyio.aclose_forcefully(self.stream)

    @contextmanager
    def _translate_errors(self, kind: type[FetchFailed], reason: str, message: str) -> Iterator[None]:
        """Raise errors of the libraries as FetchFailed: lost connections as `kind` with this reason and message."""
        try:
            yield
        except (httpcore2.ReadError, httpcore2.WriteError, httpcore2.ConnectionNotAvailable) as error:
            raise kind(message, reason=reason) from error
        except httpcore2.RemoteProtocolError as error:
            if reason == "cut" or "disconnected" in str(error) or "ConnectionTerminated" in str(error):
                raise kind(message, reason=reason) from error
            raise self._protocol_error() from error
        except (httpcore2.ProtocolError, h2.exceptions.H2Error, ValueError) as error:
            raise self._protocol_error() from error

    def _protocol_error(self) -> FetchFailed:
        return FetchFailed(f"{self._host} sent an invalid HTTP/2 response.", reason="protocol", retryable=False)
