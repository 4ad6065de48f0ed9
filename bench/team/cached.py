"""`python -m bench.team.cached [SECONDS [CALLERS]]`: a cached open beside an empty tool, over HTTP with a token.

One server has both tools; the callers, in a process of their own, ask for one and the other in turn. The limit: a
cached open has at least 0.7 × the throughput of the empty tool. With `postgres` the page is kept there, else in SQLite.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench.team.agent import HEADERS, is_ready
from bench.team.site import Site

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
ROUNDS = 6


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2])))
        return
    numbers = [float(one) for one in sys.argv[1:] if one.replace(".", "").isdigit()]
    seconds, callers = [*numbers, *(30.0, 32.0)[len(numbers) :]]
    with ExitStack() as stack:
        measure(stack, seconds, int(callers), postgres="postgres" in sys.argv)


def measure(stack: ExitStack, seconds: float, callers: int, *, postgres: bool) -> None:
    from ports import free_port

    folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    site = stack.enter_context(Site())
    port = free_port()
    env = os.environ | {
        "DATA_DIR": folder,
        "XDG_CONFIG_HOME": folder,
        "MCP_WEB_TEAM": "true",
        "MCP_WEB_ALLOW_PRIVATE": "127.0.0.1",
        "MCP_WEB_TENANT_LIMITS": "calls_per_minute=0",
        "MCP_WEB_DDGS_ENABLED": "false",
        "MCP_WEB_RENDER_ENABLED": "false",
    }
    if postgres:
        from store import postgres_server

        env["MCP_WEB_DATABASE_URL"] = stack.enter_context(postgres_server.running()).database()
    add = [sys.executable, "-m", "mcp_web", "token", "add", "bench"]
    token = subprocess.run(add, env=env, capture_output=True, text=True, check=True).stdout.strip()
    server = subprocess.Popen([sys.executable, "-m", "bench.team.cached", "serve", str(port)], env=env)
    stack.callback(server.wait, 30)
    stack.callback(server.terminate)
    while not is_ready(port):
        time.sleep(0.1)
    opened = _request(port, token, "web_open", {"url": f"{site.url}/page/7"})
    empty = _request(port, token, "empty", {})
    rates: dict[str, list[float]] = {"empty": [], "cached open": []}
    asyncio.run(_load(port, [opened], 1, callers))
    for _ in range(ROUNDS):
        for name, request in (("empty", empty), ("cached open", opened)):
            rates[name].append(asyncio.run(_load(port, [request], seconds / ROUNDS / 2, callers)))
    middle = {name: statistics.median(found) for name, found in rates.items()}
    for name, found in rates.items():
        print(f"{name}: {middle[name]:.0f} calls/s ({', '.join(f'{one:.0f}' for one in found)})")
    print(f"ratio {middle['cached open'] / middle['empty']:.2f} (limit 0.7), {callers} callers")


def _request(port: int, token: str, tool: str, arguments: dict[str, str]) -> bytes:
    params = {"name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    head = {**HEADERS, "host": f"127.0.0.1:{port}", "authorization": f"Bearer {token}", "content-length": len(body)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body


async def _load(port: int, requests: list[bytes], seconds: float, callers: int) -> float:
    """Calls a second."""
    ends = time.perf_counter() + seconds

    async def caller() -> int:
        done = 0
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < ends:
            writer.write(requests[done % len(requests)])
            await _answer(reader)
            done += 1
        writer.close()
        return done

    begun = time.perf_counter()
    total = sum(await asyncio.gather(*(caller() for _ in range(callers))))
    return total / (time.perf_counter() - begun)


async def _answer(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    if b"chunked" not in head.lower():
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        body = await reader.readexactly(size)
    else:
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readexactly(2)
    assert b'"isError":true' not in body, body


async def serve(port: int) -> None:
    """The product's own server, with one tool more that does nothing."""
    from mcp_web.app import App
    from mcp_web.contracts import sets as contracts
    from mcp_web.server.build import build_server
    from mcp_web.server.http import http_app
    from mcp_web.services.audit_log import audit_log
    from mcp_web.settings import load
    from mcp_web.tenant import Tenants
    from mcp_web.tools.call import Call
    from mcp_web.tools.tool import Answer, Tool
    from server.lab import running

    async def empty(call: Call, args: dict[str, object]) -> Answer:
        return Answer({}, "nothing", {})

    tool = Tool("empty", "Empty", "Does nothing.", params=(), run=empty, open_world=False, output={})
    async with App(load()) as app:
        tenants = Tenants(app)
        tools = {**contracts.tools_offered(app.tools), "empty": tool}
        built = build_server(app, tools, tenants=tenants, audit=audit_log(app))
        async with running(http_app(app, port, built, tenants=tenants), port):
            with ExitStack():
                await asyncio.Event().wait()


if __name__ == "__main__":
    main()
