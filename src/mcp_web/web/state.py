"""The state of the server, for its operator, and the list of watched pages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mcp_web import __version__
from mcp_web.contracts.sets import tools_offered
from mcp_web.services.check_parts import check_parts
from mcp_web.services.watch_pages import change_watch, watched_urls
from mcp_web.tools.page_view import ago
from mcp_web.web.csrf import checked_form
from mcp_web.web.pages import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App

_BEGAN = time.time()


async def state(app: App, request: Request) -> Response:
    checks = [check.as_dict() for check in await check_parts(app)] if request.query_params.get("check") else None
    changed = [row for row in app.settings.rows if row.origin != "default"]
    settings = [
        {"name": f"{row.section}.{row.name}", "value": _text(row.shown), "origin": row.origin} for row in changed
    ]
    tools = [
        {"name": tool.name, "summary": tool.description.split(". ")[0] + "."}
        for tool in tools_offered(app.tools).values()
    ]
    return page(request, "state.html", version=__version__, uptime=ago(time.time() - _BEGAN), checks=checks,
                settings=settings, tools=tools)  # fmt: skip


async def watch(app: App, request: Request) -> Response:
    store = await app.store()
    urls = await watched_urls(app)
    seen = await store.seen(urls)
    rows = []
    for url in urls:
        info = seen.get(url)
        versions = len(await store.versions(info.key)) if info else 0
        rows.append({
            "url": url,
            "title": info.title if info and info.title else url,
            "href": f"/archive/{info.hash}" if info else url,
            "versions": versions,
            "diff": f"/archive/{info.hash}/diff" if info and versions > 1 else "",
        })  # fmt: skip
    kinds = [kind for kind in await store.record_kinds() if kind.startswith("crawl")]
    return page(request, "watch.html", rows=rows, crawls=[kind.partition(" ")[2] or kind for kind in kinds])


async def change_watched(app: App, request: Request) -> Response:
    from starlette.responses import RedirectResponse

    form = await checked_form(request)
    add, remove = str(form.get("add", "")).strip(), str(form.get("remove", "")).strip()
    await change_watch(app, [add] if add else [], [remove] if remove else [])
    return RedirectResponse("/watch", 303)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
