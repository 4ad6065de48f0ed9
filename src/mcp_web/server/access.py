"""The middleware of the HTTP server: checks Host, Origin, authentication, rate, body and scope of each request."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_web import trace
from mcp_web.errors import QuotaExceeded, WebError
from mcp_web.limit.quota import Quota
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.server.auth import CLOCK_LEEWAY, Caller, Verify, token_in, uses_oauth
from mcp_web.server.options import ServerOptions
from mcp_web.server.refusal import Refusal
from mcp_web.server.request_body import BodyReader
from mcp_web.server.scopes import allows, needed_for_message, needed_for_path

# The health checks of a load balancer have no token; their responses reveal nothing.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
WELL_KNOWN = "/.well-known/oauth-protected-resource"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class AccessMiddleware:
    """ASGI middleware around all routes: checks host, origin, token, rate and scopes, and reads the body of a request.

    A request that fails a check is answered here. The authenticated caller is stored in the ASGI scope.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: ServerOptions,
        verifiers: Sequence[Verify],
        port: int,
        *,
        names: Iterable[str] = (),
        quota: Quota,
        tools: Mapping[str, str],
    ) -> None:
        """`names` are accepted hosts besides the configured ones; `tools` has the scope of each tool by name.

        Without `verifiers` (only on loopback) no token is needed.
        """
        self._app = app
        self._verifiers = verifiers
        self._quota = quota
        self._tools = tools
        self._bodies = BodyReader()
        self._metadata = metadata_url(options) if uses_oauth(options) else ""
        hosts = [*_LOCAL, *options.allowed_hosts, *names]
        self._hosts = {host.lower() for host in hosts} | {f"{host}:{port}".lower() for host in hosts}
        own = {f"http://{host}:{port}".lower() for host in (*_LOCAL, *names)}
        self._origins = own | {origin.rstrip("/").lower() for origin in options.allowed_origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # WebSockets are not served
            return
        if scope["type"] == "http":
            try:
                await self._check(scope)
                if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                    body = await self._bodies.read(receive)
                    self._check_messages(scope, body)
                    receive = _replayed({"type": "http.request", "body": body, "more_body": False}, receive)
            except Refusal as refusal:
                await refusal.send(send)
                return
        await self._app(scope, receive, send)

    async def _check(self, scope: Scope) -> None:
        """Check host, origin, token, rate and method, but not the body; raises Refusal. Health checks need no token."""
        headers, path = Headers(scope=scope), scope["path"]

        def sent(name: str) -> str:
            return ", ".join(headers.getlist(name))  # of a repeated header, no value is missed

        if sent("host").lower() not in self._hosts and path not in OPEN_PATHS:
            raise Refusal(421, "BAD_HOST", "This server does not accept this Host; see MCP_WEB_ALLOWED_HOSTS.")
        if "origin" in headers and sent("origin").rstrip("/").lower() not in self._origins:
            raise Refusal(403, "BAD_ORIGIN", "This Origin may not call the server; see MCP_WEB_ALLOWED_ORIGINS.")
        if path in OPEN_PATHS or path == WELL_KNOWN or path.startswith(f"{WELL_KNOWN}/"):
            return
        if self._verifiers:
            await self._authenticate(scope, sent("authorization"))
        await self._count(scope)
        if path == "/mcp" and scope["method"] not in ("POST", "OPTIONS"):
            # Every request is one POST: an idle GET stream would only hold a connection open.
            raise Refusal(405, "METHOD_NOT_ALLOWED", "Send MCP messages with POST.", (b"allow", b"POST"))

    async def _authenticate(self, scope: Scope, authorization: str) -> None:
        """Find the caller of the token, check the scope that the path needs, and store the caller in the ASGI scope.

        Raises Refusal: 401 for a wrong token, 403 without the scope, 503 when tokens cannot be checked.
        """
        path = scope["path"]
        try:
            caller = await self._caller_of(token_in(authorization))
        except WebError as error:
            # Tokens cannot be checked: no caller is admitted, but the token is not reported as wrong.
            trace.log("error", "authentication", error_code=error.code, message=error.message)
            retry = (b"retry-after", b"10")
            raise Refusal(503, "AUTH_UNAVAILABLE", "Tokens cannot be checked at the moment.", retry) from error
        if caller is None or (caller.expires_at or math.inf) + CLOCK_LEEWAY < time.time():
            challenges = [self._bearer(scope="tools" if self._metadata else "")]
            if path != "/mcp":  # the only authentication that a browser can do
                challenges.append((b"www-authenticate", b'Basic realm="mcp-web: any user, a token as password"'))
            raise Refusal(401, "UNAUTHORIZED", "A valid bearer token is needed.", *challenges)
        self._require(caller, needed_for_path(scope["method"], path, scope["query_string"]))
        sign_in(scope, caller)

    async def _caller_of(self, token: str) -> Caller | None:
        """The caller whose token it is, or None; raises WebError when tokens cannot be checked."""
        for verify in self._verifiers if token else ():
            if (caller := await verify(token)) is not None:
                return caller
        return None

    async def _count(self, scope: Scope) -> None:
        """Count the request against the tenant's rate limit; raises Refusal (429) beyond it."""
        caller = caller_in(scope)
        try:
            await self._quota.take_call(caller.tenant if caller else "anyone", is_call=scope["path"] == "/mcp")
        except QuotaExceeded as error:
            retry = (b"retry-after", str(math.ceil(error.retry_after or 1)).encode())
            raise Refusal(429, "RATE_LIMITED", error.message, retry) from error

    def _check_messages(self, scope: Scope, body: bytes) -> None:
        """Check the scopes that the JSON-RPC messages in a body need; raises Refusal (403) if one is missing.

        The handlers check again what they run (`server/build.py`): this check is there because the protocol requires
        HTTP 403.
        """
        caller = caller_in(scope)
        if scope["path"] != "/mcp" or caller is None or "tools" in caller.scopes:
            return
        try:
            sent = json.loads(body)
        except (ValueError, RecursionError):
            return  # the SDK reports the error
        for message in sent if isinstance(sent, list) else [sent]:
            self._require(caller, needed_for_message(message, self._tools))

    def _require(self, caller: Caller, needed: str | None) -> None:
        """Raise Refusal (403) if the caller's token lacks the scope `needed`; None needs no scope."""
        if not allows(caller.scopes, needed):
            message = f"The token lacks the scope {needed!r}."
            header = self._bearer(error="insufficient_scope", error_description=message, scope=str(needed))
            raise Refusal(403, "INSUFFICIENT_SCOPE", message, header)

    def _bearer(self, **parts: str) -> tuple[bytes, bytes]:
        """A WWW-Authenticate header with the non-empty parts and the metadata URL; that of the SDK has no scope."""
        parts |= {"resource_metadata": self._metadata}
        listed = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
        return b"www-authenticate", f"Bearer {listed}".strip().encode()


def _replayed(first: Message, receive: Receive) -> Receive:
    """An ASGI `receive` that first returns a message that was already read, then those of the connection."""
    held = [first]

    async def next_message() -> Message:
        return held.pop() if held else await receive()

    return next_message


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
    """The authenticated caller in the ASGI scope of a request; None where no token is needed."""
    token = getattr(scope.get("user"), "access_token", None)
    return token if isinstance(token, Caller) else None


def tenant_of(caller: Caller | None) -> str:
    """The name of the caller's tenant; the default one where no token is needed."""
    return caller.tenant if caller else DEFAULT_TENANT
