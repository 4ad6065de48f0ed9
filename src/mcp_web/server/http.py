"""Serves many clients over Streamable HTTP, with the page for people and the probes beside it."""

from __future__ import annotations

import base64
import errno
import json
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.app import App
from mcp_web.errors import ConfigError, FetchFailed
from mcp_web.server.access import AccessMiddleware
from mcp_web.server.auth import Authenticator, Introspect, check_exposure
from mcp_web.server.build import build_server
from mcp_web.server.options import ServerOptions
from mcp_web.services.embed_documents import embed_in_background

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from mcp_web.settings import Settings


def parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `:PORT` or `PORT`."""
    host, _, port = text.rpartition(":")
    how = "Give HOST:PORT, such as 127.0.0.1:8765."
    try:
        number = int(port)
    except ValueError:
        raise ConfigError(f"The address {text!r} has no port.", suggestion=how) from None
    if not 0 <= number <= 65535:
        raise ConfigError(f"The address {text!r} has the port {number}; ports go from 0 to 65535.", suggestion=how)
    return host.strip("[]") or "127.0.0.1", number


def run(settings: Settings, host: str, port: int, on_listening: Callable[[], None]) -> None:
    """Serve until a signal; running calls are finished, which takes at most their deadline."""
    options = settings.of(ServerOptions)
    check_exposure(host, options)
    listener = _listen(host, port)
    on_listening()

    async def serve() -> None:
        import uvicorn
        from sse_starlette.sse import AppStatus

        from mcp_web.sandbox.memory import return_large_blocks
        from mcp_web.server.limits import LimitedProtocol, limit_log

        # On a signal it would end event streams at once, with a call's answer still to come.
        AppStatus.enable_automatic_graceful_drain = False
        limit_log()
        return_large_blocks()
        async with App(settings) as app:
            config = uvicorn.Config(
                http_app(app, port),
                http=LimitedProtocol,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=int(app.tools.deadline) + 2,
                lifespan="on",
            )
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(app.run_background)
                tasks.start_soon(embed_in_background, app)
                await uvicorn.Server(config).serve([listener])
                tasks.cancel_scope.cancel()

    anyio.run(serve)


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket; an address that cannot be used is named with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        reason = "another program uses this port" if in_use else (error.strerror or str(error))
        raise ConfigError(
            f"The server cannot listen on {host}:{port}: {reason}.",
            suggestion="Stop that program, or choose another port with --http HOST:PORT." if in_use else None,
        ) from error


def http_app(app: App, port: int, server: Server[None] | None = None) -> ASGIApp:
    """The ASGI application: MCP, probes, metrics and the page, all behind authentication and limits."""
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.routing import Route

    from mcp_web.web.routes import page_routes

    options = app.settings.of(ServerOptions)
    routes = [
        Route("/healthz", _healthz),
        Route("/readyz", _readyz(app)),
        Route("/metrics", _metrics(app)),
        *_resource_metadata(options),
        *page_routes(app),
    ]
    inner = (server or build_server(app)).streamable_http_app(
        stateless_http=True,
        # AccessMiddleware checks Host and Origin for every route, so the SDK need not do it for one.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes,
    )
    from mcp_web.server.limits import BodyLimit

    return AccessMiddleware(BodyLimit(inner), options, Authenticator(options, _introspector(app, options)), port)


async def _healthz(request: Request) -> Response:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse("ok\n")


def _readyz(app: App) -> Any:
    async def readyz(request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        trouble = await app.trouble()
        return PlainTextResponse("ready\n" if not trouble else f"not ready: {trouble}\n", 200 if not trouble else 503)

    return readyz


def _metrics(app: App) -> Any:
    async def metrics(request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        from mcp_web.web.metrics import prometheus

        return PlainTextResponse(prometheus(app.figures()), media_type="text/plain; version=0.0.4")

    return metrics


def _resource_metadata(options: ServerOptions) -> list[Any]:
    """RFC 9728: where a client finds out who issues tokens for us."""
    if not (options.oauth_issuer and options.public_url):
        return []
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    facts = {
        "resource": options.public_url,
        "authorization_servers": [options.oauth_issuer],
        "scopes_supported": list(options.oauth_scopes),
        "bearer_methods_supported": ["header"],
    }

    async def metadata(request: Request) -> Response:
        return JSONResponse(facts)

    path = "/.well-known/oauth-protected-resource"
    return [Route(path, metadata), Route(path + "/mcp", metadata)]


def _introspector(app: App, options: ServerOptions) -> Introspect | None:
    """Asks the authorisation server about a token (RFC 7662)."""
    if not options.oauth_introspection_url:
        return None
    pair = f"{options.oauth_client_id}:{options.oauth_client_secret}".encode()
    headers = {"authorization": "Basic " + base64.b64encode(pair).decode(), "accept": "application/json"}

    async def introspect(token: str) -> dict[str, object]:
        answer = await app.api_client.request(
            "POST", options.oauth_introspection_url, headers=headers, data={"token": token}, timeout=10
        )
        try:
            facts = json.loads(answer.body) if answer.status == 200 else None
        except (ValueError, RecursionError):
            facts = None
        if not isinstance(facts, dict):
            raise FetchFailed(f"The introspection endpoint answered {answer.status} without a JSON object.")
        return facts

    return introspect
