"""Frees disk space: shows what deleting unused pages would delete, and deletes it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_web.app import App
from mcp_web.services.remove_documents import purge_unused
from mcp_web.web.csrf import check_confirmed
from mcp_web.web.pages import page

CHOICES = (7, 30, 90, 365)  # days without use
USUAL = 90


async def preview(app: App, request: Request) -> Response:
    days = _days(request.query_params.get("days", ""))
    return page(
        request,
        "free_space.html",
        size=await (await app.store()).size(),
        choices=CHOICES,
        days=days,
        unused=await purge_unused(app, days, dry_run=True),
        deleted=_count(request.query_params.get("deleted", "")),
    )


async def free_space(app: App, request: Request) -> Response:
    days = _days(str((await check_confirmed(request)).get("days", "")))
    purged = await purge_unused(app, days, dry_run=False)
    return RedirectResponse(f"/space?days={days}&deleted={purged.pages}", 303)


def _days(text: str) -> int:
    """The chosen number of days without use; 90 if it is not one of the choices."""
    return int(text) if text in map(str, CHOICES) else USUAL


def _count(text: str) -> int | None:
    """The number of pages that were just deleted, as the URL has it; None if it has no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
