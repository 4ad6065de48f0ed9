"""The view of the server's state, for its operator."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import Response

from mcp_web import __version__
from mcp_web.app import App
from mcp_web.contracts.sets import tools_offered
from mcp_web.services.check_parts import check_parts
from mcp_web.tools.page_view import ago
from mcp_web.web.pages import page

_BEGAN = time.time()


async def state(app: App, request: Request) -> Response:
    checks = await check_parts(app) if request.query_params.get("check") else None
    changed = [row for row in app.settings.rows if row.origin != "default"]
    settings = [{"name": f"{row.section}.{row.name}", "value": row.text, "origin": row.origin} for row in changed]
    tools = [
        {"name": tool.name, "summary": tool.description.split(". ")[0].rstrip(".") + "."}
        for tool in tools_offered(app.tools).values()
    ]
    return page(request, "state.html", version=__version__, uptime=ago(time.time() - _BEGAN), checks=checks,
                settings=settings, tools=tools)  # fmt: skip
