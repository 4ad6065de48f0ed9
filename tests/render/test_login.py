"""The operator's logins in the browser: for the host they are for, and for nobody else."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_web.fetch.login import Logins
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb, Reply, Request

pytestmark = pytest.mark.anyio

_SECRET = "Bearer keeper-of-the-lamp"
_LOGINS = f"""http://wiki.example: Authorization: {_SECRET}
secure.wiki.example: Authorization: {_SECRET}"""


@pytest.fixture(scope="module")
async def known(anyio_backend: str, web: MiniWeb) -> AsyncIterator[Chromium]:
    """All third parties allowed: only the login's own rule stands between it and them."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    options = RenderOptions(enabled=True, third_parties=("*",), timeout=55.0)
    login = Logins(_LOGINS).for_browser
    chromium = Chromium(options, web.dialer(), login=login, ca_bundle=web.ca_bundle)
    yield chromium
    await chromium.aclose()


def guarded(request: Request) -> Reply:
    known = request.headers.get("authorization") == _SECRET
    text = "Members only: the log of the lamp." if known else "Who are you?"
    return Reply(f"<!doctype html><title>W</title><p>{text}</p>", 200 if known else 401)


def headers_seen(web: MiniWeb, host: str) -> str:
    return "\n".join(f"{request.path} {dict(request.headers)}" for request in web.site(host).log)


async def test_page_and_its_own_requests_carry_the_login(known: Chromium, web: MiniWeb) -> None:
    site = web.site("wiki.example")
    site.route("/data", lambda request: Reply(request.headers.get("authorization", "none")))
    script = "<p id=p></p><script>fetch('/data').then(r => r.text()).then(t => { p.textContent = 'told ' + t.length })"
    site.route("/app", lambda request: Reply(f"<!doctype html><title>A</title>{script}</script>"))
    site.route("/page", guarded)

    page = await known.render("http://wiki.example/page")
    app = await known.render("http://wiki.example/app")

    assert b"Members only" in page.body
    assert page.authenticated
    assert f"told {len(_SECRET)}".encode() in app.body
    assert _SECRET.encode() not in page.body + app.body


async def test_other_hosts_frames_and_later_pages_never_see_the_login(known: Chromium, web: MiniWeb) -> None:
    site, other = web.site("wiki.example"), web.site("other.example")
    cors = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
    other.page("/api", "{}", headers=cors)
    other.page("/script.js", "document.body.append('loaded')", headers={"Content-Type": "text/javascript"})
    site.page("/frame-asks", "<p>asked</p>")
    other.page("/frame", "<!doctype html><script>fetch('http://wiki.example/from-frame', {mode: 'no-cors'})</script>")
    other.page(
        "/landing",
        "<!doctype html><title>L</title><p>Landed.</p>"
        "<script>fetch('http://wiki.example/from-landing', {mode: 'no-cors'})</script>",
    )
    site.page("/from-frame", "x")
    site.page("/from-landing", "x")
    site.redirect("/away", "http://other.example/landing")
    site.redirect("/data-away", "http://other.example/api")
    site.page(
        "/mixed",
        "<!doctype html><title>M</title><body><p>Mixed.</p><script src=http://other.example/script.js></script>"
        "<iframe src=http://other.example/frame></iframe>"
        "<script>fetch('http://other.example/api'); fetch('/data-away')</script>",
    )

    mixed = await known.render("http://wiki.example/mixed")
    landed = await known.render("http://wiki.example/away")

    assert b"loaded" in mixed.body
    assert b"Landed." in landed.body
    assert "lamp" not in headers_seen(web, "other.example")
    assert {request.path for request in web.site("other.example").log} >= {"/api", "/script.js", "/frame", "/landing"}
    asked = [request for path in ("/from-frame", "/from-landing") for request in site.asked(path)]
    assert [request.headers.get("authorization") for request in asked if "lamp" in str(dict(request.headers))] == []


async def test_page_of_another_host_cannot_borrow_the_login(known: Chromium, web: MiniWeb) -> None:
    site = web.site("wiki.example")
    site.route("/secret", guarded)
    web.site("thief.example").page("/", "<!doctype html><script>location = 'http://wiki.example/secret'</script>")

    page = await known.render("http://thief.example/")

    assert page.status == 401
    assert not page.authenticated
    assert site.asked("/secret")[-1].headers.get("authorization") is None


async def test_login_for_tls_is_not_sent_in_the_open(known: Chromium, web: MiniWeb) -> None:
    site = web.site("secure.wiki.example")
    site.route("/page", guarded)

    plain = await known.render("http://secure.wiki.example/page")
    assert plain.status == 401
    if shutil.which("certutil") is None:
        pytest.skip("certutil is not installed")
    closed = await known.render("https://secure.wiki.example/page")

    assert b"Members only" in closed.body


async def test_cookie_file_is_shown_to_its_host_and_to_no_script(web: MiniWeb, tmp_path: Path) -> None:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    jar = tmp_path / "cookies.txt"
    jar.write_text("# Netscape HTTP Cookie File\nwiki.example\tFALSE\t/\tFALSE\t4102444800\tsession\tlamplight\n")
    site, other = web.site("wiki.example"), web.site("other.example")
    site.route("/cookie", lambda request: Reply(request.headers.get("cookie", "none")))
    other.page("/cookie.js", "", headers={"Content-Type": "text/javascript"})
    site.page(
        "/jar",
        "<!doctype html><title>J</title><p id=p></p><p id=q></p><script src=http://other.example/cookie.js></script>"
        "<script>q.textContent = 'script sees [' + document.cookie + ']'; fetch('/cookie').then(r => r.text())"
        ".then(t => { p.textContent = 'server sees ' + t })</script>",
    )
    login = Logins(f"http://wiki.example: cookies {jar}").for_browser
    renderer = Chromium(RenderOptions(enabled=True, third_parties=("*",), timeout=55.0), web.dialer(), login=login)

    page = await renderer.render("http://wiki.example/jar")
    await renderer.aclose()

    assert b"server sees session=lamplight" in page.body
    assert b"script sees []" in page.body
    assert other.asked("/cookie.js")
    assert "lamplight" not in headers_seen(web, "other.example")
