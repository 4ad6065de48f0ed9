"""Add to the archive what somebody wants kept: a page by its address, or a text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from mcp_web.errors import InvalidInput
from mcp_web.model.page import ExtractRequest, Fetched
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.services.open_page import OpenRequest, open_page

if TYPE_CHECKING:
    from mcp_web.app import App

MAX_TEXT = 2_000_000


async def add_page(app: App, url: str, tags: Sequence[str], *, deadline: float) -> Snapshot:
    """Open a page and keep it as research: no purge removes it."""
    opened = await open_page(app, OpenRequest(url), deadline=deadline)
    return await (await app.keeper()).adopt(opened.snapshot, tags=tags)


async def add_text(app: App, text: str, *, title: str, day: str | None, tags: Sequence[str]) -> Snapshot:
    """Keep a text of one's own as research, under a path made of its date and title."""
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} can be added at once.")
    day = _checked_day(day)
    path = f"notes/{day}/{_slug(title)}.md"
    url = f"note:{path}"
    body = text if text.lstrip().startswith("#") else f"# {title}\n\n{text}"
    page = Fetched(url, url, 200, (), body.encode("utf-8", "replace"), "text/markdown", "utf-8", time.time())
    document = await app.extract(page, ExtractRequest())
    keeper = await app.keeper()
    return await keeper.keep(
        page, document, "readable", page_key(url, "readable"), source="research", path=path, tags=tags
    )


def _checked_day(day: str | None) -> str:
    if day is None:
        return date.today().isoformat()
    try:
        return date.fromisoformat(day[:10]).isoformat()
    except ValueError:
        raise InvalidInput(f"The parameter 'date' is {day!r}, but it must be YYYY-MM-DD.", parameter="date") from None


def _slug(title: str) -> str:
    kept = "".join(char if char.isalnum() else "-" for char in title.lower())
    return "-".join(filter(None, kept.split("-")))[:80] or "untitled"
