"""HTTP/2 where a server offers it: pages, kept connections, and servers that misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
import h2.config
import h2.connection
import h2.errors
import h2.events
import pytest
from anyio.abc import ByteStream

from mcp_web.errors import FetchFailed, FetchTimeout, FetchTooLarge, WebError
from mcp_web.net.client import Limits, WebClient
from mcp_web.net.dial import connect_literal
from mcp_web.text.urls import parse_url
from miniweb import MiniWeb
from miniweb.authority import authority

pytestmark = pytest.mark.anyio

URL = parse_url("https://two.example/x?y=1")
Answer = Callable[["Server", h2.connection.H2Connection, int], None]


@dataclass
class Server:
    """A server of one host that answers every request with `answer`, on HTTP/2 and nothing else."""

    answer: Answer
    requests: list[dict[str, str]] = field(default_factory=list)
    connections: int = 0
    hang_up: bool = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        wire = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        wire.initiate_connection()
        with suppress(OSError, asyncio.CancelledError):
            writer.write(wire.data_to_send())
            while data := await reader.read(65536):
                for event in wire.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        self.requests.append(dict(event.headers or ()))  # type: ignore[arg-type]  # decoded to text
                        self.answer(self, wire, event.stream_id or 0)
                writer.write(wire.data_to_send())
                await writer.drain()
                if self.hang_up:
                    break
        writer.close()


@asynccontextmanager
async def served(web: MiniWeb, answer: Answer, limits: Limits | None = None) -> AsyncIterator[tuple[Server, WebClient]]:
    server = Server(answer)
    context = authority().context("two.example")  # of no other test: it offers HTTP/2
    context.set_alpn_protocols(["h2"])
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=context)
    port = listening.sockets[0].getsockname()[1]
    web.names.answer("two.example", "93.184.1.1")

    async def connect(address: str, wanted: int) -> ByteStream:
        return await connect_literal("127.0.0.1", port)

    client = WebClient(web.dialer(connect=connect), limits)
    try:
        yield server, client
    finally:
        await client.aclose()
        listening.close()


def page(body: bytes, *more: tuple[str, str], status: str = "200") -> Answer:
    def answer(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
        wire.send_headers(stream, [(":status", status), ("content-type", "text/html"), *more])
        wire.send_data(stream, body, end_stream=True)

    return answer


async def test_a_page_comes_over_http2_and_the_connection_is_kept(miniweb: MiniWeb) -> None:
    async with served(miniweb, page(b"hello", ("etag", '"1"'))) as (server, client):
        for _ in range(3):
            response = await client.get(URL, headers=[("User-Agent", "test"), ("Connection", "keep-alive")])
            assert (response.status, response.body, response.header("etag")) == (200, b"hello", '"1"')
    assert server.connections == 1
    asked = server.requests[0]
    assert (asked[":authority"], asked[":path"], asked["user-agent"]) == ("two.example", "/x?y=1", "test")
    assert "host" not in asked
    assert "connection" not in asked


async def test_every_status_is_a_response(miniweb: MiniWeb) -> None:
    async with served(miniweb, page(b"gone", ("retry-after", "7"), status="404")) as (_, client):
        response = await client.get(URL)
    assert (response.status, response.header("retry-after")) == (404, "7")


async def test_a_site_without_http2_is_read_over_http1(miniweb: MiniWeb) -> None:
    site = miniweb.site("old.example")
    site.page("/", "hello")
    assert (await miniweb.client().get(parse_url("https://old.example/"))).body == b"hello"


def cut(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    wire.send_headers(stream, [(":status", "200"), ("content-type", "text/html"), ("content-length", "1000")])
    wire.send_data(stream, b"half")
    wire.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)


async def test_a_body_that_breaks_off_is_marked(miniweb: MiniWeb) -> None:
    async with served(miniweb, cut) as (_, client):
        response = await client.get(URL)
    assert (response.body, response.truncated) == (b"half", True)


def no_response(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    server.hang_up = True


def goes_away(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    wire.close_connection(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
    server.hang_up = True


def refuses(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    wire.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)


def many_headers(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    wire.send_headers(stream, [(":status", "200"), *((f"x-{number}", "v" * 1000) for number in range(200))])
    wire.send_data(stream, b"x", end_stream=True)


@pytest.mark.parametrize("answer", [no_response, goes_away, refuses, many_headers])
async def test_a_server_that_misbehaves_is_an_error_of_ours(miniweb: MiniWeb, answer: Answer) -> None:
    async with served(miniweb, answer) as (_, client):
        with pytest.raises(FetchFailed):
            await client.get(URL)


async def test_a_kept_connection_that_the_server_closed_is_opened_again(miniweb: MiniWeb) -> None:
    async with served(miniweb, page(b"hello")) as (server, client):
        await client.get(URL)
        server.hang_up = True
        await client.get(URL)
        server.hang_up = False
        assert (await client.get(URL)).body == b"hello"
    assert server.connections == 2


async def test_a_body_above_the_ceiling_is_refused(miniweb: MiniWeb) -> None:
    async with served(miniweb, page(b"x" * 16_000)) as (_, client):
        with pytest.raises(FetchTooLarge):
            await client.get(URL, max_bytes=10_000)


def silent(server: Server, wire: h2.connection.H2Connection, stream: int) -> None:
    wire.send_headers(stream, [(":status", "200"), ("content-type", "text/html")])


async def test_a_server_that_falls_silent_is_left(miniweb: MiniWeb) -> None:
    async with served(miniweb, silent, Limits(idle=0.2)) as (_, client):
        with pytest.raises(FetchTimeout):
            await client.get(URL)
        with pytest.raises(WebError):
            await client.get(URL, deadline=anyio.current_time() + 0.1)
