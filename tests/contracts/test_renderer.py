"""What every renderer must do. A new one joins `OPENERS` and is done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import anyio
import pytest

from mcp_web.errors import (
    FetchFailed,
    HttpError,
    InvalidUrl,
    RenderDisabled,
    RenderFailed,
    SsrfBlocked,
    UnsupportedContent,
)
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb, Reply
from render.processes import browser_processes, eventually, newcomers

pytestmark = pytest.mark.anyio


def _chromium(web: MiniWeb, options: RenderOptions) -> Chromium:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("playwright")
    return Chromium(options, web.dialer())


OPENERS: dict[str, Callable[[MiniWeb, RenderOptions], Chromium]] = {"chromium": _chromium}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    web = MiniWeb()
    yield web
    web.close()


@pytest.fixture(scope="module", params=list(OPENERS))
def opener(request: pytest.FixtureRequest) -> Callable[[MiniWeb, RenderOptions], Chromium]:
    return OPENERS[request.param]


@pytest.fixture(scope="module")
async def renderer(
    anyio_backend: str, opener: Callable[[MiniWeb, RenderOptions], Chromium], web: MiniWeb
) -> AsyncIterator[Chromium]:
    made = opener(web, RenderOptions(enabled=True, timeout=55.0))
    yield made
    await made.aclose()


async def test_page_is_given_as_its_scripts_left_it(renderer: Chromium, web: MiniWeb) -> None:
    web.site("r.example").page("/", "<!doctype html><title>T</title><p id=p></p><script>p.append('drawn')</script>")

    page = await renderer.render("http://r.example/#part")

    assert b"drawn" in page.body
    assert b"<script" not in page.body
    assert (page.status, page.media_type, page.charset) == (200, "text/html", "utf-8")
    assert page.url.startswith("http://r.example/")
    assert page.final_url.startswith("http://r.example/")
    assert page.screenshot is None
    assert page.timings["render"] > 0


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Grüße aus Köln – 日本語"),
        ("windows-1252", "Grüße aus Köln, naïve café, déjà vu, où êtes-vous, garçon. "),
        ("windows-1251", "Привет, это страница на русском языке без указания кодировки. "),
        ("shift_jis", "日本語のページです。これは文字コードの宣言がありません。"),
    ],
)
async def test_page_that_declares_no_encoding_is_read(
    renderer: Chromium, web: MiniWeb, encoding: str, text: str
) -> None:
    body = f"<!doctype html><title>T</title><p>{text * 3}</p>".encode(encoding)
    web.site("r.example").page(f"/{encoding}", body, headers={"Content-Type": "text/html"})

    page = await renderer.render(f"http://r.example/{encoding}")

    assert text.strip() in page.body.decode()


async def test_redirects_are_followed_and_told(renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("r.example")
    site.redirect("/old", "http://r.example/new")
    site.page("/new", "<!doctype html><title>N</title><p>New place.</p>")

    page = await renderer.render("http://r.example/old")

    assert page.final_url == "http://r.example/new"
    assert page.redirects == ("http://r.example/old",)


async def test_error_page_keeps_its_status(renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("r.example")
    site.page("/lost", "<!doctype html><p>No such page.</p>", status=404)

    site.page("/wordless", "", status=500)

    page = await renderer.render("http://r.example/lost")
    with pytest.raises(HttpError) as failure:
        await renderer.render("http://r.example/wordless")

    assert page.status == 404
    assert b"No such page." in page.body
    assert failure.value.status_code == 500


async def test_picture_is_taken_when_asked_for(renderer: Chromium, web: MiniWeb) -> None:
    web.site("r.example").page("/seen", "<!doctype html><title>S</title><p>Look.</p>")

    page = await renderer.render("http://r.example/seen", screenshot=True)

    assert page.screenshot is not None
    assert page.screenshot.startswith(b"\x89PNG")


async def test_pages_know_nothing_of_each_other(renderer: Chromium, web: MiniWeb) -> None:
    """Neither those before nor those beside: no cookie, no storage, no cache."""
    site = web.site("r.example")
    site.route("/same.js", lambda request: Reply("", headers={"Cache-Control": "max-age=9999"}))
    site.page(
        "/mark",
        "<!doctype html><title>M</title><p id=p></p><script src=/same.js></script><script>"
        "p.textContent = '[' + document.cookie + (localStorage.mark ?? '') + ']';"
        "document.cookie = 'mark=1; max-age=9999'; localStorage.mark = 'stored'</script>",
        headers={"Set-Cookie": "server=1; Max-Age=9999; HttpOnly"},
    )
    before = len(site.asked("/mark"))
    bodies: list[bytes] = []

    async def one() -> None:
        bodies.append((await renderer.render("http://r.example/mark")).body)

    await one()
    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(one)
    await one()

    assert [b"[]" in body for body in bodies] == [True] * 4
    assert [request.headers.get("cookie") for request in site.asked("/mark")[before:]] == [None] * 4
    assert len(site.asked("/same.js")) == 4


async def test_what_is_no_page_is_given_as_it_is_or_refused(renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("r.example")
    site.page("/data", '{"a": 1}', headers={"Content-Type": "application/json"})
    site.page("/file", b"\0\1", headers={"Content-Type": "application/octet-stream"})

    page = await renderer.render("http://r.example/data")
    with pytest.raises(UnsupportedContent):
        await renderer.render("http://r.example/file")

    assert (page.media_type, page.body) == ("application/json", b'{"a": 1}')


async def test_what_may_not_or_cannot_be_opened_is_an_error(renderer: Chromium, web: MiniWeb) -> None:
    web.names.answer("inside.r.example", "10.0.0.7")

    with pytest.raises(InvalidUrl):
        await renderer.render("file:///etc/passwd")
    with pytest.raises(SsrfBlocked):
        await renderer.render("http://inside.r.example/")
    with pytest.raises(FetchFailed):
        await renderer.render("http://nowhere.r.example/")
    assert web.private.reached == []


async def test_deadline_that_has_passed_fails_the_call_and_not_the_next(renderer: Chromium, web: MiniWeb) -> None:
    web.site("r.example").page("/late", "<!doctype html><title>L</title><p>In time.</p>")

    with pytest.raises(RenderFailed):
        await renderer.render("http://r.example/late", deadline=anyio.current_time())
    page = await renderer.render("http://r.example/late")

    assert b"In time." in page.body


async def test_nothing_is_left_when_it_is_closed_however_far_it_came(
    opener: Callable[[MiniWeb, RenderOptions], Chromium], web: MiniWeb
) -> None:
    web.site("r.example").page("/end", "<!doctype html><title>E</title><p>The end.</p>")
    known = set(browser_processes())
    unused, warming, used = (opener(web, RenderOptions(enabled=True, timeout=55.0)) for _ in range(3))

    warming.warm()
    await used.render("http://r.example/end")
    for one in (unused, warming, used):
        await one.aclose()
        await one.aclose()

    await eventually(lambda: not newcomers(known))


async def test_turned_off_it_says_how_to_turn_it_on_and_expects_nothing(
    opener: Callable[[MiniWeb, RenderOptions], Chromium], web: MiniWeb
) -> None:
    off = opener(web, RenderOptions())

    off.warm()
    with pytest.raises(RenderDisabled) as failure:
        await off.render("http://r.example/")
    await off.aclose()

    assert failure.value.suggestion
