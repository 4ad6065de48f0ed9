"""The refusal of an HTTP request: raised where a check fails, sent by the middleware."""

from __future__ import annotations

import json

from starlette.types import Send

from mcp_web import trace


class Refusal(Exception):
    """An HTTP error response that is sent instead of running the application."""

    def __init__(self, status: int, code: str, message: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers

    async def send(self, send: Send) -> None:
        """Send the refusal as a JSON response, and count it in the metrics."""
        trace.metrics.count("http_refused_total", code=self.code)
        body = json.dumps({"error": {"code": self.code, "message": str(self)}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
