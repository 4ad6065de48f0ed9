"""The page's routes: overview, archive, one snapshot, figures. Reading only, no scripts."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_web import __version__
from mcp_web.contracts.sets import tools_offered
from mcp_web.errors import WebError
from mcp_web.tools.page_view import ago, iso
from mcp_web.web import html

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App

_STATIC = Path(__file__).with_name("static")
_TYPES = {".css": "text/css", ".svg": "image/svg+xml"}
# Nothing of a kept page may run, load or frame anything.
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


def page_routes(app: App) -> list[Any]:
    from starlette.routing import Route

    begun = time.time()

    async def overview(request: Request) -> str:
        return await _overview(app, str(request.base_url), begun)

    async def archive(request: Request) -> str:
        return await _archive(app, request.query_params.get("q", ""))

    async def snapshot(request: Request) -> str:
        return await _snapshot(app, request.path_params["hash"])

    async def figures(request: Request) -> str:
        return await _figures(app)

    return [
        Route("/", _shown(overview)),
        Route("/archive", _shown(archive)),
        Route("/archive/{hash}", _shown(snapshot)),
        Route("/figures", _shown(figures)),
        Route("/static/{name}", _static),
    ]


def _shown(make: Callable[[Request], Awaitable[str]]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        from starlette.responses import HTMLResponse

        try:
            return HTMLResponse(await make(request), headers=_HEADERS)
        except WebError as error:
            words = f"<p class=error>{html.text(error.message)} {html.text(error.way_on)}</p>"
            status = 404 if error.code == "NOT_FOUND" else 500
            return HTMLResponse(html.page("Error", "", words), status, headers=_HEADERS)

    return respond


async def _static(request: Request) -> Response:
    from starlette.responses import PlainTextResponse, Response

    found = {path.name: path for path in _STATIC.iterdir()}.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("not found\n", 404)
    headers = {"cache-control": "max-age=3600", "x-content-type-options": "nosniff"}
    return Response(found.read_bytes(), media_type=_TYPES.get(found.suffix, "text/plain"), headers=headers)


async def _overview(app: App, base: str, begun: float) -> str:
    from mcp_web.web.connect import claude_code_line

    trouble = await app.trouble()
    size = await (await app.store()).size()
    tools = tools_offered(app.tools)
    state = html.facts(
        {
            "state": "ready" if not trouble else f"not ready: {trouble}",
            "version": __version__,
            "up for": ago(time.time() - begun),
            "profile": app.tools.contract or app.tools.profile,
            "kept": f"{size.pages:,} pages, {size.snapshots:,} versions, {_bytes(size.text_bytes)} of text",
        }
    )
    listed = html.table(
        ("tool", "what it does"),
        [
            (f"<code>{html.text(tool.name)}</code>", html.text(tool.words.split(". ")[0] + "."))
            for tool in tools.values()
        ],
    )
    connect = (
        "<p>Over HTTP, for any client that speaks MCP Streamable HTTP:</p>"
        + html.code(f"{base}mcp")
        + "<p>Over stdio, for Claude Code (other clients: <code>mcp-web client</code>):</p>"
        + html.code(claude_code_line())
    )
    return html.page(
        "Overview",
        "/",
        "<h1>The web for agents: search, open, read, remember, cite</h1>",
        html.section("State", state),
        html.section("Connect", connect),
        html.section("Tools", listed),
    )


async def _archive(app: App, query: str) -> str:
    form = (
        f'<form action="/archive"><input name="q" value="{html.text(query)}" placeholder="Search what was kept" '
        'aria-label="Search"><button>Search</button></form>'
    )
    rows = await _found(app, query) if query.strip() else await _recent(app)
    return html.page(
        "Archive",
        "/archive",
        "<h1>Archive</h1>",
        form,
        html.table(("page", "date", "score" if query.strip() else "size"), rows),
    )


async def _recent(app: App) -> list[tuple[str, ...]]:
    store = await app.store()
    return [
        (
            html.link(f"/archive/{info.hash}", info.title or info.url) + f"<br><small>{html.text(info.url)}</small>",
            html.text(_when(info.fetched_at)),
            html.text(f"{info.chars:,} chars"),
        )
        for info in await store.recent(100)
    ]


async def _found(app: App, query: str) -> list[tuple[str, ...]]:
    from mcp_web.archive.answer import ArchiveQuery
    from mcp_web.services.search_archive import search_archive

    answer = await search_archive(app, ArchiveQuery(query[:500], limit=50))
    return [
        (
            html.link(f"/archive/{one.document.snapshot}", one.document.title or one.document.url)
            + f"<br><small>{html.text(one.document.path or one.document.url)}</small>"
            # Snippets are escaped where they are made; only <mark> is markup in them.
            + "".join(
                f"<p>{snippet}</p>" for mark in one.highlights if mark.field != "title" for snippet in mark.snippets
            ),
            html.text(one.document.date),
            html.text(f"{one.document.score:.2f}"),
        )
        for one in answer.results
    ]


async def _snapshot(app: App, name: str) -> str:
    from mcp_web.errors import NotFound
    from mcp_web.read.html import to_html

    store = await app.store()
    kept = await store.snapshot(name)
    if kept is None:
        raise NotFound(f"No snapshot begins with {name[:64]!r}.")
    versions = await store.versions(kept.key)
    facts = {
        "address": kept.url,
        "snapshot": kept.hash,
        "read": _when(kept.fetched_at),
        "confirmed": _when(kept.checked_at),
        "by": kept.document.extractor,
        "versions": len(versions),
    }
    listed = html.table(
        ("version", "read", "size"),
        [
            (html.link(f"/archive/{one.hash}", one.hash[:16]), html.text(_when(one.since)), f"{one.chars:,} chars")
            for one in versions
        ],
    )
    return html.page(
        kept.document.title or kept.url,
        "/archive",
        f"<h1>{html.text(kept.document.title or kept.url)}</h1>",
        html.facts(facts),
        f"<p>{html.link(kept.url, 'Open the page on the web')}</p>",
        html.section("Versions", listed) if len(versions) > 1 else "",
        f"<article>{to_html(kept.document.markdown)}</article>",
    )


async def _figures(app: App) -> str:
    from mcp_web.services.show_stats import show_stats

    stats = await show_stats(app)
    steps = [tuple(html.text("" if cell is None else cell) for cell in row.values()) for row in stats["steps"]]
    counts = [(html.text(row["name"]), html.text(row["labels"]), f"{row['value']:g}") for row in stats["counts"]]
    return html.page(
        "Figures",
        "/figures",
        "<h1>Figures</h1>",
        html.section("Times", html.table(("step", "times", "mean ms", "p50 ≤ ms", "p95 ≤ ms"), steps)),
        html.section("Counts", html.table(("count", "of", "value"), counts)),
        "<p>The same for machines: <a href='/metrics'>/metrics</a></p>",
    )


def _when(seconds: float) -> str:
    return iso(seconds)[:16].replace("T", " ") + " UTC"


def _bytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"
