"""Hostile pages: nothing private is reached, every call ends with an answer or a clean error, nothing stays behind."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator

import anyio
import pytest

from mcp_web.errors import FetchFailed, RenderFailed, SsrfBlocked, UnsupportedContent, WebError
from mcp_web.render.chromium import Chromium, find_chromium
from mcp_web.render.options import RenderOptions
from mcp_web.render.rendered import Rendered
from miniweb import MiniWeb, Reply, Request, Wire
from render.processes import browser_processes, eventually, profiles
from render.vectors import HOGS, NAVIGATIONS, SUBRESOURCES
from render.victims import Victims
from security.cases import rows

pytestmark = pytest.mark.anyio

_INSIDE = "inside.hostile.example"  # a public name with a private address


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    victims = Victims()
    yield victims
    victims.close()


@pytest.fixture(scope="module")
async def open_renderer(anyio_backend: str, web: MiniWeb) -> AsyncIterator[Chromium]:
    """All third parties and pictures allowed: only the address guard stands between a page and the victims."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    web.names.answer(_INSIDE, "10.0.0.5")
    site = web.site("hostile.example")
    site.route("/redirect", lambda request: Reply("", 302, {"Location": request.query["to"][0]}))
    site.page("/sw.js", "self.oninstall = () => fetch(new URL(location).searchParams.get('to'), {mode: 'no-cors'})")
    options = RenderOptions(enabled=True, screenshot=True, third_parties=("*",), timeout=55.0)  # for a busy machine
    chromium = Chromium(options, web.dialer(), ca_bundle=web.ca_bundle)
    yield chromium
    await chromium.aclose()


@pytest.fixture(scope="module")
async def hog_renderer(anyio_backend: str, web: MiniWeb) -> AsyncIterator[Chromium]:
    """A browser of its own for pages that take all of it."""
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    chromium = Chromium(RenderOptions(enabled=True, max_pages=5), web.dialer())
    yield chromium
    await chromium.aclose()


BRIEF = 3.0  # seconds for a page that never ends: the tests are done sooner


async def render(renderer: Chromium, url: str, seconds: float = 60.0) -> Rendered | WebError:
    """The answer or the clean error; the time is a bound against hanging, not a measurement."""
    with anyio.fail_after(60):
        try:
            return await renderer.render(url, deadline=anyio.current_time() + seconds)
        except WebError as error:
            return error


def fill(html: str, place: str) -> str:
    return html.format(u=f"http://{place}/x", w=f"ws://{place}/x", hp=place)


def nothing_reached(web: MiniWeb, victims: Victims) -> bool:
    return victims.reached == [] and web.private.reached == []


def frames_page(web: MiniWeb, name: str, htmls: list[str]) -> str:
    site = web.site("hostile.example")
    for number, html in enumerate(htmls):
        site.page(f"/{name}/{number}", f"<!doctype html>{html}")
    frames = "".join(f"<iframe src=/{name}/{number} width=50 height=50></iframe>" for number in range(len(htmls)))
    site.page(f"/{name}", f"<!doctype html><title>Trap</title><p>Bait.</p>{frames}")
    return f"http://hostile.example/{name}"


