"""A forward proxy as a company runs one: CONNECT only, with a log of where it was sent."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from miniweb.server import Listener, Request, Wire
from miniweb.thread import loop_thread
from miniweb.web import MiniWeb


class ForwardProxy:
    def __init__(self, web: MiniWeb, authorization: str | None = None) -> None:
        self._web = web
        self._authorization = authorization
        self.targets: list[str] = []
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
        host, _, port = request.target.rpartition(":")
        site = self._web._by_address.get(host.strip("[]"))
        if request.method != "CONNECT" or site is None:
            await wire.send(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            return False
        # Starting the TLS listener from its own loop would wait for itself, so it is started beforehand.
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port_for(int(port)))
        await wire.send(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n")
        outward = asyncio.create_task(_pump(wire.reader, writer))
        await _pump(reader, wire.writer)
        outward.cancel()
        return False


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()
