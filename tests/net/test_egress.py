"""The browser's proxy, spoken to as a browser or as anybody else on the machine would."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

import anyio
import pytest
from anyio.abc import ByteStream

from mcp_web.errors import DomainDenied, FetchFailed
from mcp_web.net.address import site_of
from mcp_web.net.dial import open_direct
from mcp_web.net.egress import AUTH_URL, Egress, Lease
from mcp_web.net.proxy import parse_proxies
from miniweb import MiniWeb, Reply
from miniweb.proxy import ForwardProxy

pytestmark = pytest.mark.anyio


@contextmanager
def leased(egress: Egress, host: str) -> Iterator[Lease]:
    """A lease for a page of this host, which ends with the block."""
    lease = egress.grant()
    lease.admit(host)
    try:
        yield lease
    finally:
        egress.withdraw(lease)


@asynccontextmanager
async def proxy(web: MiniWeb, allow_private: Sequence[str] = (), **options: object) -> AsyncIterator[Egress]:
    egress = Egress(web.dialer(allow_private), **options)  # type: ignore[arg-type]
    await egress.start()
    try:
        yield egress
    finally:
        await egress.aclose()


def credentials(name: str, password: str) -> str:
    return "Proxy-Authorization: Basic " + base64.b64encode(f"{name}:{password}".encode()).decode() + "\r\n"


async def ask(egress: Egress, head: str, lease: Lease | None = None, body: bytes = b"") -> bytes:
    """Everything the proxy answers to one request until it closes or stays silent."""
    if lease is not None:
        head += credentials(lease.name, lease.password)
    answer = b""
    async with await open_direct("127.0.0.1", egress.port) as stream:
        await stream.send(head.encode() + b"\r\n" + body)
        with anyio.move_on_after(60):
            try:
                while True:
                    answer += await stream.receive()
            except anyio.EndOfStream:
                pass
    return answer


def get(url: str) -> str:
    return f"GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


async def test_page_with_a_lease_gets_its_own_site(miniweb: MiniWeb) -> None:
    site = miniweb.site("www.own.example")
    site.route("/x", lambda request: Reply(f"{request.method} {request.host} {request.target}"))
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            answer = await ask(egress, get("http://www.own.example/x?y=1"), lease)

    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"GET www.own.example /x?y=1")
    assert not [name for request in site.log for name in request.headers if name.startswith("proxy-")]
    assert lease.received > 0


async def test_greeting_is_for_leases_and_leads_to_nobody(miniweb: MiniWeb) -> None:
    async with proxy(miniweb) as egress:
        lease = egress.grant()
        stranger = await ask(egress, get(AUTH_URL))
        known = await ask(egress, get(AUTH_URL), lease)
        egress.withdraw(lease)
        later = await ask(egress, get(AUTH_URL), lease)

    assert [answer.split(b" ")[1] for answer in (stranger, known, later)] == [b"407", b"200", b"407"]
    assert miniweb.names.lookups == []


async def test_lease_without_a_page_leads_nowhere_until_it_is_given_one(miniweb: MiniWeb) -> None:
    site = miniweb.site("own.example")
    site.page("/", "mine")
    async with proxy(miniweb) as egress:
        lease = egress.grant()
        before = await ask(egress, get("http://own.example/"), lease)
        reached = list(site.log)
        lease.admit("own.example")
        after = await ask(egress, get("http://own.example/"), lease)
        egress.withdraw(lease)

    assert before.startswith(b"HTTP/1.1 403")
    assert reached == []
    assert after.endswith(b"mine")


async def test_body_goes_on_and_the_answer_comes_back(miniweb: MiniWeb) -> None:
    miniweb.site("own.example").route("/post", lambda request: Reply(request.body + b" received"))
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            head = "POST http://own.example/post HTTP/1.1\r\nHost: own.example\r\nContent-Length: 5\r\n"
            answer = await ask(egress, head, lease, b"hello")

    assert answer.endswith(b"hello received")


async def test_stranger_without_a_lease_gets_nothing(miniweb: MiniWeb) -> None:
    site = miniweb.site("own.example")
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            wrong = get("http://own.example/") + credentials(lease.name, "guess")
            not_ascii = [
                get("http://own.example/") + "Proxy-Authorization: Basic näh\r\n",
                get("http://own.example/") + credentials(lease.name, "näh"),
            ]
            answers = [await ask(egress, head) for head in (get("http://own.example/"), wrong, *not_ascii)]
        answers.append(await ask(egress, get("http://own.example/"), lease))  # the lease is over

    assert [answer[:12] for answer in answers] == [b"HTTP/1.1 407"] * 5
    assert site.connections == 0


@pytest.mark.parametrize(
    "target",
    ["127.0.0.1:80", "10.0.0.1:443", "169.254.169.254:80", "[::1]:443", "inside.example:443", "localhost:8080"],
)
async def test_private_address_is_never_dialled(target: str, miniweb: MiniWeb) -> None:
    miniweb.names.answer("inside.example", "192.168.1.1")
    async with proxy(miniweb, third_parties=("*",)) as egress:
        with leased(egress, "own.example") as lease:
            plain = await ask(egress, get(f"http://{target}/"), lease)
            tunnelled = await ask(egress, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n", lease)

    assert (plain[:12], tunnelled[:12]) == (b"HTTP/1.1 403", b"HTTP/1.1 403")
    assert miniweb.private.reached == []
    assert {denial.reason for denial in lease.denials.values()} == {"private"}


async def test_third_party_is_refused_unless_allowed(miniweb: MiniWeb) -> None:
    for host in ("tracker.example", "cdn.allowed.example"):
        miniweb.site(host).page("/", "here")
    async with proxy(miniweb, third_parties=("allowed.example",)) as egress:
        with leased(egress, "own.example") as lease:
            tracker = await ask(egress, get("http://tracker.example/"), lease)
            allowed = await ask(egress, get("http://cdn.allowed.example/"), lease)
            denied = lease.denials.get(("tracker.example", 80))
            lease.admit("tracker.example")
            admitted = await ask(egress, get("http://tracker.example/"), lease)

    assert (tracker[:12], allowed[:12], admitted[:12]) == (b"HTTP/1.1 403", b"HTTP/1.1 200", b"HTTP/1.1 200")
    assert denied is not None
    assert denied.reason == "third party"


async def test_background_service_of_the_browser_is_refused_even_where_all_is_open(miniweb: MiniWeb) -> None:
    site = miniweb.site("update.googleapis.com")
    async with proxy(miniweb, third_parties=("*",)) as egress:
        with leased(egress, "own.example") as lease:
            answer = await ask(egress, "CONNECT update.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n", lease)

    assert answer.startswith(b"HTTP/1.1 403")
    assert site.connections == 0


async def test_tunnel_carries_bytes_both_ways(miniweb: MiniWeb) -> None:
    miniweb.site("own.example").page("/t", "through the tunnel")
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            head = "CONNECT own.example:80 HTTP/1.1\r\nHost: own.example\r\n"
            early = b"GET /t HTTP/1.1\r\nHost: own.example\r\n\r\n"
            with anyio.move_on_after(60):
                async with await open_direct("127.0.0.1", egress.port) as stream:
                    await stream.send(head.encode() + credentials(lease.name, lease.password).encode() + b"\r\n")
                    answer = await stream.receive()
                    await stream.send(early)
                    while not answer.endswith(b"through the tunnel"):
                        answer += await stream.receive()

    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"through the tunnel")


async def test_lease_that_has_spent_its_budget_is_cut_off(miniweb: MiniWeb) -> None:
    miniweb.site("own.example").page("/big", b"x" * 400_000)
    async with proxy(miniweb, max_bytes=100_000) as egress:
        with leased(egress, "own.example") as lease:
            first = await ask(egress, get("http://own.example/big"), lease)
            second = await ask(egress, get("http://own.example/big"), lease)

    assert len(first) < 400_000
    assert not second.startswith(b"HTTP/1.1 200")


async def test_end_of_a_lease_ends_its_connections(miniweb: MiniWeb) -> None:
    miniweb.site("own.example")
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            stream = await open_direct("127.0.0.1", egress.port)
            await stream.send(
                b"CONNECT own.example:80 HTTP/1.1\r\nHost: x\r\n"
                + credentials(lease.name, lease.password).encode()
                + b"\r\n"
            )
            assert (await stream.receive()).startswith(b"HTTP/1.1 200")
        with anyio.fail_after(30), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await stream.receive()
        await stream.aclose()


async def test_domain_the_operator_denied_is_refused(miniweb: MiniWeb) -> None:
    def check(host: str) -> None:
        if host == "denied.own.example":
            raise DomainDenied(f"{host} is denied.")

    site = miniweb.site("denied.own.example")
    async with proxy(miniweb, check_domain=check) as egress:
        with leased(egress, "own.example") as lease:
            answer = await ask(egress, get("http://denied.own.example/"), lease)

    assert answer.startswith(b"HTTP/1.1 403")
    assert site.connections == 0


@pytest.mark.parametrize(
    "head",
    [
        "GET / HTTP/1.1\r\nHost: own.example\r\n",
        "GET ftp://own.example/ HTTP/1.1\r\nHost: x\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n",
        "GET http://user:secret@own.example/ HTTP/1.1\r\nHost: x\r\n",
        "CONNECT own.example:0x50 HTTP/1.1\r\nHost: x\r\n",
        "CONNECT own.example:99999 HTTP/1.1\r\nHost: x\r\n",
        "\x00\x01\x02 nonsense\r\n",
        "GET http://own.example/ HTTP/1.1\r\nX: " + "y" * 100_000 + "\r\n",
    ],
)
async def test_request_that_makes_no_sense_reaches_nobody(head: str, miniweb: MiniWeb) -> None:
    site = miniweb.site("own.example")
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            answer = await ask(egress, head, lease)
            after = await ask(egress, get("http://own.example/"), lease)

    assert not answer.startswith(b"HTTP/1.1 200")
    assert after.startswith(b"HTTP/1.1 404")
    assert len(site.log) == 1


def test_site_is_the_registrable_domain() -> None:
    hosts = ["docs.example.co.uk", "a.b.example.com", "me.github.io", "127.0.0.1", "localhost", "EXAMPLE.ORG."]

    assert [site_of(host) for host in hosts] == [
        "example.co.uk",
        "example.com",
        "me.github.io",
        "127.0.0.1",
        "localhost",
        "example.org",
    ]


async def test_public_page_never_reaches_an_exempted_private_target(miniweb: MiniWeb) -> None:
    site = miniweb.site("evil.example")
    site.page("/", "public", headers={"Connection": "close"})
    miniweb.names.answer("wiki.corp", "10.0.0.9")
    async with proxy(miniweb, ["127.0.0.0/8", "10.0.0.0/8", "wiki.corp"], third_parties=["*"]) as egress:
        with leased(egress, "evil.example") as lease:
            assert (await ask(egress, get("http://evil.example/"), lease)).startswith(b"HTTP/1.1 200")
            miniweb.names.answer("evil.example", "127.0.0.1")  # the name rebinds
            for target in ("http://evil.example/", "http://127.0.0.1/", "http://10.0.0.9/", "http://wiki.corp/"):
                assert (await ask(egress, get(target), lease)).startswith(b"HTTP/1.1 403"), target
                lease.admit("wiki.corp")  # as when the page navigates there
        assert miniweb.private.reached == []
        with leased(egress, "wiki.corp") as lease:
            assert (await ask(egress, get("http://wiki.corp/"), lease)).startswith(b"HTTP/1.1 200")


async def test_login_of_a_host_opens_no_other_port_of_it(miniweb: MiniWeb) -> None:
    miniweb.site("own.example").page("/", "mine", headers={"Connection": "close"})
    async with proxy(miniweb) as egress:
        with leased(egress, "own.example") as lease:
            lease.ports["own.example"] = 80
            assert (await ask(egress, get("http://own.example/"), lease)).startswith(b"HTTP/1.1 200")
            assert (await ask(egress, get("http://own.example:8080/"), lease)).startswith(b"HTTP/1.1 502")
    assert len(miniweb.site("own.example").log) == 1


async def test_page_of_the_browser_goes_through_the_operators_proxy(miniweb: MiniWeb) -> None:
    site = miniweb.site("own.example")
    site.page("/x", "mine")
    upstream = ForwardProxy(miniweb)

    async def never(address: str, port: int) -> ByteStream:
        raise AssertionError(f"a direct connection to {address} left")

    for resolves, target in ((False, f"{site.address}:80"), (True, "http://own.example/x")):
        dialer = miniweb.dialer(proxies=parse_proxies(upstream.url, resolves=resolves), connect=never)
        egress = Egress(dialer)
        await egress.start()
        with leased(egress, "own.example") as lease:
            assert (await ask(egress, get("http://own.example/x"), lease)).endswith(b"mine")
            assert (await ask(egress, get("http://127.0.0.1/x"), lease)).startswith(b"HTTP/1.1 403")
        await egress.aclose()
        assert upstream.targets.pop() == target
    assert not [name for request in site.log for name in request.headers if name.startswith("proxy-")]
    upstream.close()


async def test_a_closed_proxy_listens_no_more(miniweb: MiniWeb) -> None:
    async with proxy(miniweb) as egress:
        await ask(egress, get("http://own.example/"))
    with pytest.raises(FetchFailed, match="refused"):
        await open_direct("127.0.0.1", egress.port)
