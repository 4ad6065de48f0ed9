"""The HTTP server in this process on a loopback port, with the mini web behind it, and clients with tokens."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn

from application import application
from mcp_web.app import App
from mcp_web.server.http import http_app
from mcp_web.server.limits import LimitedProtocol
from mcp_web.services.manage_tokens import add_token
from mcp_web.settings import load
from mcp_web.tenant import Tenants
from miniweb import MiniWeb
from ports import free_port

OFFLINE = {"MCP_WEB_DDGS_ENABLED": "false", "MCP_WEB_RENDER_ENABLED": "false"}
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Lab:
    app: App
    tenants: Tenants
    url: str
    client: httpx2.AsyncClient

    async def token(self, name: str, *scopes: str, tenant: str | None = None, seconds: float | None = None) -> str:
        made = await add_token(self.app, name, tenant=tenant, scopes=scopes or ("tools",), seconds=seconds)
        return made[0]

    async def get(self, path: str, token: str = "", **headers: str) -> httpx2.Response:
        return await self.client.get(self.url + path, headers=_authorized(token) | _named(headers))

    async def post(self, body: object, token: str = "", **headers: str) -> httpx2.Response:
        sent = HEADERS | _authorized(token) | _named(headers)
        return await self.client.post(f"{self.url}/mcp", content=json.dumps(body), headers=sent)

    async def rpc(self, method: str, params: dict[str, Any] | None = None, token: str = "", **headers: str) -> Any:
        """The result of one request, or the error object."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        answer = await self.post(body, token, **headers)
        assert answer.status_code == 200, answer.text
        message = message_in(answer)
        return message.get("result", message.get("error"))

    async def call(self, name: str, token: str = "", **arguments: Any) -> Any:
        return await self.rpc("tools/call", {"name": name, "arguments": arguments}, token)

    async def text(self, name: str, token: str = "", **arguments: Any) -> str:
        result = await self.call(name, token, **arguments)
        return "\n".join(part.get("text", "") for part in result["content"])


def message_in(answer: httpx2.Response) -> dict[str, Any]:
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        text = next(line[6:] for line in reversed(text.splitlines()) if line.startswith("data: "))
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


@asynccontextmanager
async def running(asgi: Any, port: int) -> AsyncIterator[None]:
    """An ASGI application on a loopback port."""
    config = uvicorn.Config(asgi, host="127.0.0.1", port=port, log_level="critical", http=LimitedProtocol)
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[method-assign,attr-defined]
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server._serve, None)
            with anyio.fail_after(30):
                while not server.started:  # noqa: ASYNC110 — uvicorn has no event for it
                    await anyio.sleep(0.01)
            try:
                yield
            finally:
                server.should_exit = True
                server.force_exit = True
    finally:
        # `force_exit` leaves the application running: its task would be destroyed at any moment of a later test.
        with anyio.move_on_after(10, shield=True):
            await server.lifespan.shutdown()


@asynccontextmanager
async def lab(
    web: MiniWeb | None, folder: Path, *, port: int | None = None, names: Sequence[str] = (), **env: str
) -> AsyncIterator[Lab]:
    port = port or free_port()
    given = {"DATA_DIR": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "MCP_WEB_TEAM": "true", **OFFLINE}
    settings = load(environ=given | env)
    async with application(settings, web) as app:
        tenants = Tenants(app)
        async with (
            running(http_app(app, port, tenants=tenants, names=names), port),
            httpx2.AsyncClient(timeout=60, trust_env=False) as client,
        ):
            yield Lab(app, tenants, f"http://127.0.0.1:{port}", client)
        await tenants.close()


def _authorized(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
