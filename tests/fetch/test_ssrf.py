"""No request leaves for a closed address, however the way there is spelled, named, redirected or configured."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_web.errors import FetchFailed, InvalidUrl, RobotsDisallowed, SsrfBlocked, WebError
from mcp_web.fetch.fetcher import Fetcher, guarded_dialer
from mcp_web.fetch.options import FetchOptions
from mcp_web.net.address import parse_address, reason_not_public
from mcp_web.net.client import WebClient
from mcp_web.text.urls import join, parse_url
from miniweb import MiniWeb, Reply
from security.cases import rows

pytestmark = pytest.mark.anyio


def cases(*kinds: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in rows("ssrf_cases") if row["kind"] in kinds]


async def outcome(web: MiniWeb, url: str, **options: Any) -> WebError | None:
    """What the whole pipeline says, without robots.txt, so that the page's own connection is what is judged."""
    try:
        await web.fetcher(respect_robots=False, **options).get(url)
    except WebError as error:
        return error
    return None


def serve(web: MiniWeb, url: str, addresses: Sequence[str]) -> None:
    """Put a site for the URL behind every public address of a lookup, and let the lookup answer them."""
    with suppress(InvalidUrl):
        target = parse_url(url)
        web.names.answer(target.host, *addresses)
        public = [str(judged) for judged in map(parse_address, addresses) if judged and not reason_not_public(judged)]
        if not public:
            return
        site = web.site(target.host, public[0])
        web.names.answer(target.host, *addresses)
        site.route("/*", lambda request: Reply("public"))
        site.tls_ports = {443, target.port} if target.scheme == "https" else {443}
        web.also_at(site, *public)


@pytest.mark.parametrize("case", cases("ip"))
async def test_addresses_of_the_corpus_as_answers_of_a_lookup(miniweb: MiniWeb, case: dict[str, Any]) -> None:
    serve(miniweb, "http://name.example/", [case["ip"]])
    error = await outcome(miniweb, "http://name.example/")
    assert miniweb.private.reached == []
    if case["expect"] == "block":
        assert isinstance(error, SsrfBlocked), case["why"]
    else:
        assert error is None, case["why"]


@pytest.mark.parametrize("case", [c for c in cases("ip") if c.values[0] is None or "%" not in c.values[0]["ip"]])
async def test_addresses_of_the_corpus_as_hosts(miniweb: MiniWeb, case: dict[str, Any]) -> None:
    url = f"http://[{case['ip']}]/" if ":" in case["ip"] else f"http://{case['ip']}/"
    serve(miniweb, url, [case["ip"]])
    error = await outcome(miniweb, url)
    assert miniweb.private.reached == []
    assert (error is None) == (case["expect"] == "allow"), f"{case['why']}: {error!r}"


@pytest.mark.parametrize("case", cases("url", "dns", "port"))
async def test_urls_of_the_corpus(miniweb: MiniWeb, case: dict[str, Any]) -> None:
    addresses = case.get("resolves_to", [(case.get("whatwg") or "").strip("[]")])
    serve(miniweb, case["url"], addresses)
    error = await outcome(miniweb, case["url"])
    assert miniweb.private.reached == []
    if case["expect"] == "allow":
        assert error is None, f"{case['why']}: {error!r}"
    elif addresses:
        assert isinstance(error, SsrfBlocked | InvalidUrl), f"{case['why']}: {error!r}"
    else:
        assert isinstance(error, FetchFailed), case["why"]


@pytest.mark.parametrize("case", cases("redirect"))
async def test_redirects_of_the_corpus(miniweb: MiniWeb, case: dict[str, Any]) -> None:
    first, *hops = case["chain"]
    serve(miniweb, first, ["93.184.216.34"])
    miniweb.names.answer("127.0.0.1.nip.io", "127.0.0.1")
    site = miniweb.site(parse_url(first).host)
    at = parse_url(first)
    for hop in hops:
        if hop.startswith("Refresh: "):  # a header that browsers follow and we do not
            site.page(at.path, "public", headers={"Refresh": hop.removeprefix("Refresh: ")})
            break
        answer = Reply("", 302, {"Location": hop})
        from_tls = at.scheme == "https"
        site.route(at.path, lambda request, a=answer, tls=from_tls: a if request.tls == tls else Reply("public"))
        try:
            at = join(at, hop)
        except InvalidUrl:
            break
        if at.host != site.host:
            break
    error = await outcome(miniweb, first)
    assert miniweb.private.reached == []
    if case["expect"] == "allow":
        assert error is None, f"{case['why']}: {error!r}"
    elif not hops[-1].startswith("Refresh: "):
        assert isinstance(error, SsrfBlocked | FetchFailed), case["why"]


