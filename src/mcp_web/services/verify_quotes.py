"""Check quotes against a kept page, or against a page that is opened for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio

from mcp_web.errors import NotFound
from mcp_web.model.snapshot import Snapshot
from mcp_web.services.find_snapshot import find_snapshot
from mcp_web.services.open_page import OpenRequest, open_page

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.read.quote import QuoteCheck


async def verify_quotes(
    app: App, source: str, quotes: Sequence[str], *, deadline: float
) -> tuple[Snapshot, list[QuoteCheck]]:
    """The snapshot that was checked and one verdict for each quote."""
    from mcp_web.read.quote import verify

    kept = await _source(app, source, deadline)
    checks = await anyio.to_thread.run_sync(verify, kept.document.markdown, list(quotes), kept.document.headings)
    return kept, checks


async def _source(app: App, source: str, deadline: float) -> Snapshot:
    """The kept version, if there is one: a quote is checked against what was read, not against the page of today."""
    try:
        return await find_snapshot(app, source)
    except NotFound:
        if "." not in source:
            raise
    return (await open_page(app, OpenRequest(source), deadline=deadline)).snapshot
