"""When a page needs a browser, and when it does not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mcp_web.model.page import Document, Wall
from mcp_web.render.need import needs_browser
from mcp_web.text.html_facts import html_facts

_SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "extraction"
_WORDS = "A sentence of an ordinary article that anybody can read. "


def read(chars: int, wall: Wall | None = None) -> Document:
    return Document(title="T", markdown=(_WORDS * (chars // len(_WORDS) + 1))[:chars], extractor="x@1", wall=wall)


SHELLS = {
    "react": b"<div id=root></div><script src=/static/main.js></script>",
    "create-react-app": b"<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div>"
    b"<script defer src=/a.js></script>",
    "vue": b'<div id="app"></div><script type=module src=/a.js></script>',
    "angular": b"<app-root></app-root><script src=main.js></script>",
    "next without server": b'<div id="__next"></div><script src=/_next/x.js></script>',
    "spinner": b'<div id="root"><div class="spinner"><span>Loading</span></div></div><script src=a.js></script>',
    "swagger": b"<div id=swagger-ui></div><script src=swagger-ui-bundle.js></script>",
    "redoc": b"<redoc spec-url=api.yaml></redoc><script src=redoc.standalone.js></script>",
    "docsify": b"<div id=app>Please wait...</div><script src=//cdn/docsify.min.js></script>",
    "says so": b"<p>This site requires JavaScript. Please enable JavaScript.</p><script src=a.js></script>",
    "nothing at all": b"<body><script src=a.js></script></body>",
}

STATIC = {
    "article": (_WORDS * 30).encode() + b"<script src=analytics.js></script>",
    "short without scripts": b"<h1>It works!</h1>",
    "empty without scripts": b"",
    "short with analytics": b"<h1>Opening hours</h1><p>" + _WORDS.encode() * 5 + b"</p><script>ga()</script>",
    "rendered on the server": b"<div id=__next><main>" + _WORDS.encode() * 30 + b"</main></div><script src=x></script>",
    "noscript for a pixel": _WORDS.encode() * 20 + b"<noscript><img src=pixel></noscript><script src=x></script>",
    "data only": b'<script type="application/ld+json">{}</script><p>Short.</p>',
}


@pytest.mark.parametrize("name", SHELLS)
def test_shell_needs_a_browser(name: str) -> None:
    need = needs_browser(read(20), html_facts(b"<!doctype html><html><body>" + SHELLS[name]))

    assert need is not None
    assert need.endswith(".")


@pytest.mark.parametrize("name", STATIC)
def test_static_page_never_needs_a_browser(name: str) -> None:
    facts = html_facts(b"<!doctype html><html><body>" + STATIC[name])

    assert needs_browser(read(facts.chars), facts) is None


def test_page_that_was_read_is_not_rendered_whatever_it_is_built_with() -> None:
    assert needs_browser(read(2000), html_facts(SHELLS["react"])) is None


@pytest.mark.parametrize("wall", ["paywall", "login", "bot"])
def test_wall_is_not_overcome_by_a_browser(wall: Wall) -> None:
    assert needs_browser(read(50, wall), html_facts(SHELLS["react"])) is None


def test_nothing_read_of_a_page_with_scripts_is_a_shell() -> None:
    need = needs_browser(None, html_facts(SHELLS["nothing at all"]))

    assert need == "The page has scripts and almost no text."


@pytest.mark.parametrize("piece", [b"<script>", b"<", b"<div id=root>", b"<noscript>", b"<div id=app><div>x</div>"])
def test_hostile_markup_is_judged_without_being_parsed(piece: bytes) -> None:
    html_facts(piece * (1_000_000 // len(piece)))


def test_real_static_pages_do_not_need_a_browser() -> None:
    """Gold texts of the shared corpus stand for what the extractor reads."""
    manifest = _SHARED / "manifest.jsonl"
    if not manifest.exists():
        pytest.skip("the shared corpus of pages is not here")
    rows = [json.loads(line) for line in manifest.read_text().splitlines()][::6]
    judged, rendered = 0, []
    for row in rows:
        page = _SHARED / "html" / row["set"] / f"{row['id']}.html.gz"
        if not page.exists():
            continue
        judged += 1
        facts = html_facts(gzip.decompress(page.read_bytes()))
        if needs_browser(read(min(facts.chars, 5000)), facts) is not None:
            rendered.append(row["id"])

    assert judged > 80
    assert rendered == []
