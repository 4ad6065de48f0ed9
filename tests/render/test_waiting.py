"""Work that a page has begun is waited for, whatever it is done with; what is asked for late comes late on purpose."""

from __future__ import annotations

import json

import pytest

from mcp_web.errors import FetchFailed
from mcp_web.render.chromium import Chromium
from mcp_web.render.options import RenderOptions
from miniweb import MiniWeb, Request, Wire

pytestmark = pytest.mark.anyio

_FILLER = "<p>" + "The page has text of its own already, enough to be taken for all there is. " * 3 + "</p>"
_LATE = "And this came late."
_SAY = f"""const say = (text) => {{ late.textContent = text }}; const late_text = {_LATE!r};
const get = () => fetch('/slow/text').then((answer) => answer.text())"""
_SLOW = 0.7  # seconds the server takes: longer than any quiet that would be taken for the end

WAYS = {
    "fetch": "get().then(say)",
    "fetch after fetch": "get().then(get).then(say)",
    "a body that comes late": "fetch('/late-body').then(r => r.json()).then(say)",
    "XMLHttpRequest": """const x = new XMLHttpRequest(); x.open('GET', '/slow/text');
        x.onload = () => say(x.responseText); x.send()""",
    "a module": "import('/slow/module.js').then(m => say(m.default))",
    "a script put in": "const s = document.createElement('script'); s.src = '/slow/script.js'; document.head.append(s)",
    "a style sheet put in": """const l = document.createElement('link'); l.rel = 'stylesheet';
        l.href = '/slow/style.css'; l.onload = () => say(late_text); document.head.append(l)""",
    "a timer": "setTimeout(() => say(late_text), 800)",
    "a timer beside an image called dispatchEvent": """setTimeout(() => say(late_text), 800);
        document.body.insertAdjacentHTML('beforeend', '<img name=dispatchEvent hidden>')""",
    "timers after each other": "setTimeout(() => setTimeout(() => say(late_text), 400), 400)",
    "frames": "requestAnimationFrame(() => requestAnimationFrame(() => say(late_text)))",
    "messages": """const c = new MessageChannel(); let n = 0;
        c.port1.onmessage = () => { if (++n < 20) c.port2.postMessage(0); else say(late_text) };
        c.port2.postMessage(0)""",
    "fetch from a timer": "setTimeout(() => get().then(say), 300)",
    "fetch after loading": "addEventListener('load', () => get().then(say))",
    "another page": "setTimeout(() => { location = '/slow/page' }, 50)",
}
_TYPES = {".js": "text/javascript", ".css": "text/css", "text": "text/plain", "page": "text/html"}


def _head(kind: str, length: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def serve(web: MiniWeb) -> None:
    bodies = {
        "/slow/text": _LATE,
        "/slow/module.js": f"export default {_LATE!r}",
        "/slow/script.js": "say(late_text)",
        "/slow/style.css": "p { color: black }",
        "/slow/page": f"<!doctype html><title>Other</title>{_FILLER}<p>{_LATE}</p>",
    }

    async def slow(request: Request, wire: Wire) -> None:
        body = bodies[request.path].encode()
        kind = next(kind for end, kind in _TYPES.items() if request.path.endswith(end))
        await wire.wait(_SLOW)
        await wire.send(_head(kind, len(body)) + body)

    async def late_body(request: Request, wire: Wire) -> None:
        body = json.dumps(_LATE).encode()
        await wire.send(_head("application/json", len(body)))
        await wire.wait(_SLOW)
        await wire.send(body)

    site = web.site("waiting.example")
    for path in bodies:
        site.behave(path, slow)
    site.behave("/late-body", late_body)


@pytest.mark.parametrize("way", WAYS)
async def test_late_text_is_read(way: str, renderer: Chromium, web: MiniWeb) -> None:
    serve(web)
    path = "/" + way.replace(" ", "-")
    script = f"<script>{_SAY}; {WAYS[way]}</script>"
    web.site("waiting.example").page(path, f"<!doctype html><title>W</title>{_FILLER}<p id=late></p>{script}")

    page = await renderer.render(f"http://waiting.example{path}")

    assert _LATE.encode() in page.body


async def test_refresh_that_comes_at_once_is_followed(renderer: Chromium, web: MiniWeb) -> None:
    serve(web)
    refresh = "<meta http-equiv=refresh content='1; url=/slow/page'>"
    web.site("waiting.example").page("/refresh", f"<!doctype html><title>W</title>{refresh}{_FILLER}")

    page = await renderer.render("http://waiting.example/refresh")

    assert _LATE.encode() in page.body
    assert page.final_url == "http://waiting.example/slow/page"


@pytest.mark.parametrize("place", ["/file", "/empty"])
async def test_page_that_leads_to_nothing_that_can_be_shown_is_read(
    place: str, renderer: Chromium, web: MiniWeb
) -> None:
    site = web.site("waiting.example")
    binary = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"}
    site.page("/file", "x", headers=binary)
    site.page("/empty", "", status=204)
    site.page("/", f"<!doctype html><title>Leads</title>{_FILLER}<script>location = '{place}'</script>")

    page = await renderer.render("http://waiting.example/")

    assert b"text of its own" in page.body
    assert (page.status, page.media_type) == (200, "text/html")


async def test_page_that_leads_to_one_that_never_comes_is_read(renderer: Chromium, web: MiniWeb) -> None:
    async def hang(request: Request, wire: Wire) -> None:
        await wire.wait(60)

    site = web.site("waiting.example")
    site.behave("/never", hang)
    script = "<script>setTimeout(() => { location = '/never' }, 200)</script>"
    site.page("/on", f"<!doctype html><title>Leads</title>{_FILLER}{script}")
    hurried = Chromium(RenderOptions(enabled=True, timeout=12.0), web.dialer())

    page = await hurried.render("http://waiting.example/on")
    await hurried.aclose()

    assert b"text of its own" in page.body
    assert "Some requests of the page were never answered." in page.notes


async def test_page_that_leads_to_one_that_the_browser_does_not_open_says_why(renderer: Chromium, web: MiniWeb) -> None:
    script = "<script>location = 'http://waiting.example:6000/'</script>"
    web.site("waiting.example").page("/port", f"<!doctype html><title>Leads</title>{_FILLER}{script}")

    with pytest.raises(FetchFailed, match=r"led to http://waiting\.example:6000/, .*: ERR_UNSAFE_PORT"):
        await renderer.render("http://waiting.example/port")


async def test_page_that_cannot_be_interrupted_is_read_when_it_answers_again(renderer: Chromium, web: MiniWeb) -> None:
    """A synchronous request blocks the page for longer than a script may, and no script runs that could be stopped."""

    async def long(request: Request, wire: Wire) -> None:
        await wire.wait(8.0)
        await wire.send(_head("text/plain", 0))

    site = web.site("waiting.example")
    site.behave("/long", long)
    script = "<script>const x = new XMLHttpRequest(); x.open('GET', '/long', false); x.send()</script>"
    site.page("/blocked", f"<!doctype html><title>B</title>{_FILLER}{script}<p>{_LATE}</p>")

    page = await renderer.render("http://waiting.example/blocked")

    assert _LATE.encode() in page.body
