"""The guarded client over real sockets, and the client for configured endpoints."""

from __future__ import annotations

import json
import socket

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import ByteStream, SocketAttribute

from mcp_web.errors import FetchFailed, FetchTimeout, SsrfBlocked
from mcp_web.net.client import ApiClient, Limits, WebClient
from mcp_web.net.dial import OperatorDialer
from mcp_web.text.urls import parse_url
from miniweb import MiniWeb, Reply, Request
from miniweb.server import Wire

pytestmark = pytest.mark.anyio


async def test_a_page_is_read_over_plain_http(miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/x", "hello", headers={"X-Kind": "test"})
    answer = await miniweb.client().get(parse_url("http://docs.example/x"))
    assert (answer.status, answer.body, answer.header("x-kind")) == (200, b"hello", "test")
    assert not answer.truncated


async def test_a_page_is_read_over_tls_with_the_host_as_server_name(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "secure")
    answer = await miniweb.client().get(parse_url("https://docs.example/x"))
    assert answer.body == b"secure"
    assert site.log[0].tls


async def test_a_certificate_of_another_host_is_refused(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    miniweb.names.answer("other.example", site.address)
    with pytest.raises(FetchFailed, match=r"certificate of other\.example cannot be trusted"):
        await miniweb.client().get(parse_url("https://other.example/"))
    assert site.log == []


async def test_an_unknown_authority_is_refused(miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/", "x")
    client = WebClient(miniweb.dialer(ca_bundle=None))
    with pytest.raises(FetchFailed, match="cannot be trusted"):
        await client.get(parse_url("https://docs.example/"))


async def test_requests_to_one_host_share_a_connection(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/a", "a")
    site.page("/b", "b")
    client = miniweb.client()
    for path in ("/a", "/b", "/a"):
        await client.get(parse_url(site.url(path)))
    assert site.connections == 1
    assert miniweb.names.lookups == ["docs.example"]


async def test_a_kept_connection_that_the_server_closed_is_replaced(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")

    async def once(request: Request, wire: object) -> None:
        await wire.send(Reply("bye").wire())  # type: ignore[attr-defined]

    site.behave("/", once)
    client = miniweb.client()
    for _ in range(3):
        assert (await client.get(parse_url("http://docs.example/"))).body == b"bye"
    assert site.connections == 3


async def test_a_closed_address_is_never_dialled(miniweb: MiniWeb) -> None:
    for host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "localhost"):
        with pytest.raises(SsrfBlocked):
            await miniweb.client().get(parse_url(f"http://{host}/"))
    assert miniweb.private.reached == []


async def test_silence_ends_at_the_deadline(miniweb: MiniWeb) -> None:
    import anyio

    from miniweb.nasty import NASTY

    site = miniweb.site("slow.example")
    site.behave("/", NASTY["never_answers"])
    with pytest.raises(FetchTimeout, match=r"slow\.example"):
        await miniweb.client().get(parse_url("http://slow.example/"), deadline=anyio.current_time() + 0.2)


async def test_an_api_endpoint_may_be_private_and_gets_its_key(miniweb: MiniWeb) -> None:
    site = miniweb.site("api.example")
    site.route("/v1/search", lambda request: Reply(json.dumps({"q": request.query, "key": request.headers["x-key"]})))
    api = ApiClient(OperatorDialer())
    answer = await api.request(
        "GET", site.loopback_url("/v1/search"), headers={"X-Key": "k"}, params={"q": "ü", "none": None, "safe": True}
    )
    assert answer.json() == {"q": {"q": ["ü"], "safe": ["true"]}, "key": "k"}
    await api.aclose()


async def test_an_api_answer_is_returned_whatever_its_status(miniweb: MiniWeb) -> None:
    site = miniweb.site("api.example")
    site.page("/", "slow down", status=429, headers={"Retry-After": "3"})
    answer = await ApiClient(OperatorDialer()).request("POST", site.loopback_url("/"), json={"a": [1]})
    assert (answer.status, answer.body, answer.header("Retry-After")) == (429, b"slow down", "3")
    assert site.log[0].body == b'{"a":[1]}'
    assert site.log[0].headers["content-type"] == "application/json"


async def test_an_api_redirect_is_not_followed(miniweb: MiniWeb) -> None:
    site = miniweb.site("api.example")
    site.redirect("/", "http://elsewhere.example/")
    answer = await ApiClient(OperatorDialer()).request("GET", site.loopback_url("/"))
    assert answer.status == 302
    assert len(site.log) == 1


async def test_an_api_answer_that_is_not_json_is_a_failure(miniweb: MiniWeb) -> None:
    site = miniweb.site("api.example")
    site.page("/", "<html>")
    answer = await ApiClient(OperatorDialer()).request("GET", site.loopback_url("/"))
    with pytest.raises(FetchFailed, match="not JSON"):
        answer.json()


async def test_a_form_is_sent_as_a_form(miniweb: MiniWeb) -> None:
    site = miniweb.site("api.example")
    site.route("/", lambda request: request.body)
    answer = await ApiClient(OperatorDialer()).request("POST", site.loopback_url("/"), data={"q": "a b", "x": None})
    assert answer.body == b"q=a+b"


async def test_an_endpoint_that_is_down_is_a_failure(miniweb: MiniWeb) -> None:
    with pytest.raises(FetchFailed, match="connection refused"):
        await ApiClient(OperatorDialer()).request("GET", "http://127.0.0.1:1/")


async def test_a_header_of_another_script_goes_out_as_it_came_in(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "x", headers={"ETag": '"日本"'.encode().decode("latin-1")})
    client = miniweb.client()
    etag = (await client.get(parse_url(site.url("/")))).header("etag")
    await client.get(parse_url(site.url("/")), headers=[("If-None-Match", etag or "")])
    assert site.log[1].headers["if-none-match"].encode("latin-1").decode() == '"日本"'


async def test_a_header_that_would_split_the_request_is_not_sent(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    with pytest.raises(FetchFailed, match="could not be written"):
        await miniweb.client().get(parse_url(site.url("/")), headers=[("X-A", "b\r\nX-Evil: 1")])
    assert site.log == []


def recording_client(miniweb: MiniWeb, opened: list[socket.socket]) -> WebClient:
    """A client that adds the socket of each connection that it opens to the list."""

    async def connect(address: str, port: int) -> ByteStream:
        stream = await miniweb.connect(address, port)
        opened.append(stream.extra(SocketAttribute.raw_socket))
        return stream

    return WebClient(miniweb.dialer(connect=connect))


async def test_requests_given_up_at_any_moment_leave_nothing_open(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "x" * 200_000)
    open_now: list[socket.socket] = []
    client = recording_client(miniweb, open_now)

    async def give_up(steps: int) -> None:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.get, parse_url(site.url("/", "https" if steps % 2 else "http")))
                for _ in range(steps):
                    await anyio.lowlevel.checkpoint()
                scope.cancel()

    for steps in range(0, 120, 3):
        await give_up(steps)
    assert (await client.get(parse_url(site.url("/")))).status == 200
    await client.aclose()
    await anyio.wait_all_tasks_blocked()
    assert [raw for raw in open_now if raw.fileno() >= 0] == []


async def test_expired_connections_are_closed_by_a_request_that_is_given_up(
    miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_web.net.pool.KEEP_SECONDS", 0.0)
    sites = [miniweb.site(f"{name}.example") for name in ("one", "two", "three")]
    opened: list[socket.socket] = []
    client = recording_client(miniweb, opened)
    async with anyio.create_task_group() as group:  # together, so that none expires before the last one is idle
        for site in sites:
            site.page("/", "x")
            group.start_soon(client.get, parse_url(site.url("/")))
    assert len(opened) == 3
    with anyio.CancelScope() as scope:
        scope.cancel()
        await client.get(parse_url(sites[0].url("/")))
    assert [raw for raw in opened if raw.fileno() >= 0] == []


async def test_a_large_body_that_stalls_gives_its_place_to_the_next(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"

    async def stall(request: Request, wire: Wire) -> None:
        await wire.send(head + b"x" * 60_000)
        while not wire.reader.at_eof():  # a drop now and then: never silent for long enough to be called so
            await wire.send(b"x")
            await wire.wait(0.05)

    async def whole(request: Request) -> Reply:
        return Reply(b"y" * 90_000)

    site.behave("/stalls", stall)
    site.route("/whole", whole)
    limits = Limits(large=50_000, large_at_once=1, large_rate=1_000, grace=0.3)
    client = WebClient(miniweb.dialer(), limits)
    outcomes: list[object] = []

    async def first() -> None:
        with pytest.raises(FetchTimeout, match="too slowly"):
            await client.get(parse_url("http://docs.example/stalls"))
        outcomes.append("stalled")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first)
        with anyio.fail_after(30):
            while client._large.value:  # until it has the one place
                await anyio.lowlevel.checkpoint()
        outcomes.append(len((await client.get(parse_url("http://docs.example/whole"))).body))
    assert outcomes == ["stalled", 90_000]
