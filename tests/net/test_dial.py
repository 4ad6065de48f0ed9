"""Opening connections: which address, in which order, through which proxy, and never elsewhere."""

from __future__ import annotations

import base64
import socket
import struct
from collections.abc import Iterator

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute

from mcp_web.errors import ConfigError, FetchFailed, FetchTimeout, SsrfBlocked
from mcp_web.net.address import AddressPolicy, parse_exemptions
from mcp_web.net.client import WebClient
from mcp_web.net.dial import Dialer, OperatorDialer, connect_literal, system_resolve
from mcp_web.net.proxy import parse_proxies
from mcp_web.text.urls import parse_url
from miniweb import MiniWeb
from miniweb.proxy import ForwardProxy

pytestmark = pytest.mark.anyio


async def test_a_dead_address_is_passed_over_for_the_next(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "here")
    miniweb.names.answer("docs.example", "93.184.1.1", "2606:4700::1", site.address)
    assert (await miniweb.client().get(parse_url("http://docs.example/"))).body == b"here"


async def test_a_silent_address_does_not_hold_up_the_next(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "here")
    miniweb.names.answer("docs.example", "93.184.1.1", site.address)

    async def connect(address: str, port: int) -> ByteStream:
        if address == "93.184.1.1":
            await anyio.sleep_forever()
        return await miniweb.connect(address, port)

    with anyio.fail_after(30):
        client = WebClient(miniweb.dialer(connect=connect))
        assert (await client.get(parse_url("http://docs.example/"))).body == b"here"


async def test_at_most_four_addresses_are_tried_and_families_take_turns(miniweb: MiniWeb) -> None:
    tried: list[str] = []

    async def refuse(address: str, port: int) -> ByteStream:
        tried.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    miniweb.names.answer("many.example", *(f"93.184.1.{n}" for n in range(1, 9)), "2606:4700::1", "2606:4700::2")
    with pytest.raises(FetchFailed, match="connection refused"):
        await miniweb.dialer(connect=refuse).open("many.example", 80)
    assert tried == ["93.184.1.1", "2606:4700::1", "93.184.1.2", "2606:4700::2"]


async def test_every_answer_is_judged_also_those_that_would_not_be_tried(miniweb: MiniWeb) -> None:
    miniweb.names.answer("many.example", *(f"93.184.1.{n}" for n in range(1, 9)), "10.0.0.1")
    with pytest.raises(SsrfBlocked):
        await miniweb.dialer().open("many.example", 80)


async def test_connecting_has_its_own_deadline(miniweb: MiniWeb) -> None:
    async def silent(address: str, port: int) -> ByteStream:
        await anyio.sleep_forever()
        raise AssertionError

    miniweb.names.answer("slow.example", "93.184.1.1")
    with pytest.raises(FetchTimeout, match=r"slow\.example"):
        await miniweb.dialer(connect=silent).open("slow.example", 80, timeout=0.1)


async def test_a_slow_name_server_is_not_waited_for_for_ever(miniweb: MiniWeb) -> None:
    async def silent(host: str, port: int) -> list[str]:
        await anyio.sleep_forever()
        return []

    with pytest.raises(FetchTimeout):
        await miniweb.dialer(resolve=silent).open("slow.example", 80, timeout=0.1)


async def test_the_peer_is_the_address_that_was_asked_for(miniweb: MiniWeb) -> None:
    stream = await connect_literal("127.0.0.1", miniweb.private.listener.port)
    assert stream.extra(SocketAttribute.remote_address)[0] == "127.0.0.1"
    await stream.aclose()


