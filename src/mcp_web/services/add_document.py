"""Add a document to the archive on request: a page by its URL, or a text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from mcp_web.app import App
from mcp_web.archive import add
from mcp_web.errors import InvalidInput
from mcp_web.extract.characters import clean_line
from mcp_web.model.page import Fetched
from mcp_web.model.snapshot import Snapshot
from mcp_web.services.open_page import OpenRequest, open_page


async def add_document(
    app: App, content: str, *, title: str | None, day: str | None, tags: Sequence[str], deadline: float
) -> Snapshot:
    """Store as research (documents that are never purged) the page at a URL, or a text, and return its snapshot. Raises
    InvalidInput for a text without a title.

    `content` is the URL or the text; without a title, a URL needs no scheme: `example.com/page` is one. A text with the
    title of an earlier one becomes its next version. `day` (YYYY-MM-DD) is the date of the document, that of a text by
    default today.
    """
    content, title = content.strip(), clean_line(title or "")
    is_url = content[:8].lower().startswith(("http://", "https://")) or (not title and "." in content.strip("."))
    if is_url and len(content.split()) == 1:
        opened = await open_page(app, OpenRequest(content), deadline=deadline)
        return await add.add_page(await app.store(), opened.snapshot, day=day, tags=tags)
    if not title:
        raise InvalidInput(
            "A text needs a title to be found again.",
            suggestion="Give a title as well (--title at a terminal), or one http(s) address to save that page.",
            parameter="title",
        )
    page = Fetched("", "", 200, (), content.encode("utf-8", "replace"), "text/markdown", "utf-8", time.time())
    document = replace(await app.extract(page), title=title)
    return await add.add_note(await app.store(), document, time.time(), day=day, tags=tags)
