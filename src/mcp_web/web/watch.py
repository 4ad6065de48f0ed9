"""Watched pages: what changed, as a view and as an Atom feed; adding and removing pages."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_web import trace
from mcp_web.app import App
from mcp_web.contracts.sets import tools_offered
from mcp_web.services.watch_pages import Watched, atom, change_watch, watched_changes, watched_urls
from mcp_web.text.values import encodable
from mcp_web.web.csrf import checked_form
from mcp_web.web.document import change_text, section_name
from mcp_web.web.pages import HEADERS, page, place
from mcp_web.web.times import moment

TOOL = "web_watch"
SHOWN, IN_FEED = 10, 50  # changes
_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_SECTIONS = 6  # of one change


async def watch(app: App, request: Request) -> Response:
    store = await app.store()
    urls = await watched_urls(app)
    seen = await store.seen(urls)
    rows = []
    for url in urls:
        info = seen.get(url)
        rows.append({
            "url": url,
            "title": info.title if info and info.title else url,
            "hash": info.hash if info else "",
            "versions": len(await store.versions(info.key)) if info else 0,
        })  # fmt: skip
    changes = [_change(at, one) for at, one in await watched_changes(app, SHOWN)]
    kinds = [kind for kind in await store.record_kinds() if kind.startswith("crawl")]
    crawls = [kind.partition(" ")[2] or kind for kind in kinds]
    return page(
        request, "watch.html", rows=rows, changes=changes, crawls=crawls, has_tool=TOOL in tools_offered(app.tools)
    )


async def feed(app: App, request: Request) -> Response:
    """The changes of watched pages as an Atom feed, each with a link to the comparison on this server."""
    text = atom(await watched_changes(app, IN_FEED), page=str(request.base_url).rstrip("/"))
    return Response(encodable(trace.redact(text)), media_type="application/atom+xml", headers=HEADERS)


async def change_watched(app: App, request: Request) -> Response:
    form = await checked_form(request)
    add, remove = str(form.get("add", "")).strip(), str(form.get("remove", "")).strip()
    await change_watch(app, [add] if add else [], [remove] if remove else [])
    back = str(form.get("back", ""))
    return RedirectResponse(f"/archive/{back}#versions" if _HASH.fullmatch(back) else "/watch", 303)


def _change(at: float, one: Watched) -> dict[str, Any]:
    return {
        "title": one.title or one.url,
        "place": place(one.url),
        "when": moment(at),
        "snapshot": one.snapshot,
        "previous": one.previous,
        "sections": [
            (change_text(each.change), section_name(each.path, one.title)) for each in one.changes[:_MOST_SECTIONS]
        ],
    }
