"""A closed place under every spelling we could think of, and open ones that only look closed. Through the pipeline."""

from __future__ import annotations

import pytest

from mcp_web.errors import FetchFailed, InvalidUrl, SsrfBlocked, WebError
from mcp_web.net.address import parse_address
from mcp_web.text.urls import parse_url
from miniweb import MiniWeb, Reply
from miniweb.server import Request, Wire
from miniweb.site import Site

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.215.14"
CLOSED = {
    "numbers": [
        *("2130706433", "017700000001", "0177.0.0.01", "0x7f000001", "0X7F.0x0.0X0.1", "127.1", "127.0.1", "0", "0x0"),
        *("00000000", "0177.1", "0x7f.1", "127.0.0.1.", "3232235777", "0xc0a80101", "0300.0250.1.1", "10.1"),
        *("167772161", "0xa9fea9fe", "2852039166", "025177524776", "0xA9.0xFE.0xA9.0xFE", "169.16689662"),
        *("169.254.43518", "127.0.0.01", "127.000.000.001", "127.0.0.0x1"),
    ],
    "other digits and dots": [
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
        "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
        "127\u30020\u30020\u30021",
        "127\uff0e0\uff0e0\uff0e1",
        "127\uff610\uff610\uff611",
        "\U0001d7cf\U0001d7d0\U0001d7d5.\U0001d7ce.\U0001d7ce.\U0001d7cf",
        "\u00b9\u00b2\u2077.0.0.1",
        "\u2081\u2082\u2087.\u2080.\u2080.\u2081",
        "%31%32%37.0.0.1",
        "127%2e0%2e0%2e1",
        "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
    ],
    "no address at all": [
        *("256.256.256.256", "0x100000000", "1.2.3.4.5", "127.0.0.1..example.com", ".127.0.0.1", "09.09.09.09"),
        *("1.2.3.08", "%5B::1%5D", "[::1%25lo]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "127.0.0.1 .example.com"),
    ],
    "IPv6": [
        *(
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[0000::1]",
            "[::]",
            "[::127.0.0.1]",
            "[::FFFF:7F00:1]",
            "[::ffff:0:127.0.0.1]",
        ),
        *(
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::a00:1]",
            "[2002:7f00:1::]",
            "[2001::f5ff:fffe]",
            "[fe80::1]",
            "[fec0::1]",
        ),
        *("[fd00::1]", "[ff02::1]", "[0:0:0:0:0:ffff:169.254.169.254]"),
    ],
    "names of this machine": [
        *("localhost", "LOCALHOST", "LocalHost.", "localhost4", "localhost6", "localhost.localdomain"),
        *("localhost6.localdomain6", "ip6-localhost", "ip6-loopback", "a.b.localhost", "app.localhost:8080"),
        "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54",
        "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
        "loc\u00adalhost",
        "%6c%6f%63%61%6c%68%6f%73%74",
    ],
    "names of this network": [
        *("intranet", "printer.local", "nas.home.arpa", "router.lan", "wiki.corp", "db.internal", "share.intranet"),
        *("a.onion", "x.test", "x.invalid", "1.0.0.127.in-addr.arpa", "host.docker.internal", "kubernetes.default"),
        *("gateway.docker.internal:8080", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"),
        *("vault.service.consul", "smtp.mail", "site.i2p"),
    ],
    "where clouds keep credentials": [
        *("169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "100.100.100.200", "192.0.0.192"),
        *("168.63.129.16", "[fd00:ec2::254]", "[fd20:ce::254]", "[::ffff:a9fe:a9fe]", "metadata", "instance-data"),
        *("metadata.google.internal", "metadata.internal", "instance-data.ec2.internal"),
    ],
    "credentials": [
        *("user@127.0.0.1", "www.example.com@127.0.0.1", "www.example.com:80@127.0.0.1", "www.example.com%40127.0.0.1"),
        *("127.0.0.1#@www.example.com", "127.0.0.1?@www.example.com", "127.0.0.1\\@www.example.com"),
        *("www.example.com\\@127.0.0.1", "user:secret@www.example.com", "@127.0.0.1", ":@127.0.0.1"),
    ],
    "control characters": [
        *("127.0.\n0.1", "127.0.0.1\x00.example.com", "www.example.com\r\nHost: 127.0.0.1", "127.0.0.1\t"),
        *("www.example\x7f.com", "www.example.com/\x85"),
    ],
    "ports of other services": [
        f"www.example.com:{port}"
        for port in (0, 1, 22, 139, 445, 1433, 2049, 2379, 3306, 4444, 5432, 5985, 6443, 8086, 9000, 9200, 10250, 65536)
    ],
}
WHOLE = [
    *("http:/127.0.0.1/", "http:127.0.0.1/", "http:///127.0.0.1/", "http:////127.0.0.1/", "//127.0.0.1/", "127.0.0.1"),
    *("127.0.0.1:80", "localhost:8080/admin", "[::1]:80", "[::1]", "0", "2130706433", "http:\\\\127.0.0.1\\"),
    *("http:/\\127.0.0.1/", "ht\ttp://127.0.0.1/", "\x01http://127.0.0.1/", "file:///etc/passwd", "file:/etc/passwd"),
    *("file://localhost/etc/passwd", "gopher://127.0.0.1:6379/_INFO", "ftp://127.0.0.1/", "dict://127.0.0.1:11211/"),
    *(
        "ldap://127.0.0.1/",
        "tftp://127.0.0.1/x",
        "sftp://127.0.0.1/",
        "data:text/html,<p>hi",
        "blob:http://127.0.0.1/u",
    ),
    *(
        "javascript:fetch('http://127.0.0.1')",
        "view-source:http://127.0.0.1/",
        "jar:http://127.0.0.1!/x",
        "about:blank",
    ),
    *("ws://127.0.0.1/", "wss://127.0.0.1/", "netdoc:///etc/passwd", "php://filter/resource=x", "expect://id"),
    *("unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/info", "chrome://settings"),
    *("feed:http://127.0.0.1/", "url:http://127.0.0.1/", "phar://x", "http://[2606:4700::1111]:25/"),
]
OPEN = [
    *("https://1.1.1.1/", "https://1.1.1.1./", "https://0x08080808/", "https://134744072/", "https://8.8.2056/"),
    *("https://[2606:4700:4700::1111]/", "https://[2606:4700:4700:0:0:0:0:1111]/", "https://[64:ff9b::101:101]/"),
    *("https://127.0.0.1.example.com/", "https://0x7f.example.com/", "https://2130706433.example.com/"),
    *("https://192.168.example.com/", "https://169-254-169-254.example.com/", "https://localhost.example.com/"),
    *("https://metadata.google.internal.example.com/", "https://internal.example.com/", "https://local.net/"),
    *("https://mylocal.com/", "https://notlocalhost.com/", "https://testing.com/", "https://mail.example.com/"),
    *("https://default.example.com/", "https://xn--mnchen-3ya.de/", "https://m\u00fcnchen.de/", "https://fa\u00df.de/"),
    *("https://\u4f8b\u3048.jp/", "https://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/", "https://\u2603.net/"),
    *("https://EXAMPLE.COM/", "https://example.com./", "https://example.com:443/", "http://example.com:80/"),
    *("http://example.com:8080/", "https://example.com:8443/", "http://example.com:3000/", "http://example.com:8888/"),
    *("https://a_b.example.com/", "https://a--b.example.com/", "https://1e100.net/", "https://0x.example.com/"),
    *("https://123.com/", "https://1.2.3.4.com/", "https://x.zip/", "https://x.box/", "https://docker.com/"),
    *("https://example.com/?next=http://169.254.169.254/", "https://example.com/#http://127.0.0.1/"),
    *("https://example.com/@127.0.0.1", "https://example.com//127.0.0.1/", "https://example.com/http://localhost/"),
    *(
        "https://example.com/a%5Cb",
        "https://example.com/%00",
        "https://example.com/%0d%0aHost:%20x",
        "example.com/path",
    ),
    *(
        "//example.com/x",
        "http:example.com/",
        "https:/example.com/",
        "https:///example.com/",
        "https://ex\u00adample.com/",
    ),
]


async def refusal(web: MiniWeb, url: str) -> WebError | None:
    try:
        await web.fetcher(respect_robots=False).get(url)
    except WebError as error:
        return error
    return None


def public_site(web: MiniWeb) -> Site:
    """Names lead to a public site, so that only the spelling can close them."""
    site = web.site("www.example.com", PUBLIC)
    site.route("/*", lambda request: Reply("public"))
    web.names.look_up = lambda host: [PUBLIC]  # type: ignore[method-assign]
    return site


@pytest.mark.parametrize("kind", CLOSED)
async def test_a_closed_host_stays_closed(miniweb: MiniWeb, kind: str) -> None:
    site = public_site(miniweb)
    for host in CLOSED[kind]:
        error = await refusal(miniweb, f"http://{host}/")
        assert isinstance(error, SsrfBlocked | InvalidUrl), f"{host}: {error!r}"
    assert (miniweb.private.reached, site.log) == ([], [])


async def test_a_closed_address_stays_closed_whatever_stands_before_it(miniweb: MiniWeb) -> None:
    site = public_site(miniweb)
    for url in WHOLE:
        error = await refusal(miniweb, url)
        assert isinstance(error, SsrfBlocked | InvalidUrl), f"{url}: {error!r}"
    assert (miniweb.private.reached, site.log) == ([], [])


async def test_what_only_looks_closed_is_opened(miniweb: MiniWeb) -> None:
    for url in OPEN:
        target = parse_url(url)
        literal = parse_address(target.host)
        site = miniweb.site(target.host, str(literal) if literal else None)
        site.route("/*", lambda request: Reply("public"))
        assert await refusal(miniweb, url) is None, url


LOCATIONS = [
    *("http://127.0.0.1/", "http://[::1]/", "//10.0.0.1/x", "///127.0.0.1/", "http://localhost/", "http://0x7f.1/"),
    *("http://metadata.google.internal/", "http://inside.example/", "https://[::ffff:7f00:1]/", "http:\\\\127.0.0.1"),
    *("\\\\127.0.0.1\\", "/\\127.0.0.1/", "http://127.0.0.1\t/", "http://other.example:22/", "https:127.0.0.1"),
    *("http://u:p@other.example/", "ftp://other.example/", "file:///etc/passwd", "gopher://127.0.0.1/", "about:blank"),
    *("data:text/html,x", "javascript:1", "blob:http://127.0.0.1/", "http://\uff11\uff12\uff17.0.0.1/"),
]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_leads_inside_or_out_of_the_web(miniweb: MiniWeb, status: int) -> None:
    other = miniweb.site("other.example")
    other.route("/*", lambda request: Reply("public"))
    miniweb.names.answer("inside.example", "10.9.8.7")
    site = miniweb.site("www.example.com")

    async def astray(request: Request, wire: Wire) -> None:
        place = LOCATIONS[int(request.query["to"][0])]
        await wire.send(f"HTTP/1.1 {status} Gone\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode())

    site.behave("/r", astray)
    for number, place in enumerate(LOCATIONS):
        error = await refusal(miniweb, f"http://www.example.com/r?to={number}")
        assert isinstance(error, SsrfBlocked | FetchFailed), f"{place}: {error!r}"
    assert (miniweb.private.reached, other.log) == ([], [])


@pytest.mark.parametrize("status", [200, 201, 202, 300, 304, 305, 306])
async def test_a_location_beside_another_status_is_no_redirect(miniweb: MiniWeb, status: int) -> None:
    site = miniweb.site("www.example.com")
    site.page("/r", "text", status=status, headers={"Location": "http://127.0.0.1/", "Refresh": "0;url=http://[::1]/"})
    error = await refusal(miniweb, site.url("/r"))
    assert isinstance(error, FetchFailed) if status >= 300 else error is None
    assert miniweb.private.reached == []


@pytest.mark.parametrize("hops", range(8))
async def test_the_limit_of_redirects_is_five_and_the_gate_stands_after_each(miniweb: MiniWeb, hops: int) -> None:
    site = miniweb.site("www.example.com")
    for hop in range(hops):
        site.redirect(f"/{hop}", f"/{hop + 1}")
    site.page(f"/{hops}", "arrived")
    assert (await refusal(miniweb, site.url("/0")) is None) == (hops <= 5)
    site.redirect(f"/{hops}", "http://10.0.0.1/")
    assert isinstance(await refusal(miniweb, site.url("/0")), SsrfBlocked | FetchFailed)
    assert miniweb.private.reached == []


MANY = [f"93.184.216.{number}" for number in range(1, 60)]


@pytest.mark.parametrize(
    ("answers", "opened"),
    [
        ([*MANY, "127.0.0.1"], False),
        (["127.0.0.1", *MANY], False),
        (MANY, True),
        (["2606:4700::1"], True),
        (["2606:4700::1", "93.184.216.9"], True),
        (["2606:4700::1", "::ffff:10.0.0.1"], False),
        (["::ffff:93.184.216.9"], False),
        (["2606:4700::1", "fe80::1%eth0"], False),
        (["93.184.216.9", "0.0.0.0"], False),
        (["93.184.216.9", "::"], False),
        (["not an address"], False),
        ([""], False),
        (["93.184.216.9", "2130706433"], False),
        (["0x7f.1"], False),
        (["64:ff9b::5db8:d809"], True),
        (["64:ff9b::a00:1"], False),
        (["255.255.255.255"], False),
    ],
)
async def test_every_answer_of_a_lookup_is_judged(miniweb: MiniWeb, answers: list[str], opened: bool) -> None:
    site = miniweb.site("name.example")
    site.page("/", "public")
    miniweb.also_at(site, *answers)
    miniweb.names.answer("name.example", *answers)
    error = await refusal(miniweb, "http://name.example/")
    assert error is None if opened else isinstance(error, SsrfBlocked)
    assert bool(site.log) == opened