@pytest.mark.parametrize("case", cases("rebind"))
async def test_names_of_the_corpus_that_rebind(miniweb: MiniWeb, case: dict[str, Any]) -> None:
    serve(miniweb, case["url"], [address for answer in case["answers"] for address in answer])
    miniweb.names.answer_in_turn(parse_url(case["url"]).host, *case["answers"])
    fetcher = miniweb.fetcher(respect_robots=False)
    for _ in range(len(case["answers"]) + 1):
        with suppress(SsrfBlocked, FetchFailed):
            await fetcher.get(case["url"], fresh=True)
        await fetcher.aclose()  # no kept connection: every round looks the name up again
    assert miniweb.private.reached == []


@pytest.mark.parametrize("case", cases("env"))
async def test_environments_of_the_corpus(
    miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]
) -> None:
    """Nothing of the environment is asked or sent: the page comes straight from its site."""
    for name, value in case["env"].items():
        monkeypatch.setenv(name, value)
    serve(miniweb, case["url"], ["93.184.216.34"])
    assert await outcome(miniweb, case["url"]) is None
    site = miniweb.site(parse_url(case["url"]).host)
    assert [request.headers.get("authorization") for request in site.log] == [None]
    assert miniweb.private.reached == []


async def test_one_lookup_is_judged_and_dialled(miniweb: MiniWeb) -> None:
    """A guard that looks up once to judge and once to connect would dial the second answer."""
    miniweb.site("good.example").page("/", "public")
    address = miniweb.site("good.example").address
    miniweb.names.answer_in_turn("rebind.example", [address], ["127.0.0.1"])
    await miniweb.fetcher(respect_robots=False).get("http://rebind.example/")
    assert miniweb.names.lookups == ["rebind.example"]
    assert miniweb.private.reached == []


@pytest.mark.parametrize(
    "answers",
    [["93.184.216.1", "10.0.0.1"], ["10.0.0.1", "93.184.216.1"], ["2606:4700::1", "::1"], ["93.184.216.1", "fe80::1"]],
)
async def test_one_closed_answer_closes_the_name(miniweb: MiniWeb, answers: list[str]) -> None:
    serve(miniweb, "http://mixed.example/", answers)
    with pytest.raises(SsrfBlocked):
        await miniweb.fetcher(respect_robots=False).get("http://mixed.example/")
    assert miniweb.private.reached == []


async def test_robots_txt_is_fetched_through_the_same_gate(miniweb: MiniWeb) -> None:
    miniweb.names.answer("inside.example", "10.1.2.3")
    with pytest.raises(SsrfBlocked):
        await miniweb.fetcher().get("http://inside.example/page")
    assert miniweb.private.reached == []


async def test_robots_txt_that_redirects_inside_closes_the_site(miniweb: MiniWeb) -> None:
    site = miniweb.site("trap.example")
    site.redirect("/robots.txt", "http://169.254.169.254/latest/meta-data/")
    site.page("/page", "public")
    with pytest.raises(RobotsDisallowed, match="not opened"):
        await miniweb.fetcher().get("https://trap.example/page")
    assert miniweb.private.reached == []


async def test_robots_txt_that_redirects_to_a_strange_port_closes_the_site(miniweb: MiniWeb) -> None:
    site = miniweb.site("trap.example")
    site.redirect("/robots.txt", "https://trap.example:6379/")
    with pytest.raises(RobotsDisallowed, match="not opened"):
        await miniweb.fetcher().get("https://trap.example/page")


async def test_a_long_way_round_ends_at_the_gate_too(miniweb: MiniWeb) -> None:
    site = miniweb.site("hops.example")
    for hop in range(3):
        site.redirect(f"/{hop}", f"/{hop + 1}")
    site.redirect("/3", "//localhost:8080/admin")
    with pytest.raises(SsrfBlocked, match="localhost"):
        await miniweb.fetcher().get(site.url("/0"))
    assert miniweb.private.reached == []


