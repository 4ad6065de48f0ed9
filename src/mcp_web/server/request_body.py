"""Reads the bodies of HTTP requests, with limits for each and for all together."""

from __future__ import annotations

import anyio
from starlette.types import Receive

from mcp_web.server.refusal import Refusal

MAX_BODY = 8 * 1024 * 1024  # bytes of one body: web_extract takes five million characters
MAX_HELD = 24 * 1024 * 1024  # bytes of all unfinished bodies together


class BodyReader:
    """Reads the bodies of requests whole, with limits for each and for all unfinished ones together."""

    def __init__(self) -> None:
        self._unfinished: dict[anyio.CancelScope, int] = {}  # bytes of each body that is being read

    async def read(self, receive: Receive) -> bytes:
        """The body of a request; raises Refusal if it is too large, incomplete, or aborted to make room for others."""
        chunks: list[bytes] = []  # a growing buffer for each body would fragment the heap
        size = 0
        with anyio.CancelScope() as reading:
            try:
                while True:
                    message = await receive()
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if message["type"] == "http.disconnect":
                        raise _refused(400, "DISCONNECTED", "The connection was closed before the end of the body.")
                    if size > MAX_BODY:
                        raise _refused(413, "TOO_LARGE", f"A request body may have {MAX_BODY:,} bytes.")
                    if not message.get("more_body", False):
                        return b"".join(chunks)
                    self._unfinished[reading] = size
                    self._make_room()
            finally:
                self._unfinished.pop(reading, None)
                chunks.clear()  # the traceback of a refusal would keep them until it is sent
        raise _refused(503, "BUSY", "Too many unfinished requests; try again.")

    def _make_room(self) -> None:
        """Abort the largest unfinished bodies until the others fit into MAX_HELD; freed when their tasks run next."""
        kept = sum(self._unfinished.values())
        while kept > MAX_HELD:
            largest = max(self._unfinished, key=lambda one: self._unfinished[one])
            kept -= self._unfinished.pop(largest)
            largest.cancel()


def _refused(status: int, code: str, message: str) -> Refusal:
    """A refusal that also closes the connection, because the rest of the body is not read."""
    return Refusal(status, code, message, (b"connection", b"close"))
