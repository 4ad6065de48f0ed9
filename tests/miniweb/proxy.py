"""Forward proxies as companies and sandboxes run them: HTTP (CONNECT and whole URLs) and SOCKS5, with a log."""

from __future__ import annotations

import asyncio
import ipaddress
import struct
from contextlib import suppress
from urllib.parse import urlsplit

from mcp_web.net.address import parse_address, reason_not_public
from miniweb.server import Listener, Request, Wire
from miniweb.thread import loop_thread
from miniweb.web import MiniWeb


class Uplink:
    """Where a proxy leads: names are looked up here too, and what is private counts as reached."""

    def __init__(self, web: MiniWeb) -> None:
        self._web = web
        self.targets: list[str] = []  # as the client named them

    def port_for(self, host: str, port: int) -> int | None:
        """The loopback port behind a target; None when nothing is there."""
        address = parse_address(host)
        found = str(address) if address else next(iter(self._web.names.look_up(host)), "")
        site = self._web._by_address.get(found)
        if site is not None:
            # Starting a TLS listener from its own loop would wait for itself, so a test starts it beforehand.
            return site.port_for(port)
        judged = parse_address(found)
        if judged is not None and reason_not_public(judged):
            self._web.private.reached.append((found, port))
            return self._web.private.listener.port
        return None


class ForwardProxy(Uplink):
    """An HTTP proxy: tunnels by CONNECT, and plain requests that name the whole URL."""

    def __init__(self, web: MiniWeb, authorization: str | None = None) -> None:
        super().__init__(web)
        self._authorization = authorization
        self._listener = Listener(self._answer)
        loop_thread().run(self._listener.start())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.port}"

    def close(self) -> None:
        loop_thread().run(self._listener.stop())

    async def _answer(self, request: Request, wire: Wire) -> bool:
        self.targets.append(request.target)
        if self._authorization and request.headers.get("proxy-authorization") != self._authorization:
            await wire.send(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return False
        plain = request.method != "CONNECT"
        parts = urlsplit(request.target if plain else f"//{request.target}")
        port = self.port_for(parts.hostname or "", parts.port or 80) if parts.hostname else None
        if port is None:
            await wire.send(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return False
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        if plain:
            kept = {name: value for name, value in request.headers.items() if not name.startswith("proxy-")}
            lines = [f"{request.method} {parts.path or '/'} HTTP/1.1", *(f"{n}: {v}" for n, v in kept.items())]
            writer.write("\r\n".join([*lines, "connection: close", "", ""]).encode())
        else:
            await wire.send(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n")
        await _carry(wire.reader, wire.writer, reader, writer)
        return False


class SocksProxy(Uplink):
    """SOCKS5 with or without a login."""

    def __init__(self, web: MiniWeb, username: str = "", password: str = "") -> None:
        super().__init__(web)
        self._login = (username.encode(), password.encode())
        self._server = loop_thread().run(self._start())

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        return f"socks5://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        loop_thread().run(self._stop())

    async def _stop(self) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            if await self._greet(reader, writer):
                await self._lead(reader, writer)
        with suppress(OSError):
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, count = await reader.readexactly(2)
        method = 2 if self._login[0] else 0
        offered = await reader.readexactly(count)
        writer.write(bytes((5, method if method in offered else 255)))
        if method not in offered:
            return False
        if method == 2:
            _, size = await reader.readexactly(2)
            name = await reader.readexactly(size)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            writer.write(bytes((1, 0 if (name, password) == self._login else 1)))
            return (name, password) == self._login
        return True

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind = (await reader.readexactly(4))[3]
        size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        raw = await reader.readexactly(size)
        host = raw.decode() if kind == 3 else str(ipaddress.ip_address(raw))
        (port,) = struct.unpack(">H", await reader.readexactly(2))
        self.targets.append(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        onward = self.port_for(host, port)
        writer.write(bytes((5, 0 if onward else 4, 0, 1)) + bytes(6))
        if onward:
            await _carry(reader, writer, *await asyncio.open_connection("127.0.0.1", onward))


async def _carry(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: asyncio.StreamReader, onward: asyncio.StreamWriter
) -> None:
    outward = asyncio.create_task(_pump(reader, onward))
    await _pump(far, writer)
    outward.cancel()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()
