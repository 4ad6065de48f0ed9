"""What connections of HTTP/1.1 and HTTP/2 have in common: their methods, their errors and the response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import ByteStream

from mcp_web.errors import FetchFailed
from mcp_web.model.page import last_header
from mcp_web.text.json_fields import read_json

Headers = Sequence[tuple[str, str]]
# What reading and writing raise when the other side has closed the connection; reading, at its end, EndOfStream.
BROKEN = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError)


class Disconnected(FetchFailed):
    """The server closed the connection before it responded; a request on a reused connection can be sent again."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What a server returned for one request."""

    status: int
    headers: tuple[tuple[str, str], ...]  # lower-case names, in order
    body: bytes = b""  # decoded
    truncated: bool = False  # the body ended before its announced end
    timings: Mapping[str, float] = field(default_factory=dict)  # milliseconds

    def header(self, name: str) -> str | None:
        """The last value of a header, by its name in any case; None if it is missing."""
        return last_header(self.headers, name.lower())

    def all_values(self, name: str) -> str:
        """All values of a header (lower-case name), joined by commas; empty if it is missing."""
        return ", ".join(value for key, value in self.headers if key == name)

    def json(self) -> Any:
        """The body as JSON; raises FetchFailed when it is not JSON."""
        try:
            return read_json(self.body)
        except ValueError as error:
            raise FetchFailed(f"The endpoint answered {self.status} with something that is not JSON.") from error


class HttpConnection(ABC):
    """An HTTP connection over one stream, for requests one after the other."""

    def __init__(self, stream: ByteStream, host: str) -> None:
        self.stream = stream
        self._host = host

    @abstractmethod
    async def request(self, method: str, target: str, headers: Headers, body: bytes = b"") -> HttpResponse:
        """Send a request for `target` (path and query); returns the response without its body, which is still unread.

        Raises Disconnected if the server closed the connection before it responded, else FetchFailed.
        """

    @abstractmethod
    async def chunk(self) -> bytes | None:
        """The next piece of the body, not decoded; None at its end. Raises FetchFailed(reason="cut") if cut off."""

    @abstractmethod
    def reusable(self) -> bool:
        """Whether the response was read to its end and another request can be sent, which this then prepares."""

    async def close(self) -> None:
        await anyio.aclose_forcefully(self.stream)

    def _lost(self) -> Disconnected:
        return Disconnected(f"The connection to {self._host} was lost.", reason="broken")

    def _cut(self) -> FetchFailed:
        return FetchFailed(f"{self._host} closed the connection in the middle of the body.", reason="cut")

    def _invalid(self, what: str) -> FetchFailed:
        return FetchFailed(f"{self._host} sent an invalid {what}.", reason="protocol", retryable=False)


def header_text(value: bytes) -> str:
    """A header value as text: UTF-8, or Latin-1 if it is not valid UTF-8."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
