"""Refusals of the middleware, and replaying the message that it has already read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from starlette.types import Message, Receive, Send

from mcp_web import trace

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error response that is sent instead of running the application."""

    status: int
    code: str
    message: str
    headers: Headers = field(default_factory=list)


async def refuse(send: Send, refusal: Refusal) -> None:
    """Send the refusal as a JSON response, and count it."""
    trace.metrics.count("http_refused_total", code=refusal.code)
    payload = json.dumps({"error": {"code": refusal.code, "message": refusal.message}}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(payload)).encode()), *refusal.headers]
    await send({"type": "http.response.start", "status": refusal.status, "headers": head})
    await send({"type": "http.response.body", "body": payload})


def replayed(first: Message, receive: Receive) -> Receive:
    """An ASGI `receive` that first returns a message that was already read, then those of the connection."""
    held = [first]

    async def next_message() -> Message:
        return held.pop() if held else await receive()

    return next_message
