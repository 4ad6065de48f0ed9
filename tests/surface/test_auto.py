"""mode=auto: shells are opened in the browser, pages that can be read without one never are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from mcp_web.render.chromium import find_chromium
from miniweb import MiniWeb

from .tool_caller import ToolCaller, tool_caller

pytestmark = pytest.mark.anyio

_SENTENCE = "The keeper wrote down what the lamp had seen in the night, and went to bed. "
_ARTICLE = f"<article><h1>The log</h1><p>{_SENTENCE * 10}</p><p>{_SENTENCE * 10}</p></article>"
_DRAW = f"document.body.innerHTML = {_ARTICLE!r}"
_SCRIPT = "<script src=/draw.js></script>"

# What documentation and applications send before their scripts run.
SHELLS = {
    "react": f"<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>{_SCRIPT}",
    "vue": f"<div id=app></div>{_SCRIPT}",
    "angular": f"<app-root></app-root>{_SCRIPT}",
    "svelte": f"<div style='display: contents'></div>{_SCRIPT}",
    "nuxt": f"<div id=__nuxt></div><div id=teleports></div>{_SCRIPT}",
    "swagger": f"<div id=swagger-ui></div><script src=/swagger-ui-bundle.js></script>{_SCRIPT}",
    "redoc": f"<redoc spec-url=/openapi.json></redoc>{_SCRIPT}",
    "rapidoc": f"<rapi-doc spec-url=/openapi.json></rapi-doc>{_SCRIPT}",
    "scalar": f"<script id=api-reference data-url=/openapi.json></script>{_SCRIPT}",
    "stoplight": f"<elements-api apiDescriptionUrl=/openapi.json></elements-api>{_SCRIPT}",
    "docsify": f"<nav>Docs</nav><div id=app>Please wait...</div><script>window.$docsify = {{}}</script>{_SCRIPT}",
    "graphiql": f"<div id=graphiql>Loading...</div>{_SCRIPT}",
    "storybook": f"<div class=sb-wrapper>No Preview</div><div id=storybook-root></div>{_SCRIPT}",
    "blazor": f"<div id=app>Loading...</div><div id=blazor-error-ui>An unhandled error has occurred.</div>{_SCRIPT}",
    "flutter": f"<script src=/flutter_bootstrap.js async></script>{_SCRIPT}",
    "elm": f"<script>var app</script>{_SCRIPT}",
}


@pytest.fixture
async def caller(miniweb: MiniWeb, tmp_path: Path) -> AsyncIterator[ToolCaller]:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("playwright")
    async with tool_caller(miniweb, tmp_path, MCP_WEB_RENDER_ENABLED="true") as made:
        yield made


def documents(miniweb: MiniWeb, host: str) -> dict[str, int]:
    """How often each page of a host was asked for."""
    paths = [request.path for request in miniweb.site(host).log]
    return {path: paths.count(path) for path in paths if not path.endswith((".js", ".txt", ".ico"))}


async def test_shells_are_drawn_and_read(caller: ToolCaller, miniweb: MiniWeb) -> None:
    unread = []
    for name, html in SHELLS.items():
        site = miniweb.site(f"{name}.shell.example")
        site.page("/draw.js", _DRAW, headers={"Content-Type": "text/javascript"})
        site.page("/", f"<!doctype html><html><head><title>{name}</title></head><body>{html}</body></html>")
        opened = await caller.data("web_open", url=f"http://{name}.shell.example/")
        if "what the lamp had seen" not in opened["content"] or "Rendered in a browser" not in str(opened["notes"]):
            unread.append(name)

    assert unread == []


async def test_static_pages_never_start_the_browser(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("static.example")
    pages = {
        "/article": _ARTICLE + "<script src=/analytics.js></script>",
        "/short": "<h1>It works!</h1>",
        "/server-rendered": f"<div id=__next>{_ARTICLE}</div><script src=/next.js></script>",
        "/empty": "",
        "/hours": f"<h1>Opening hours</h1><p>{_SENTENCE * 4}</p><script>dataLayer = []</script>",
    }
    for path, html in pages.items():
        site.page(path, f"<!doctype html><title>S</title>{html}")
        await caller.call("web_open", url=f"http://static.example{path}")

    assert "_renderer" not in caller.app.__dict__


async def test_static_page_beside_an_application_is_not_drawn(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("mixed.example")
    site.page("/draw.js", _DRAW, headers={"Content-Type": "text/javascript"})
    site.page("/app", f"<!doctype html><title>App</title>{SHELLS['react']}")
    site.page("/app2", f"<!doctype html><title>App</title>{SHELLS['react']}")
    site.page("/page", f"<!doctype html><title>Page</title>{_ARTICLE}<script src=/draw.js></script>")

    app = await caller.data("web_open", url="http://mixed.example/app")
    page = await caller.data("web_open", url="http://mixed.example/page")
    again = await caller.data("web_open", url="http://mixed.example/app2")

    assert [("Rendered in a browser" in str(one["notes"])) for one in (app, page, again)] == [True, False, True]
    assert documents(miniweb, "mixed.example") == {"/app": 2, "/page": 1, "/app2": 2}


async def test_page_that_a_browser_does_not_help_is_drawn_once(caller: ToolCaller, miniweb: MiniWeb) -> None:
    site = miniweb.site("hollow.example")
    site.page("/", "<!doctype html><title>Hollow</title><div id=root></div><script>0</script><p>Nothing more.</p>")

    for _ in range(3):
        await caller.call("web_open", url="http://hollow.example/", max_age=0)

    assert documents(miniweb, "hollow.example") == {"/": 4}


async def test_callers_that_want_a_page_with_and_without_its_scripts_get_what_they_want(
    caller: ToolCaller, miniweb: MiniWeb
) -> None:
    site, contents = miniweb.site("shared.example"), dict[str, str]()
    site.page("/draw.js", _DRAW, headers={"Content-Type": "text/javascript"})
    site.page("/", f"<!doctype html><html><head><title>App</title></head><body>{SHELLS['react']}</body></html>")

    async def one(mode: str) -> None:
        contents[mode] = (await caller.data("web_open", url="http://shared.example/", mode=mode))["content"]

    async with anyio.create_task_group() as tasks:
        for mode in ("readable", "auto"):
            tasks.start_soon(one, mode)
    assert "what the lamp had seen" in contents["auto"]
    assert "what the lamp had seen" not in contents["readable"]
