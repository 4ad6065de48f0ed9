"""The outermost middleware of the HTTP server: checks Host, Origin, authentication, rate and scope."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_web import trace
from mcp_web.errors import QuotaExceeded, WebError
from mcp_web.limit.quota import Quota
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.server.auth import CLOCK_LEEWAY, Authenticator, Caller, uses_oauth
from mcp_web.server.options import ServerOptions
from mcp_web.server.refusal import Headers, Refusal, refuse
from mcp_web.server.scopes import allows, needed_for_path

# The health checks of a load balancer have no token; their responses reveal nothing.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
WELL_KNOWN = "/.well-known/oauth-protected-resource"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class AccessMiddleware:
    """ASGI middleware around all routes; stores the authenticated caller in the ASGI scope."""

    def __init__(
        self,
        app: ASGIApp,
        options: ServerOptions,
        authenticator: Authenticator,
        port: int,
        *,
        names: Iterable[str] = (),
        quota: Quota,
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._challenge = Challenge(options)
        self._quota = quota
        hosts = [*_LOCAL, *options.allowed_hosts, *names]
        self._hosts = {host.lower() for host in hosts} | {f"{host}:{port}".lower() for host in hosts}
        own = {f"http://{host}:{port}".lower() for host in (*_LOCAL, *names)}
        self._origins = own | {origin.rstrip("/").lower() for origin in options.allowed_origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # WebSockets are not served
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = joined_headers(scope)
        refusal = self._foreign(scope["path"], headers)
        if refusal is None and not _is_open(scope["path"]):
            refusal = await self._unauthorized(scope, headers) or await self._limited(scope)
        if refusal is not None:
            await refuse(send, refusal)
            return
        await self._app(scope, receive, send)

    def _foreign(self, path: str, headers: dict[str, str]) -> Refusal | None:
        """The refusal of a request with an unknown Host or Origin; None for others."""
        if headers.get("host", "").lower() not in self._hosts and path not in OPEN_PATHS:
            return Refusal(421, "BAD_HOST", "This server does not accept this Host; see MCP_WEB_ALLOWED_HOSTS.")
        origin = headers.get("origin")
        if origin is not None and origin.rstrip("/").lower() not in self._origins:
            return Refusal(403, "BAD_ORIGIN", "This Origin may not call the server; see MCP_WEB_ALLOWED_ORIGINS.")
        return None

    async def _unauthorized(self, scope: Scope, headers: dict[str, str]) -> Refusal | None:
        """Authenticate the caller and check the scope that the path needs; returns the refusal, or None."""
        if not self._authenticator.is_required:
            return None
        path = scope["path"]
        try:
            caller = await self._authenticator.caller_of(headers.get("authorization", ""))
        except WebError as error:
            # Tokens cannot be checked: no caller is admitted, but the token is not reported as wrong.
            trace.log("error", "authentication", error_code=error.code, message=error.message)
            retry = [(b"retry-after", b"10")]
            return Refusal(503, "AUTH_UNAVAILABLE", "Tokens cannot be checked at the moment.", retry)
        if caller is None or (caller.expires_at or math.inf) + CLOCK_LEEWAY < time.time():
            return Refusal(401, "UNAUTHORIZED", "A valid bearer token is needed.", self._challenge.unauthorized(path))
        needed = needed_for_path(scope["method"], path, scope["query_string"])
        if needed is not None and not allows(caller.scopes, needed):
            return self._challenge.insufficient(needed)
        sign_in(scope, caller)
        return None

    async def _limited(self, scope: Scope) -> Refusal | None:
        """Count the request against the tenant's rate limit; returns the refusal, or None."""
        caller = caller_in(scope)
        try:
            await self._quota.take_call(caller.tenant if caller else "anyone", is_call=scope["path"] == "/mcp")
        except QuotaExceeded as error:
            retry = [(b"retry-after", str(math.ceil(error.retry_after or 1)).encode())]
            return Refusal(429, "RATE_LIMITED", error.message, retry)
        if scope["path"] == "/mcp" and scope["method"] not in ("POST", "OPTIONS"):
            # Every request is one POST: an idle GET stream would only hold a connection open.
            return Refusal(405, "METHOD_NOT_ALLOWED", "Send MCP messages with POST.", [(b"allow", b"POST")])
        return None


class Challenge:
    """Builds WWW-Authenticate headers with the scope, which those of the SDK lack."""

    def __init__(self, options: ServerOptions) -> None:
        self._metadata = metadata_url(options) if uses_oauth(options) else ""

    def unauthorized(self, path: str) -> Headers:
        """The headers of a 401; a browser is also offered Basic authentication, the only one that it can do."""
        found = [(b"www-authenticate", self._bearer(scope="tools" if self._metadata else ""))]
        if path != "/mcp":
            found.append((b"www-authenticate", b'Basic realm="mcp-web: any user, a token as password"'))
        return found

    def insufficient(self, scope: str) -> Refusal:
        """The refusal of a token that lacks this scope."""
        message = f"The token lacks the scope {scope!r}."
        header = self._bearer(error="insufficient_scope", error_description=message, scope=scope)
        return Refusal(403, "INSUFFICIENT_SCOPE", message, [(b"www-authenticate", header)])

    def _bearer(self, **parts: str) -> bytes:
        """The value of a WWW-Authenticate header; parts without a value are left out."""
        parts |= {"resource_metadata": self._metadata}
        listed = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
        return f"Bearer {listed}".strip().encode()


def metadata_url(options: ServerOptions) -> str:
    """The URL of the resource metadata (RFC 9728), made from the configured public URL of the server."""
    from mcp.server.auth.routes import build_resource_metadata_url
    from pydantic import AnyHttpUrl

    return str(build_resource_metadata_url(AnyHttpUrl(options.public_url.rstrip("/"))))


def sign_in(scope: Scope, caller: Caller) -> None:
    """Store the caller in the ASGI scope, where the SDK and our handlers look for it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from starlette.authentication import AuthCredentials

    scope["user"] = AuthenticatedUser(caller)
    scope["auth"] = AuthCredentials(caller.scopes)


def caller_in(scope: Any) -> Caller | None:
    """The authenticated caller of a request; None where no token is needed."""
    token = getattr(scope.get("user"), "access_token", None)
    return token if isinstance(token, Caller) else None


def tenant_of(caller: Caller | None) -> str:
    """The name of the caller's tenant; the default one where no token is needed."""
    return caller.tenant if caller else DEFAULT_TENANT


def joined_headers(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name; the values of a repeated header are joined, so that none is missed."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _is_open(path: str) -> bool:
    """Whether the path needs no authentication."""
    return path in OPEN_PATHS or path == WELL_KNOWN or path.startswith(f"{WELL_KNOWN}/")
