"""Serves many clients over Streamable HTTP, with the web interface and the health checks."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from mcp_web import trace
from mcp_web.app import App
from mcp_web.contracts import sets as contracts
from mcp_web.errors import ConfigError
from mcp_web.server.access import WELL_KNOWN, AccessMiddleware, caller_in, tenant_of
from mcp_web.server.auth import StoredTokens, Verify, check_exposure, needs_token, uses_oauth, verify_configured
from mcp_web.server.build import build_server
from mcp_web.server.oauth import Introspection, JwtVerifier, check_joserfc
from mcp_web.server.options import ServerOptions
from mcp_web.server.scopes import HIERARCHY, scope_of
from mcp_web.services.audit_log import audit_log
from mcp_web.services.check_readiness import check_readiness
from mcp_web.services.embed_documents import LOOK_EVERY, embed_pending
from mcp_web.services.manage_tokens import add_first_token, has_tokens
from mcp_web.services.run_background import run_background
from mcp_web.settings import Settings
from mcp_web.telemetry.open import open_telemetry
from mcp_web.telemetry.options import TelemetryOptions
from mcp_web.tenant import Tenants
from mcp_web.web.connect import LOOPBACK
from mcp_web.web.metrics import prometheus
from mcp_web.web.routes import page_routes

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def parse_address(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`, `:PORT` or `PORT`; the default host is 127.0.0.1. Raises ConfigError."""
    host, _, port = text.rpartition(":")
    how = "Give HOST:PORT, such as 127.0.0.1:8765."
    try:
        number = int(port)
    except ValueError:
        raise ConfigError(f"The address {text!r} has no port.", suggestion=how) from None
    if not 0 <= number <= 65535:
        raise ConfigError(f"The address {text!r} has the port {number}; ports go from 0 to 65535.", suggestion=how)
    return host.strip("[]") or "127.0.0.1", number


def run(
    settings: Settings, host: str, port: int, on_listening: Callable[[str | None], None], names: Iterable[str] = ()
) -> None:
    """Serve until a signal comes; running calls are then finished, which takes at most their deadline.

    `names` are host names that requests may use besides localhost and the configured ones. `on_listening` is called
    with the first token if one was created, else with None. Raises ConfigError if the server cannot start.
    """
    options = settings.of(ServerOptions)
    check_joserfc(options)
    telemetry = open_telemetry(settings.of(TelemetryOptions))

    async def serve() -> None:
        import uvicorn
        from sse_starlette.sse import AppStatus

        from mcp_web.sandbox.pool import return_large_blocks
        from mcp_web.server.limits import DrainingServer, LimitedProtocol, limit_log

        # Otherwise a signal would end event streams at once, before running calls have sent their answers.
        AppStatus.enable_automatic_graceful_drain = False
        limit_log()
        return_large_blocks()
        async with App(settings) as app:
            stored = host.strip("[]") not in LOOPBACK and not needs_token(options) and await has_tokens(app)
            check_exposure(host, options, stored_tokens=stored)
            listener = _listen(host, port)
            on_listening(await add_first_token(app, ["admin"]) if options.team else None)
            tenants = Tenants(app)
            config = uvicorn.Config(
                http_app(app, port, tenants=tenants, names=names, stored_tokens=stored),
                http=LimitedProtocol,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=int(app.tools.deadline) + 2,
                lifespan="on",
            )
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run_background, app)
                tasks.start_soon(_background, tenants)
                await DrainingServer(config).serve([listener])
                tasks.cancel_scope.cancel()
            await tenants.close()
        if telemetry is not None:
            await telemetry.close()

    anyio.run(serve)


async def _background(tenants: Tenants) -> None:
    """Until cancelled, embed new documents and save the metrics of each recently served tenant, at intervals."""
    while True:
        for app in tenants.apps:
            await embed_pending(app)
        await tenants.save_metrics()
        await anyio.sleep(LOOK_EVERY)


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket; raises ConfigError with the reason if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        reason = "another program uses this port" if in_use else (error.strerror or str(error))
        raise ConfigError(
            f"The server cannot listen on {host}:{port}: {reason}.",
            suggestion="Stop that program, or choose another port: --http HOST:PORT, or make run ADDRESS=HOST:PORT."
            if in_use
            else None,
        ) from error


