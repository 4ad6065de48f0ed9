"""The home view: search box, recently read pages, recent calls, how to connect; and the search results."""

from __future__ import annotations

import time
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from mcp_web.app import App
from mcp_web.errors import WebError
from mcp_web.model.search import SearchQuery
from mcp_web.server.options import ServerOptions
from mcp_web.services.check_readiness import store_problem
from mcp_web.tools.options import SEARCH
from mcp_web.web.connect import ways_to_connect
from mcp_web.web.listing import by_day, found_rows
from mcp_web.web.pages import duration, page
from mcp_web.web.times import ago

RECENT = 8


async def home(app: App, request: Request) -> Response:
    store = await app.store()
    endpoint = app.settings.of(ServerOptions).public_url or f"{request.base_url}mcp"
    return page(
        request,
        "home.html",
        problem=await store_problem(app),
        can_search_web=_can_search_web(app),
        size=await store.size(),
        recent=by_day((await store.browse(RECENT))[0]),
        calls=await _calls(app),
        **ways_to_connect(endpoint, needs_token="authorization" in request.headers),
    )


async def activity(app: App, request: Request) -> Response:
    """The list of recent calls without the page around it, for refreshing."""
    return page(request, "activity.html", calls=await _calls(app))


async def search(app: App, request: Request) -> Response:
    query = request.query_params.get("q", "").strip()[:500]
    scope = "web" if request.query_params.get("scope") == "web" and _can_search_web(app) else "kept"
    shown: dict[str, Any] = {"rows": [], "hits": [], "notes": []}
    if query and scope == "web":
        shown |= await _web_hits(app, query)
    elif query:
        rows, notes = await found_rows(app, query)
        shown |= {"rows": rows, "notes": notes}
    return page(request, "search.html", query=query, scope=scope, can_search_web=_can_search_web(app), **shown)


def _can_search_web(app: App) -> bool:
    """Whether a provider can be asked, and searching is not switched off for agents."""
    return bool(app.search_providers) and SEARCH not in app.tools.disabled_tools


async def _web_hits(app: App, query: str) -> dict[str, Any]:
    """The `hits` of a web search and its `notes`; for a failed search only a note with the reason."""
    from mcp_web.services.search_web import search_web

    (answer,) = await search_web(app, [SearchQuery(query)], "auto", deadline=anyio.current_time() + 20)
    if isinstance(answer, WebError):
        return {"notes": [f"{answer.message} {answer.suggestion}"]}
    hits = [
        {"title": hit.title, "url": hit.url, "snippet": hit.snippet, "kept": seen.hash if seen else None}
        for hit in answer.found.hits
        for seen in [answer.seen.get(hit.url)]
    ]
    return {"hits": hits, "notes": list(answer.found.notes)}


async def _calls(app: App) -> list[dict[str, str]]:
    """The last ten tool calls, newest first, each with a link to its page if that is kept."""
    now = time.time()
    calls = list(app.own_metrics.tool_calls)[-10:]
    seen = await (await app.store()).seen([call.url for call in calls if call.url])
    return [
        {
            "tool": call.tool,
            "state": call.state,
            "detail": call.url,
            "took": duration(call.ms) if call.state != "running" else "",
            "href": f"/archive/{seen[call.url].hash}" if call.url in seen else "",
            "when": ago(now - call.began),
        }
        for call in reversed(calls)
    ]
