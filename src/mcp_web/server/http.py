"""Serves many clients over Streamable HTTP, with the page for people and the probes beside it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.app import App
from mcp_web.errors import ConfigError
from mcp_web.server.auth import Gatekeeper, Introspect, check_exposure
from mcp_web.server.build import build_server
from mcp_web.server.door import Door
from mcp_web.server.options import ServerOptions

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


def run(settings: Settings, host: str, port: int) -> None:
    """Serve until a signal; requests under way get five seconds to finish."""
    options = settings.of(ServerOptions)
    check_exposure(host, options)

    async def serve() -> None:
        import uvicorn

        async with App(settings) as app:
            config = uvicorn.Config(
                http_app(app, port),
                host=host,
                port=port,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=5,
                lifespan="on",
            )
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(app.keep_house)
                await uvicorn.Server(config).serve()
                tasks.cancel_scope.cancel()

    anyio.run(serve)


def http_app(app: App, port: int, server: Server[None] | None = None) -> ASGIApp:
    """The ASGI application: MCP, probes, metrics, page, all behind the door."""
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
        # Our own door checks Host and Origin for every route, so the SDK need not do it for one.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes,
    )
    return Door(inner, options, Gatekeeper(options, _introspector(app, options)), port)


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
            facts = json.loads(answer.body) if answer.status == 200 else {}
        except ValueError:
            facts = {}
        return facts if isinstance(facts, dict) else {}

    return introspect
