"""The routes of the web interface. Every view works without scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mcp_web.app import App
from mcp_web.errors import AgentError, WebError, ungrouped
from mcp_web.text.media_types import type_of_name
from mcp_web.web import document, document_actions, figures, free_space, graph, home, listing, state, watch
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.pages import page

AppFor = Callable[[Request], AbstractAsyncContextManager[App]]
View = Callable[["App", "Request"], Awaitable["Response"]]

_STATIC = Path(__file__).with_name("static")
ROUTES: tuple[tuple[str, str, View], ...] = (
    ("GET", "/", home.home),
    ("GET", "/activity", home.activity),
    ("GET", "/search", home.search),
    ("GET", "/archive", listing.archive),
    ("GET", "/archive/{hash}", document.reading_view),
    ("GET", "/archive/{hash}/diff", document.difference),
    ("GET", "/archive/{hash}/picture", document_actions.screenshot),
    ("GET", "/archive/{hash}/export/{form}", document_actions.export),
    ("POST", "/archive/{hash}/tags", document_actions.change_tags),
    ("POST", "/archive/{hash}/remove", document_actions.remove),
    ("POST", "/archive/{hash}/readings/remove", document_actions.remove_readings),
    ("GET", "/space", free_space.preview),
    ("POST", "/space", free_space.free_space),
    ("GET", "/graph", graph.graph),
    ("GET", "/watch", watch.watch),
    ("POST", "/watch", watch.change_watched),
    ("GET", "/watch/feed.atom", watch.feed),
    ("GET", "/figures", figures.figures),
    ("GET", "/figures/now", figures.figures_now),
    ("GET", "/state", state.state),
)


def page_routes(app_for: AppFor) -> list[Any]:
    """The routes of the web interface; `app_for` gives the app of the tenant that sends a request."""
    routes = [Route(path, _served(app_for, view), methods=[method]) for method, path, view in ROUTES]
    return [*routes, Route("/static/{name}", _static), Route("/{rest:path}", _nothing_here, methods=["GET"])]


def _served(app_for: AppFor, view: View) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a view, for the app of the request; an error becomes a page with its message."""

    async def respond(request: Request) -> Response:
        try:
            with ungrouped():
                async with app_for(request) as app:
                    return await view(app, request)
        except WebError as error:
            status = 404 if error.code == "NOT_FOUND" else 400 if isinstance(error, AgentError) else 500
            heading = _("Not found") if status == 404 else _("This did not work")
            return page(request, "error.html", status, heading=heading, message=error.message, advice=error.suggestion)

    return respond


async def _nothing_here(request: Request) -> Response:
    return page(request, "error.html", 404, heading=_("Not found"), message=_("There is no such page."), advice="")


async def _static(request: Request) -> Response:
    """One of our own style sheets, scripts or pictures; 404 for another name."""
    found = {path.name: path for path in _STATIC.iterdir()}.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("not found\n", 404)
    headers = {"cache-control": "max-age=3600", "x-content-type-options": "nosniff"}
    return Response(found.read_bytes(), media_type=type_of_name(found.name) or "text/plain", headers=headers)