@pytest.mark.parametrize(
    "variable", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
)
async def test_a_proxy_of_the_environment_is_not_asked(
    miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    proxy = f"http://127.0.0.1:{miniweb.private.listener.port}"
    monkeypatch.setenv(variable, proxy)
    miniweb.site("www.example.com").page("/", "public")
    for url in ("http://www.example.com/", "https://www.example.com/"):
        assert (await miniweb.fetcher().get(url)).body == b"public"
    assert miniweb.private.listener.connections == 0


async def test_no_proxy_does_not_open_what_is_closed(miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost,*")
    monkeypatch.setenv("no_proxy", "*")
    for url in ("http://127.0.0.1/", "http://localhost/"):
        with pytest.raises(SsrfBlocked):
            await miniweb.fetcher().get(url)
    assert miniweb.private.reached == []


async def test_credentials_of_a_netrc_file_are_not_sent(
    miniweb: MiniWeb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine www.example.com login user password hunter2\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    site = miniweb.site("www.example.com")
    site.page("/", "public")
    await miniweb.fetcher().get(site.url("/"))
    assert all("authorization" not in request.headers for request in site.log)


async def test_the_production_dialer_refuses_a_real_listener_on_loopback(miniweb: MiniWeb) -> None:
    """The same without any seam of the test web: real resolver, real sockets."""
    fetcher = Fetcher(FetchOptions(), WebClient(guarded_dialer(FetchOptions())))
    port = miniweb.private.listener.port
    for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"):
        with pytest.raises(SsrfBlocked):
            await fetcher.get(f"http://{host}:{port}/")
    assert miniweb.private.listener.connections == 0


@pytest.mark.parametrize("form", ["127.0.0.1:{port}", "127.0.0.1", "127.0.0.0/8", "localhost", "localhost:{port}"])
async def test_the_operator_can_exempt_a_host(miniweb: MiniWeb, form: str) -> None:
    site = miniweb.site("wiki.example")
    site.page("/", "internal wiki")
    port = int(site.exemption.partition(":")[2])
    options = FetchOptions(allow_private=(form.format(port=port),))
    fetcher = Fetcher(options, WebClient(guarded_dialer(options)))
    host = "localhost" if "localhost" in form else "127.0.0.1"
    assert (await fetcher.get(f"http://{host}:{port}/")).body == b"internal wiki"


async def test_an_exemption_opens_nothing_beside_it(miniweb: MiniWeb) -> None:
    for url in (
        "http://127.0.0.1:8080/",
        "http://127.0.0.2/",
        "http://wiki.corp.evil.example/",
        "http://sub.wiki.corp/",
    ):
        miniweb.names.look_up = lambda host: ["10.0.0.9"]  # type: ignore[method-assign]
        with pytest.raises(SsrfBlocked):
            await miniweb.fetcher(allow_private=("127.0.0.1:80", "wiki.corp")).get(url)
    assert miniweb.private.reached == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3"])
async def test_an_exempted_address_is_not_opened_for_a_name_that_resolves_to_it(miniweb: MiniWeb, address: str) -> None:
    site = miniweb.site("evil.example")
    site.page("/", "public", headers={"Connection": "close"})
    fetcher = miniweb.fetcher(allow_private=("127.0.0.0/8", "10.0.0.0/8"), respect_robots=False)
    assert (await fetcher.get("http://evil.example/")).body == b"public"
    miniweb.names.answer("evil.example", address)  # the name rebinds
    with pytest.raises(SsrfBlocked, match="not this name"):
        await fetcher.get("http://evil.example/")
    assert miniweb.private.reached == []


@pytest.mark.parametrize("target", ["http://127.0.0.1/", "http://10.1.2.3/", "http://wiki.corp/"])
async def test_a_public_page_does_not_redirect_to_an_exempted_target(miniweb: MiniWeb, target: str) -> None:
    site = miniweb.site("evil.example")
    site.redirect("/x", target)
    site.redirect("/robots.txt", target)
    miniweb.names.answer("wiki.corp", "10.0.0.9")
    exempted = ("127.0.0.0/8", "10.0.0.0/8", "wiki.corp")
    with pytest.raises(SsrfBlocked, match="led to"):
        await miniweb.fetcher(allow_private=exempted, respect_robots=False).get(site.url("/x"))
    with pytest.raises(RobotsDisallowed):
        await miniweb.fetcher(allow_private=exempted).get(site.url("/x"))
    assert miniweb.private.reached == []
    assert (await miniweb.fetcher(allow_private=exempted).get(target)).body == b"secret of the private network"


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "168.63.129.16", "100.100.100.200", "[fd00:ec2::254]", "[64:ff9b::a9fe:a9fe]"]
)
async def test_metadata_addresses_cannot_be_exempted(miniweb: MiniWeb, address: str) -> None:
    everything = ("0.0.0.0/0", "::/0", address.strip("[]"))
    with pytest.raises(SsrfBlocked, match="metadata"):
        await miniweb.fetcher(allow_private=everything).get(f"http://{address}/")
    miniweb.names.answer("meta.corp", address.strip("[]"))
    with pytest.raises(SsrfBlocked):
        await miniweb.fetcher(allow_private=("meta.corp",)).get("http://meta.corp/")
    assert miniweb.private.reached == []


async def test_many_attacks_at_once_do_not_wear_the_gate_down(miniweb: MiniWeb) -> None:
    fetcher = miniweb.fetcher(respect_robots=False)
    refused = 0

    async def attack(number: int) -> None:
        nonlocal refused
        miniweb.names.answer(f"a{number}.example", f"10.0.{number}.1")
        try:
            await fetcher.get(f"http://a{number}.example/")
        except SsrfBlocked:
            refused += 1

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(attack, number)
    assert refused == 100
    assert miniweb.private.reached == []