@pytest.mark.parametrize("share", range(4))
async def test_no_way_of_loading_reaches_a_private_address(
    share: int, open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    places = [*victims.places, _INSIDE, f"{_INSIDE}:8080", "169.254.169.254", "metadata.google.internal"]
    chosen = list(SUBRESOURCES.items())[share::4]
    htmls = [fill(html, places[(n * 2 + k) % len(places)]) for n, (_, html) in enumerate(chosen) for k in range(2)]

    page = await render(open_renderer, frames_page(web, f"load{share}", htmls))

    assert nothing_reached(web, victims)
    assert isinstance(page, Rendered)
    assert b"Bait." in page.body
    assert any("non-public addresses" in note for note in page.notes)


async def test_page_behind_tls_reaches_nothing_private_with_what_only_such_pages_may_use(
    open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    if shutil.which("certutil") is None:
        pytest.skip("certutil is not installed")
    site = web.site("hostile.example")
    names = ("webtransport", "service-worker", "webrtc", "paint-worklet", "audio-worklet", "websocket", "shared-worker")
    secure = "<script>document.body.append(isSecureContext && 'serviceWorker' in navigator ? 'secure' : 'not')</script>"
    own = "".join(fill(SUBRESOURCES[name], f"127.0.0.1:{victims.port}") for name in names)
    # It speaks QUIC whatever --disable-quic says; only the proxy stops it.
    outcome = ".ready.catch(() => document.body.append('no transport'))"
    udp = f"<script>new WebTransport('https://127.0.0.1:{victims.port}/x'){outcome}</script>"
    url = site.page("/tls", f"<!doctype html><title>T</title><body><p>Bait.</p>{own}{udp}{secure}")

    page = await render(open_renderer, url)

    assert nothing_reached(web, victims)
    assert isinstance(page, Rendered)
    assert b"secure" in page.body
    assert b"no transport" in page.body
    assert site.asked("/sw.js") == []


async def test_no_way_of_loading_in_the_corpus_reaches_a_private_address(
    open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    htmls = [
        fill(case["html"], place)
        for case in rows("ssrf_cases")
        if case["kind"] == "browser"
        for place in (f"127.0.0.1:{victims.port}", _INSIDE)
    ]

    page = await render(open_renderer, frames_page(web, "corpus", htmls))

    assert len(htmls) >= 40
    assert nothing_reached(web, victims)
    assert isinstance(page, Rendered)


async def test_the_victims_notice_a_browser_without_the_gate(web: MiniWeb) -> None:
    """The control: the same pages do reach the same listeners when nothing holds them."""
    from playwright.async_api import async_playwright

    victims = Victims()
    executable = find_chromium()
    if executable is None:
        pytest.skip("no Chromium on this machine")
    # None that leaves the page: that would end the others before they began.
    names = ("img", "fetch", "iframe", "websocket", "webrtc")
    html = "".join(fill(SUBRESOURCES[name], f"127.0.0.1:{victims.port}") for name in names)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable)
        page = await browser.new_page()
        await page.goto(web.site("hostile.example").loopback_url("/nothing"))
        await page.set_content(html)
        await eventually(lambda: {"tcp 127.0.0.1", "udp 127.0.0.1"} <= set(victims.reached))
        await browser.close()
    victims.close()


@pytest.mark.parametrize("name", NAVIGATIONS)
async def test_page_that_goes_to_a_private_address_is_refused(
    name: str, open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    site = web.site("hostile.example")
    place = victims.places[0] if name in ("location", "form") else _INSIDE
    site.page(f"/go/{name}", f"<!doctype html><title>Go</title>{fill(NAVIGATIONS[name], place)}")

    answer = await render(open_renderer, f"http://hostile.example/go/{name}")

    assert nothing_reached(web, victims)
    assert isinstance(answer, SsrfBlocked)
    assert place.partition(":")[0] in answer.message


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_redirect_to_a_private_address_is_refused(
    scheme: str, open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    site = web.site("hostile.example")
    site.redirect("/r1", f"http://hostile.example/r2?{scheme}")
    site.route("/r2", lambda request: Reply("", 307, {"Location": f"{request.target[4:]}://{_INSIDE}/"}))
    site.page("/refresh", "<p>Bait.", headers={"Refresh": f"0;url={scheme}://127.0.0.1:{victims.port}/"})

    answers = [await render(open_renderer, f"http://hostile.example/{path}") for path in ("r1", "refresh")]

    assert nothing_reached(web, victims)
    assert [type(answer) for answer in answers] == [SsrfBlocked, SsrfBlocked]


async def test_private_address_asked_for_outright_is_refused(
    open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    urls = [f"http://127.0.0.1:{victims.port}/", f"http://{_INSIDE}/", f"https://{_INSIDE}/", "http://[::1]/"]

    answers = [await render(open_renderer, url) for url in urls]

    assert {type(answer) for answer in answers} == {SsrfBlocked}
    assert nothing_reached(web, victims)


async def test_name_that_rebinds_after_the_page_was_loaded_is_refused(
    open_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    site = web.site("rebind.example")
    site.page(
        "/",
        "<!doctype html><title>R</title><p id=p>Bait.</p><script>fetch('/again').then(r => r.text())"
        ".then(t => { p.textContent = t }).catch(() => { p.textContent = 'refused' })</script>",
    )
    web.names.answer_in_turn("rebind.example", [site.address], ["127.0.0.1"])

    page = await render(open_renderer, "http://rebind.example/")

    assert nothing_reached(web, victims)
    assert isinstance(page, Rendered)
    assert b"secret" not in page.body
    assert any('"rebind.example"' in note for note in page.notes)


async def test_local_files_and_other_schemes_are_not_opened(open_renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("hostile.example")
    site.page(
        "/files",
        """<!doctype html><title>F</title><p>Bait.</p><iframe src=file:///etc/passwd></iframe>
        <object data=file:///etc/passwd></object><a id=m href=mailto:a@b.c>m</a><a id=c href=custom://x>c</a><script>
        fetch("file:///etc/passwd").then(r => r.text()).then(t => document.body.append(t)).catch(() => 0);
        m.click(); c.click();
        location = "file:///etc/passwd"; location = "chrome://version"; location = "view-source:x";
        </script>""",
    )

    page = await render(open_renderer, "http://hostile.example/files")

    assert isinstance(page, Rendered)
    assert b"Bait." in page.body
    assert b"root:" not in page.body
    assert "xdg-open" not in " ".join(browser_processes().values())


async def test_download_is_not_saved(open_renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("hostile.example")
    headers = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=x.bin"}
    site.page("/x.bin", b"\0" * 100_000, headers=headers)
    site.page(
        "/dl", "<!doctype html><title>D</title><p>Bait.</p><a id=a download href=/x.bin>x</a><script>a.click()</script>"
    )

    outright = await render(open_renderer, "http://hostile.example/x.bin")
    by_script = await render(open_renderer, "http://hostile.example/dl")

    assert isinstance(outright, UnsupportedContent)
    assert isinstance(by_script, Rendered)
    assert b"Bait." in by_script.body


@pytest.mark.parametrize("share", range(3))
async def test_page_that_hogs_the_machine_ends_in_time(share: int, hog_renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("hostile.example")
    chosen = list(HOGS.items())[share::3]
    answers: dict[str, Rendered | WebError] = {}

    async def one(name: str, html: str) -> None:
        path = f"/hog-{name.replace(' ', '-')}"
        site.page(path, f"<!doctype html><title>Hog</title>{html}")
        answers[name] = await render(hog_renderer, f"http://hostile.example{path}", BRIEF)

    async with anyio.create_task_group() as group:
        for name, html in chosen:
            group.start_soon(one, name, html)

    assert len(answers) == len(chosen)
    for answer in answers.values():
        assert isinstance(answer, RenderFailed) or (isinstance(answer, Rendered) and b"Bait." in answer.body), answer


async def test_answer_that_never_ends_ends_in_time(
    open_renderer: Chromium, hog_renderer: Chromium, web: MiniWeb
) -> None:
    async def drip(request: Request, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>Bait." + b" " * 2000)
        while True:
            await wire.send(b"<p>more</p>" * 10)
            await wire.wait(0.25)

    async def silence(request: Request, wire: Wire) -> None:
        await wire.wait(60)

    site = web.site("hostile.example")
    site.behave("/drip", drip)
    site.behave("/silence", silence)
    answers: dict[str, Rendered | WebError] = {}

    async def one(name: str, renderer: Chromium, seconds: float) -> None:
        answers[name] = await render(renderer, f"http://hostile.example/{name}", seconds)

    async with anyio.create_task_group() as group:
        group.start_soon(one, "drip", open_renderer, 15.0)  # what came until then is read
        group.start_soon(one, "silence", hog_renderer, BRIEF)

    assert isinstance(answers["drip"], Rendered)
    assert isinstance(answers["silence"], RenderFailed)


async def test_unreachable_host_is_a_failed_fetch(open_renderer: Chromium) -> None:
    answer = await render(open_renderer, "http://nowhere.hostile.example/")

    assert isinstance(answer, FetchFailed)
    assert "could not be resolved" in answer.message


async def test_after_all_this_the_browsers_still_work_and_then_are_gone(
    open_renderer: Chromium, hog_renderer: Chromium, web: MiniWeb, victims: Victims
) -> None:
    web.site("good.example").page("/", "<!doctype html><title>G</title><p>Still here.</p>")
    both = (open_renderer, hog_renderer)

    for renderer in both:
        with anyio.fail_after(60):
            while not isinstance(await render(renderer, "http://good.example/"), Rendered):
                pass  # a browser that a page has ended is started again, which a busy machine may not do in time
    before = profiles()
    for renderer in both:
        await renderer.aclose()

    assert nothing_reached(web, victims)
    await eventually(lambda: len(profiles()) <= len(before) - 2)
