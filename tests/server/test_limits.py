"""A request that never ends is closed: before the end of its headers, and before the end of its body."""

from __future__ import annotations

import anyio
import pytest
from starlette.types import Receive, Scope, Send

from mcp_web.server import limits
from ports import free_port

from .lab import running

pytestmark = pytest.mark.anyio

HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def _never_asked(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that reads its body to the end."""
    while scope["type"] == "http" and (await receive()).get("more_body"):
        pass


@pytest.mark.parametrize(
    ("limit", "sent"),
    [("HEADER_SECONDS", HEAD + b"X-Slow: "), ("BODY_SECONDS", HEAD + b"Content-Length: 100\r\n\r\nhalf of it")],
)
async def test_a_request_that_never_ends_is_closed(monkeypatch: pytest.MonkeyPatch, limit: str, sent: bytes) -> None:
    monkeypatch.setattr(limits, limit, 0.1)
    port = free_port()
    async with running(_never_asked, port), await anyio.connect_tcp("127.0.0.1", port) as wire:
        await wire.send(sent)
        with anyio.fail_after(60), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await wire.receive()
