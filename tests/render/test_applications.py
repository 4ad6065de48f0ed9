"""Single-page applications: the text is what a person sees."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from mcp_web.errors import FetchFailed
from mcp_web.extract.decode import decode
from mcp_web.render.chromium import Chromium
from miniweb import MiniWeb, Reply, Request

pytestmark = pytest.mark.anyio

_REPO = Path(__file__).resolve().parents[2]
_SOURCES = Path(__file__).parent / "spa"
_CACHE = _REPO / ".cache" / "spa"
_PACKAGES = ("react@19", "react-dom@19", "vue@3", "svelte@5", "esbuild@0")
_CHAPTERS = [
    {"title": f"Chapter {n}", "text": f"In the year {1870 + n} the keeper wrote: the lamp burned all night, wind {n}."}
    for n in range(1, 6)
]


def words(html: bytes) -> str:
    """The text of HTML, one space between words."""
    body = html.decode().partition("<body")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", "<body" + body)).split())


@pytest.fixture(scope="session")
def bundles() -> Path:
    """The three applications, built with npm once and kept."""
    built = _CACHE / "built"
    if (built / "svelte.js").exists():
        return built
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("npm is not installed")
    _CACHE.mkdir(parents=True, exist_ok=True)
    (_CACHE / "package.json").write_text('{"private": true}')
    environment = {**os.environ, "npm_config_cache": str(_CACHE / "npm")}
    install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", *_PACKAGES]
    done = subprocess.run(install, cwd=_CACHE, env=environment, capture_output=True, timeout=180, check=False)
    if done.returncode:
        pytest.skip("the npm packages could not be installed")
    subprocess.run([node, str(_SOURCES / "build.mjs"), str(_SOURCES), str(built)], cwd=_CACHE, timeout=60, check=True)
    return built


@pytest.mark.parametrize("framework", ["react", "vue", "svelte"])
async def test_application_reads_as_a_person_sees_it(
    framework: str, bundles: Path, renderer: Chromium, web: MiniWeb
) -> None:
    site = web.site("app.example")
    script = {"Content-Type": "text/javascript"}
    site.page(f"/spa/{framework}.js", (bundles / f"{framework}.js").read_bytes(), headers=script)
    site.page("/spa/chapters.json", json.dumps(_CHAPTERS), headers={"Content-Type": "application/json"})
    site.page(
        f"/{framework}",
        f"<!doctype html><title>Keepers</title><noscript>Enable JavaScript.</noscript><div id=root></div>"
        f"<script src=/spa/{framework}.js></script>",
    )

    page = await renderer.render(f"http://app.example/{framework}")

    expected = ["The lighthouse keepers", *(part for c in _CHAPTERS for part in (c["title"], c["text"]))]
    assert words(page.body) == " ".join(expected)
    assert page.media_type == "text/html"
    assert page.status == 200
    assert page.final_url == f"http://app.example/{framework}"


def lazy_list(web: MiniWeb, appended: str) -> None:
    """A list of sixty rows that loads twenty more when its end comes into view, and then does `appended`."""
    site = web.site("app.example")

    def rows(request: Request) -> Reply:
        first = int(request.query["from"][0])
        return Reply(json.dumps([f"Row number {n} of the list" for n in range(first, min(first + 20, 60))]))

    site.route("/rows", rows)
    site.page(
        "/lazy",
        """<!doctype html><title>List</title><style>li{height:60px}</style><ul id=list></ul><div id=end>.</div><script>
        let next = 0, busy = false;
        async function more() {
          if (busy) return; busy = true;
          for (const text of await (await fetch(`/rows?from=${next}`)).json()) {
            const li = document.createElement("li"); li.textContent = text; list.append(li); next += 1; }
          busy = false; APPENDED }
        new IntersectionObserver((seen) => { if (seen[0].isIntersecting) more(); }).observe(end);
        </script>""".replace("APPENDED", appended),
    )


# Rows that arrive just before the window is scrolled to the end again are seen by the page as the second kind.
@pytest.mark.parametrize("appended", ["", "end.scrollIntoView();"], ids=["end-moves-away", "end-stays-in-view"])
async def test_list_that_loads_while_scrolled_is_read_further_than_the_first_screen(
    renderer: Chromium, web: MiniWeb, appended: str
) -> None:
    lazy_list(web, appended)

    page = await renderer.render("http://app.example/lazy")

    assert [n for n in range(60) if f"Row number {n} of" not in words(page.body)] == []


async def test_endless_list_ends(renderer: Chromium, web: MiniWeb) -> None:
    web.site("app.example").page(
        "/endless",
        """<!doctype html><title>Endless</title><style>p{height:300px}</style><div id=list></div><script>
        const more = () => { for (let n = 0; n < 20; n++) { const p = document.createElement("p");
          p.textContent = "Entry " + document.querySelectorAll("p").length; list.append(p); } };
        more();
        addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 500) more(); });
        </script>""",
    )

    page = await renderer.render("http://app.example/endless")

    assert "Entry 40" in words(page.body)
    assert "The page loads more when it is scrolled further." in page.notes


async def test_shadow_roots_and_slots_are_read_in_their_place(renderer: Chromium, web: MiniWeb) -> None:
    web.site("app.example").page(
        "/shadow",
        """<!doctype html><title>Shadow</title><h1>Before</h1>
        <fancy-card><span slot=name>Ada</span> wrote the first program</fancy-card><p>After</p><script>
        customElements.define("inner-note", class extends HTMLElement { connectedCallback() {
          this.attachShadow({mode: "closed"}).innerHTML = "<em>a closed note</em>"; } });
        customElements.define("fancy-card", class extends HTMLElement { connectedCallback() {
          this.attachShadow({mode: "open"}).innerHTML =
            "<style>p{color:red}</style><p>Name: <slot name=name>nobody</slot></p><slot></slot>; " +
            "<inner-note></inner-note>";
        } });</script>""",
    )

    page = await renderer.render("http://app.example/shadow")

    assert words(page.body) == "Before Name: Ada wrote the first program ; a closed note After"


async def test_frames_of_the_same_site_are_read_in_their_place(renderer: Chromium, web: MiniWeb) -> None:
    site, sister, stranger = web.site("www.frames.example"), web.site("docs.frames.example"), web.site("else.example")
    site.page("/inner", "<!doctype html><p>From the same host.</p>")
    sister.page("/", "<!doctype html><p>From a sister host.</p>")
    stranger.page("/", "<!doctype html><p>From a stranger.</p>")
    site.page(
        "/",
        "<!doctype html><title>Frames</title><p>One.</p><iframe src=/inner></iframe><p>Two.</p>"
        "<iframe src=http://docs.frames.example/></iframe><p>Three.</p><iframe src=http://else.example/></iframe>",
    )

    page = await renderer.render("http://www.frames.example/")

    assert words(page.body) == "One. From the same host. Two. From a sister host. Three."
    assert stranger.log == []
    assert any('"else.example"' in note for note in page.notes)


async def test_frames_are_read_where_the_scripts_of_their_page_cannot_reach(renderer: Chromium, web: MiniWeb) -> None:
    site, sister = web.site("www.reach.example"), web.site("docs.reach.example")
    sister.page("/named", "<!doctype html><img name=body><p>Beside a picture.</p>")
    sister.page(
        "/styled",
        "<!doctype html><p style=display:none>Hidden.</p><p>Seen.</p><script>const real = getComputedStyle;"
        "getComputedStyle = (...rest) => new Proxy(real(...rest),"
        " { get: (style, name) => (name === 'display' ? 'block' : style[name]) });</script>",
    )
    site.page(
        "/",
        "<!doctype html><title>Reach</title><p>One.</p><iframe src=http://docs.reach.example/named></iframe>"
        "<iframe src=http://docs.reach.example/styled></iframe>"
        "<script>Element.prototype.setAttribute = () => undefined</script>",
    )

    page = await renderer.render("http://www.reach.example/")

    assert words(page.body) == "One. Beside a picture. Seen."
    assert page.hidden == 1


async def test_frames_in_a_sandbox_are_read_in_their_place(renderer: Chromium, web: MiniWeb) -> None:
    site, sister = web.site("www.boxes.example"), web.site("docs.boxes.example")
    site.page("/own", "<!doctype html><p>Own.</p>")
    sister.page("/", "<!doctype html><p>Sister.</p>")
    site.page("/between", "<!doctype html><p>Between.</p><iframe sandbox src=http://docs.boxes.example/></iframe>")
    site.page(
        "/",
        "<!doctype html><title>Boxes</title><p>One.</p><iframe sandbox src=/own></iframe><p>Two.</p>"
        "<iframe sandbox srcdoc='<p>Written here.'></iframe><p>Three.</p><iframe src=/between></iframe>",
    )

    page = await renderer.render("http://www.boxes.example/")

    assert words(page.body) == "One. Own. Two. Written here. Three. Between. Sister."


async def test_text_that_a_timer_brings_is_waited_for(renderer: Chromium, web: MiniWeb) -> None:
    filler = "<p>" + "The page already has text. " * 10 + "</p>"
    web.site("app.example").page(
        "/timer",
        f"<!doctype html><title>Timer</title>{filler}<p id=late></p>"
        "<script>setTimeout(() => { late.textContent = 'And this came late.' }, 900)</script>",
    )

    page = await renderer.render("http://app.example/timer")

    assert words(page.body).endswith("And this came late.")


async def test_text_that_is_not_html_is_read_in_the_encoding_that_the_browser_returns(
    renderer: Chromium, web: MiniWeb
) -> None:
    body = '<?xml version="1.0" encoding="windows-1251"?><a>Привет, мир</a>'.encode("windows-1251")
    web.site("app.example").page("/greeting", body, headers={"Content-Type": "application/xml"})

    page = await renderer.render("http://app.example/greeting")

    assert "Привет, мир" in decode(page).text


async def test_consent_banner_is_declined_or_left_out(renderer: Chromium, web: MiniWeb) -> None:
    web.site("app.example").page(
        "/consent",
        """<!doctype html><title>Consent</title><p>The article itself, long enough to be one. Read on below.</p>
        <div id=onetrust-banner-sdk style="position:fixed;bottom:0">We value your privacy
          <button id=onetrust-accept-btn-handler onclick="choice.textContent='accepted'">Accept all</button>
          <button id=onetrust-reject-all-handler onclick="choice.textContent='declined'">Reject all</button></div>
        <div role=dialog class=cookie-notice style="position:fixed;top:0">This site uses cookies.</div>
        <p id=choice>undecided</p><script>1</script>""",
    )

    page = await renderer.render("http://app.example/consent")

    assert words(page.body) == "The article itself, long enough to be one. Read on below. declined"
    assert "A consent banner was left out." in page.notes


async def test_redirect_to_another_site_is_followed(renderer: Chromium, web: MiniWeb) -> None:
    web.site("short.example").redirect("/x", "http://landing.example/y")
    web.site("landing.example").page("/y", "<!doctype html><title>Y</title><p>Landed.</p>")

    page = await renderer.render("http://short.example/x")

    assert words(page.body) == "Landed."
    assert page.final_url == "http://landing.example/y"


async def test_page_that_sends_its_reader_on_by_script_is_followed(renderer: Chromium, web: MiniWeb) -> None:
    web.site("old.example").page(
        "/", "<!doctype html><p>KeptNavigating.</p><script>location = 'http://new.example/'</script>"
    )
    web.site("new.example").page("/", "<!doctype html><title>New</title><p>The new home.</p>")

    page = await renderer.render("http://old.example/")

    assert words(page.body) == "The new home."


async def test_pictures_fonts_and_media_are_not_loaded(renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("pictures.example")
    site.page(
        "/",
        "<!doctype html><title>P</title><style>@font-face{font-family:f;src:url(/f.woff2)}p{font-family:f}</style>"
        "<p style='background:url(/b.png)'>Text.</p><img src=/a.png alt=A><video src=/v.mp4 autoplay></video>",
    )

    page = await renderer.render("http://pictures.example/")

    assert {request.path for request in site.log} <= {"/", "/favicon.ico"}
    assert b'src="http://pictures.example/a.png"' in page.body


async def test_address_that_is_no_page_is_given_as_it_is(renderer: Chromium, web: MiniWeb) -> None:
    web.site("app.example").page("/data", '{"answer": 42}', headers={"Content-Type": "application/json"})

    page = await renderer.render("http://app.example/data")

    assert (page.media_type, page.body) == ("application/json", b'{"answer": 42}')


async def test_page_behind_tls_of_the_operators_authority_is_opened(renderer: Chromium, web: MiniWeb) -> None:
    if shutil.which("certutil") is None:
        pytest.skip("certutil is not installed")
    url = web.site("secure.example").page("/", "<!doctype html><title>S</title><p>Behind TLS.</p>")

    page = await renderer.render(url)

    assert words(page.body) == "Behind TLS."
    assert page.final_url == "https://secure.example/"


async def test_certificate_nobody_vouches_for_is_refused(renderer: Chromium, web: MiniWeb) -> None:
    site = web.site("secure.example")
    site.page("/", "<!doctype html><p>Behind TLS.</p>")
    web.names.answer("impostor.example", site.address)

    with pytest.raises(FetchFailed, match="ERR_CERT"):
        await renderer.render("https://impostor.example/")
