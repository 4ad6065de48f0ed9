"""Behind a company's or a sandbox's proxy: HTTP with CONNECT, HTTP with whole URLs, SOCKS5."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from socket import SO_LINGER, SOL_SOCKET

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute, SocketStream

from mcp_web.errors import ConfigError, FetchFailed, InvalidUrl, SsrfBlocked, WebError
from mcp_web.net.address import parse_address, reason_not_public
from mcp_web.net.client import WebClient
from mcp_web.net.dial import Dialer, OperatorDialer
from mcp_web.net.proxy import Proxies, Proxy, parse_proxies
from mcp_web.text.urls import parse_url
from miniweb import MiniWeb, Reply
from miniweb.proxy import ForwardProxy, SocksProxy
from security.cases import rows

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["http", "socks5"])
def lab(request: pytest.FixtureRequest, miniweb: MiniWeb) -> Iterator[ForwardProxy | SocksProxy]:
    made = ForwardProxy(miniweb) if request.param == "http" else SocksProxy(miniweb)
    yield made
    made.close()


def behind(web: MiniWeb, proxies: Proxies) -> Dialer:
    async def never(address: str, port: int) -> ByteStream:
        raise AssertionError(f"a direct connection to {address} left")

    return web.dialer(proxies=proxies, connect=never)


@pytest.mark.parametrize("resolves", [False, True])
async def test_pages_come_through_the_proxy_and_nothing_leaves_directly(
    miniweb: MiniWeb, lab: ForwardProxy | SocksProxy, resolves: bool
) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "through the proxy")
    site.port_for(443)
    client = WebClient(behind(miniweb, parse_proxies(lab.url, resolves=resolves)))
    for url in ("http://docs.example/x", "https://docs.example/x"):
        assert (await client.get(parse_url(url), headers=[("Accept", "*/*")])).body == b"through the proxy"
    await client.aclose()
    named = "docs.example" if resolves else site.address
    plain = "http://docs.example/x" if resolves and isinstance(lab, ForwardProxy) else f"{named}:80"
    assert lab.targets == [plain, f"{named}:443"]
    assert [request.host for request in site.log] == ["docs.example"] * 2
    assert not [name for request in site.log for name in request.headers if name.startswith("proxy-")]


@pytest.mark.parametrize("resolves", [False, True])
async def test_the_corpus_of_attacks_passes_through_no_proxy(
    miniweb: MiniWeb, lab: ForwardProxy | SocksProxy, resolves: bool
) -> None:
    client = WebClient(behind(miniweb, parse_proxies(lab.url, resolves=resolves)))
    blocked = allowed = 0
    for row in rows("ssrf_cases"):
        if row["kind"] not in ("ip", "url", "port", "dns") or (resolves and "resolves_to" in row):
            continue  # where the proxy resolves names, its own rules decide where they lead
        host = f"[{row['ip']}]" if ":" in row.get("ip", "") else row.get("ip", "")
        url = row.get("url") or f"http://{host}/"
        addresses = row.get("resolves_to", [(row.get("whatwg") or row.get("ip") or "").strip("[]")])
        error = await outcome(miniweb, client, url, addresses)
        assert miniweb.private.reached == [], row
        if row["expect"] == "block":
            assert isinstance(error, SsrfBlocked | InvalidUrl | FetchFailed), row
            blocked += 1
        else:
            assert error is None, f"{row}: {error!r}"
            allowed += 1
    assert blocked > 200
    assert allowed > 20


async def outcome(web: MiniWeb, client: WebClient, url: str, addresses: list[str]) -> WebError | None:
    try:
        target = parse_url(url)
        web.names.answer(target.host, *addresses)
        public = [str(one) for one in map(parse_address, addresses) if one and not reason_not_public(one)]
        if public:
            site = web.site(f"{target.host}.{target.port}.site", None)
            site.route("/*", lambda request: Reply("public", headers={"Connection": "close"}))
            site.tls_ports = set()
            web.also_at(site, *public)
        if target.scheme == "https":
            target = parse_url(f"http://{target.authority}:{target.port}/" if public else url)
        await client.get(target)
    except WebError as error:
        return error
    return None


async def test_a_login_is_shown_to_the_proxy_only(miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/", "hello")
    socks = SocksProxy(miniweb, "user", "p@ss")
    for login, works in (("user:p%40ss@", True), ("user:wrong@", False), ("", False)):
        client = WebClient(behind(miniweb, parse_proxies(socks.url.replace("://", f"://{login}"))))
        if works:
            assert (await client.get(parse_url("http://docs.example/"))).body == b"hello"
        else:
            with pytest.raises(FetchFailed, match="SOCKS proxy"):
                await client.get(parse_url("http://docs.example/"))
        await client.aclose()
    socks.close()


async def test_a_socks_proxy_that_refuses_is_named(miniweb: MiniWeb) -> None:
    socks = SocksProxy(miniweb)
    miniweb.names.answer("nothing.example", "93.184.1.1")
    with pytest.raises(FetchFailed, match="host unreachable"):
        await behind(miniweb, parse_proxies(socks.url)).open("nothing.example", 80)
    socks.close()


async def test_a_proxy_that_cannot_be_trusted_is_named(miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/", "hello")
    other = miniweb.site("proxy.example")
    dialer = behind(miniweb, parse_proxies(f"https://127.0.0.1:{other.port_for(443)}"))
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1 cannot be trusted"):
        await dialer.open("docs.example", 80)


async def test_a_proxy_that_hangs_up_is_named(miniweb: MiniWeb) -> None:
    miniweb.site("docs.example").page("/", "hello")

    async def hang_up(client: SocketStream) -> None:
        await client.receive()
        client.extra(SocketAttribute.raw_socket).setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        await client.aclose()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, hang_up)
        dialer = behind(miniweb, parse_proxies(f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"))
        with pytest.raises(FetchFailed, match="configured proxy closed"):
            await dialer.open("docs.example", 443, tls=True)
        group.cancel_scope.cancel()


async def test_a_configured_endpoint_is_reached_through_the_proxy(miniweb: MiniWeb) -> None:
    miniweb.site("api.example").page("/", "hello")
    socks = SocksProxy(miniweb)
    stream = await OperatorDialer(proxies=parse_proxies(socks.url)).open("api.example", 80)
    with suppress(WebError):
        await stream.aclose()
    assert socks.targets == ["api.example:80"]
    socks.close()


def test_the_environment_is_taken_only_when_the_setting_says_so() -> None:
    environment = {
        "HTTP_PROXY": " plain.corp:3128",
        "HTTPS_PROXY": "http://user:pass@secure.corp:3128",
        "NO_PROXY": "intra.example, .corp.example,10.0.0.0/8,[2001:db8::1],docs.example:8080",
    }
    assert parse_proxies("", environment) == Proxies()
    taken = parse_proxies("environment", environment)
    assert taken.http == Proxy("http", "plain.corp", 3128)
    assert taken.https == Proxy("http", "secure.corp", 3128, "user", "pass")
    direct = [("intra.example", 80), ("a.intra.example", 443), ("x.corp.example", 80), ("10.1.2.3", 80)]
    direct += [("2001:db8::1", 80), ("docs.example", 8080)]
    assert [target for target in direct if taken.proxy_for(*target)] == []
    proxied = [("notintra.example", 80), ("11.0.0.1", 80), ("docs.example", 80)]
    assert [target for target in proxied if not taken.proxy_for(*target)] == []
    everything = parse_proxies("environment", {"ALL_PROXY": "socks5h://s.corp"})
    assert everything.http == everything.https == Proxy("socks5", "s.corp", 1080)
    assert parse_proxies("environment", {"ALL_PROXY": "http://s", "NO_PROXY": "*"}).proxy_for("x.example", 80) is None


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_wrong_variable_is_named_without_its_password(variable: str) -> None:
    with pytest.raises(ConfigError, match=variable) as caught:
        parse_proxies("environment", {variable: "ftp://user:s3cret@x:1"})
    assert "s3cret" not in str(caught.value)