async def test_a_peer_that_is_another_machine_is_hung_up_on(miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    real = anyio.connect_tcp

    async def elsewhere(address: str, port: int) -> ByteStream:
        return await real("127.0.0.1", miniweb.private.listener.port)

    monkeypatch.setattr(anyio, "connect_tcp", elsewhere)
    with pytest.raises(SsrfBlocked, match=r"ended at 127\.0\.0\.1"):
        await connect_literal("93.184.1.1", 80)


async def test_the_system_resolver_answers_and_fails_cleanly() -> None:
    assert "127.0.0.1" in await system_resolve("localhost", 80)
    for name in ("no-such-host.invalid", "a" * 70 + ".example"):
        with pytest.raises(FetchFailed, match=r"could not be resolved|did not answer"):
            await system_resolve(name, 80)


async def test_a_server_that_resets_connections_at_once_is_a_failure() -> None:
    async def reset(client: ByteStream) -> None:
        client.extra(SocketAttribute.raw_socket).setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        await client.aclose()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, reset)
        client = WebClient(Dialer(AddressPolicy(parse_exemptions(["127.0.0.1"]))))
        for _ in range(20):  # the reset may also arrive a moment later
            with pytest.raises(FetchFailed, match=r"reset|lost|without a response"):
                await client.get(parse_url(f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/"))
        group.cancel_scope.cancel()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 This is not TLS\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28"])
async def test_a_server_that_does_not_speak_tls_is_a_failure(miniweb: MiniWeb, answer: bytes) -> None:
    async def serve(client: ByteStream) -> None:
        async with client:
            if answer:
                await client.send(answer)

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        port = listener.extra(SocketAttribute.local_port)
        dialer = Dialer(AddressPolicy(parse_exemptions(["127.0.0.1"])))
        with pytest.raises(FetchFailed, match="No secure connection") as caught:
            await dialer.open("127.0.0.1", port, tls=True)
        assert "http://" in caught.value.suggestion
        group.cancel_scope.cancel()


@pytest.fixture
def proxy(miniweb: MiniWeb) -> Iterator[ForwardProxy]:
    expected = "Basic " + base64.b64encode(b"user:p@ss").decode()
    forward = ForwardProxy(miniweb, expected)
    yield forward
    forward.close()


def through(web: MiniWeb, forward: ForwardProxy, credentials: str = "user:p%40ss@") -> Dialer:
    proxies = parse_proxies(forward.url.replace("http://", f"http://{credentials}"))

    async def nothing_else(address: str, port: int) -> ByteStream:
        raise AssertionError(f"dialled {address} past the proxy")

    return web.dialer(proxies=proxies, connect=nothing_else)


async def test_the_operators_proxy_is_given_the_judged_address(miniweb: MiniWeb, proxy: ForwardProxy) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "through the proxy")
    site.port_for(443)
    client = WebClient(through(miniweb, proxy))
    for url in ("http://docs.example/", "https://docs.example/"):
        assert (await client.get(parse_url(url))).body == b"through the proxy"
    assert proxy.targets == [f"{site.address}:80", f"{site.address}:443"]


async def test_a_proxy_does_not_open_the_gate(miniweb: MiniWeb, proxy: ForwardProxy) -> None:
    miniweb.names.answer("inside.example", "10.0.0.1")
    for host in ("127.0.0.1", "inside.example", "169.254.169.254", "localhost"):
        with pytest.raises(SsrfBlocked):
            await through(miniweb, proxy).open(host, 80)
    assert proxy.targets == []


async def test_a_proxy_may_be_left_to_look_names_up(miniweb: MiniWeb, proxy: ForwardProxy) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "through the proxy")
    forward = parse_proxies(proxy.url.replace("http://", "http://user:p%40ss@"), resolves=True)
    dialer = miniweb.dialer(proxies=forward)
    site.port_for(443)
    assert (await WebClient(dialer).get(parse_url("http://docs.example/"))).body == b"through the proxy"
    assert miniweb.names.lookups == ["docs.example"]  # by the proxy
    for host in ("127.0.0.1", "169.254.169.254", "localhost", "db.internal", "wiki"):
        with pytest.raises(SsrfBlocked):
            await dialer.open(host, 80)
    with pytest.raises(SsrfBlocked):
        await dialer.open("docs.example", 6379)
    with pytest.raises(SsrfBlocked):
        await miniweb.dialer(["10.0.0.0/8"], proxies=forward).open("db.internal", 80)
    assert proxy.targets == ["http://docs.example/"]


async def test_a_proxy_that_refuses_is_named(miniweb: MiniWeb, proxy: ForwardProxy) -> None:
    miniweb.site("docs.example")
    with pytest.raises(FetchFailed, match=r"proxy refused .* 407"):
        await through(miniweb, proxy, "user:wrong@").open("docs.example", 80)


async def test_an_exempted_host_is_reached_past_the_proxy(miniweb: MiniWeb, proxy: ForwardProxy) -> None:
    site = miniweb.site("wiki.example")
    site.page("/", "inside")
    dialer = Dialer(AddressPolicy(parse_exemptions([site.exemption])), proxies=parse_proxies(proxy.url))
    assert (await WebClient(dialer).get(parse_url(site.loopback_url("/")))).body == b"inside"
    assert proxy.targets == []


async def test_configured_endpoints_on_this_network_are_reached_past_the_proxy(
    miniweb: MiniWeb, proxy: ForwardProxy
) -> None:
    site = miniweb.site("api.example")
    stream = await OperatorDialer(proxies=parse_proxies(proxy.url)).open(
        "127.0.0.1", int(site.exemption.partition(":")[2])
    )
    await stream.aclose()
    assert proxy.targets == []
    with pytest.raises(FetchFailed, match="proxy refused"):
        await OperatorDialer(proxies=parse_proxies(proxy.url)).open("api.example.com", 443)
    assert proxy.targets == ["api.example.com:443"]


@pytest.mark.parametrize("value", ["socks4://x:1", "proxy:8080", "http://", "http://x:port", "ftp://x"])
async def test_a_wrong_proxy_is_said_without_its_password(value: str) -> None:
    with pytest.raises(ConfigError, match="MCP_WEB_PROXY"):
        parse_proxies(value)


async def test_no_socket_is_left_open_by_a_refusal(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/", "x")
    opened: list[socket.socket] = []

    async def connect(address: str, port: int) -> ByteStream:
        stream = await miniweb.connect(address, port)
        opened.append(stream.extra(SocketAttribute.raw_socket))
        return stream

    miniweb.names.answer("wrong.example", site.address)
    client = WebClient(miniweb.dialer(connect=connect))
    for url in ("https://wrong.example/", "http://docs.example/"):
        try:
            await client.get(parse_url(url))
        except FetchFailed:
            continue
    await client.aclose()
    await anyio.wait_all_tasks_blocked()
    assert [raw.fileno() for raw in opened] == [-1, -1]
