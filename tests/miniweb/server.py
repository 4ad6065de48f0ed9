"""Real HTTP/1.1 over real sockets, written by hand so that a test can send any bytes it likes."""

from __future__ import annotations

import asyncio
import inspect
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]  # lower-case names
    body: bytes = b""
    tls: bool = False

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query)

    @property
    def host(self) -> str:
        return self.headers.get("host", "")


@dataclass(frozen=True)
class Reply:
    body: bytes | str = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def wire(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))} | self.headers
        if self.status in (204, 304):
            headers.pop("Content-Length")
            body = b""
        lines = [f"HTTP/1.1 {self.status} Reason", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1", "replace") + body


class Wire:
    """The bare connection, for behaviours that no well-meant reply can express."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def reset(self) -> None:
        """Hang up with a TCP reset instead of a farewell."""
        self.writer.transport.abort()


Answer = Reply | str | bytes
Handler = Callable[[Request], Answer | Awaitable[Answer]]
Behaviour = Callable[[Request, Wire], Awaitable[None]]


class Listener:
    """One listening socket on loopback; `answer` decides what each request gets."""

    def __init__(
        self, answer: Callable[[Request, Wire], Awaitable[bool]], context: ssl.SSLContext | None = None
    ) -> None:
        self._answer = answer
        self._context = context
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._context, backlog=512)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            wire = Wire(reader, writer)
            while True:
                request = await _request(reader, self._context is not None)
                if not await self._answer(request, wire):
                    break
        with suppress(Exception):
            writer.close()


async def _request(reader: asyncio.StreamReader, tls: bool) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, target, headers, body, tls)


async def reply_of(handler: Handler, request: Request) -> Reply:
    given = handler(request)
    answer = await given if inspect.isawaitable(given) else given
    return answer if isinstance(answer, Reply) else Reply(answer)
