"""The outermost middleware of the HTTP server: Host, Origin, authentication, rate. Nothing else runs for a stranger."""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.server.auth import Authenticator
from mcp_web.server.options import ServerOptions

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# Probes of a balancer carry no token and learn nothing.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class AccessMiddleware:
    """ASGI middleware over every route."""

    def __init__(self, app: ASGIApp, options: ServerOptions, authenticator: Authenticator, port: int) -> None:
        self._app = app
        self._authenticator = authenticator
        self._options = options
        hosts = [*_LOCAL, *options.allowed_hosts]
        self._hosts = {host.lower() for host in hosts} | {f"{host}:{port}".lower() for host in hosts}
        self._origins = {f"http://{host}:{port}" for host in _LOCAL} | {o.rstrip("/") for o in options.allowed_origins}
        self._buckets: dict[str, tuple[float, float]] = {}  # caller → requests left, since when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # nothing here speaks it
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            # A header sent twice is both: neither an Origin nor a token can hide behind a second one.
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        refusal = await self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, code, message, extra = refusal
        trace.figures.count("http_refused_total", code=code)
        await _answer(send, status, {"error": {"code": code, "message": message}}, extra)

    async def _refusal(
        self, scope: Scope, headers: dict[str, str]
    ) -> tuple[int, str, str, list[tuple[bytes, bytes]]] | None:
        path = scope["path"]
        if headers.get("host", "").lower() not in self._hosts and path not in OPEN_PATHS:
            return 421, "BAD_HOST", "This server does not answer to that Host; see MCP_WEB_ALLOWED_HOSTS.", []
        origin = headers.get("origin")
        if origin is not None and origin.rstrip("/") not in self._origins:
            return 403, "BAD_ORIGIN", "This Origin may not call the server; see MCP_WEB_ALLOWED_ORIGINS.", []
        if path in OPEN_PATHS or path.startswith(_WELL_KNOWN):
            return None
        try:
            caller = await self._authenticator.caller_of(headers.get("authorization", ""))
        except WebError as error:
            # The authorization server cannot be asked: nobody is let in, and nobody is told that the token is wrong.
            trace.log("error", "introspection", error_code=error.code, message=error.message)
            return 503, "AUTH_UNAVAILABLE", "Tokens cannot be checked at the moment.", [(b"retry-after", b"10")]
        if caller is None:
            return 401, "UNAUTHORIZED", "A bearer token is needed.", self._challenge(path)
        wait = self._wait(caller.name)
        if wait > 0:
            retry = [(b"retry-after", str(math.ceil(wait)).encode())]
            return 429, "RATE_LIMITED", f"Too many requests; try again in {math.ceil(wait)} s.", retry
        if path == "/mcp" and scope["method"] not in ("POST", "OPTIONS"):
            # Every request is one POST: an idle GET stream would only hold a connection open.
            return 405, "METHOD_NOT_ALLOWED", "Send MCP messages with POST.", [(b"allow", b"POST")]
        return None

    def _challenge(self, path: str) -> list[tuple[bytes, bytes]]:
        bearer = "Bearer"
        if self._options.oauth_issuer and self._options.public_url:
            bearer += f' resource_metadata="{self._options.public_url.rstrip("/")}{_WELL_KNOWN}"'
        challenges = [(b"www-authenticate", bearer.encode())]
        if path != "/mcp":
            challenges.append((b"www-authenticate", b'Basic realm="mcp-web: any user, a token as password"'))
        return challenges

    def _wait(self, name: str) -> float:
        """Token bucket: seconds until this caller may ask again, 0 when now."""
        most = float(self._options.calls_per_minute)
        now = time.monotonic()
        level, since = self._buckets.get(name, (most, now))
        level = min(most, level + (now - since) * most / 60)
        allowed = level >= 1
        self._buckets[name] = (level - 1 if allowed else level, now)
        return 0.0 if allowed else (1 - level) * 60 / most


async def _answer(send: Send, status: int, body: object, extra: list[tuple[bytes, bytes]]) -> None:
    payload = json.dumps(body).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(payload)).encode()), *extra]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": payload})