def http_app(
    app: App,
    port: int,
    server: Server[None] | None = None,
    *,
    tenants: Tenants | None = None,
    names: Iterable[str] = (),
    stored_tokens: bool = False,
) -> ASGIApp:
    """The ASGI application: MCP, metrics and the web interface behind authentication and limits; open health checks.

    `names` are host names that requests may use besides localhost and the configured ones; `stored_tokens`: tokens from
    the store are accepted although the options require none.
    """
    options = app.settings.of(ServerOptions)
    tenants = tenants or Tenants(app)
    routes = [
        Route("/healthz", _healthz),
        Route("/readyz", partial(_readyz, app)),
        Route("/metrics", _metrics),
        *_resource_metadata(options),
        *page_routes(lambda request: tenants.using(tenant_of(caller_in(request.scope)))),
    ]
    inner = (
        server or build_server(app, tenants=tenants, audit=audit_log(app) if options.team else None)
    ).streamable_http_app(
        stateless_http=True,
        # AccessMiddleware checks Host and Origin for every route, so the SDK need not do it for one.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes,
    )
    tools = contracts.with_plain_names(contracts.tools_offered(app.tools))
    return AccessMiddleware(
        inner,
        options,
        _verifiers(app, options, stored_tokens=stored_tokens),
        port,
        names=names,
        quota=app.process.quota,
        tools={name: scope_of(tool) for name, tool in tools.items()},
    )


def _verifiers(app: App, options: ServerOptions, *, stored_tokens: bool) -> list[Verify]:
    """The functions that verify tokens: the configured ones, the stored ones, then those of the OAuth issuer."""
    found: list[Verify] = []
    if options.auth_tokens:
        found.append(partial(verify_configured, options.auth_tokens))
    if options.team or stored_tokens or uses_oauth(options):
        found.append(StoredTokens(app).verify)
    if options.oauth_introspection_url:
        found.append(Introspection(options, app.process.api_client).verify)
    elif options.oauth_issuer:
        found.append(JwtVerifier(options, app.process.api_client).verify)
    return found


async def _healthz(request: Request) -> Response:
    """Always 200: the process runs."""
    return PlainTextResponse("ok\n")


async def _readyz(app: App, request: Request) -> Response:
    """200 if calls would succeed, else 503; the text says what is degraded."""
    found = await check_readiness(app)
    lines = [f"not ready: {found.problem}" if found.problem else "ready", *(f"note: {one}" for one in found.notes)]
    return PlainTextResponse("\n".join(lines) + "\n", 503 if found.problem else 200)


async def _metrics(request: Request) -> Response:
    """The metrics of this process as Prometheus text; a scraper adds up those of several processes."""
    return PlainTextResponse(prometheus(trace.metrics.totals()), media_type="text/plain; version=0.0.4")


def _resource_metadata(options: ServerOptions) -> list[Any]:
    """The routes of RFC 9728, where clients find the OAuth issuer of tokens for this server; none without an issuer.

    There is one resource, so every path below the well-known one describes it: the URL in the challenge works whatever
    part of its path a proxy strips.
    """
    if not (uses_oauth(options) and options.public_url and options.oauth_issuer):
        return []
    from mcp.server.auth.routes import create_protected_resource_routes
    from mcp.server.auth.settings import AuthSettings

    # An AnyHttpUrl alone would add a slash to an issuer without a path, and clients compare issuers letter by letter.
    urls = AuthSettings.model_validate({
        "issuer_url": options.oauth_issuer,
        "resource_server_url": options.public_url,
        "validate_token_resource": False,  # our verifiers check it
    })  # fmt: skip
    assert urls.resource_server_url is not None
    (made,) = create_protected_resource_routes(
        urls.resource_server_url,
        [urls.issuer_url],
        scopes_supported=list(HIERARCHY),
        resource_name="mcp-web",
    )
    paths = (WELL_KNOWN, WELL_KNOWN + "/{rest:path}")
    return [Route(path, made.endpoint, methods=["GET", "OPTIONS"]) for path in paths]
