"""Read HTML that the caller already has: the same engine as for fetched pages, no network."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mcp_web.model.page import Document, ExtractRequest, Fetched

if TYPE_CHECKING:
    from mcp_web.app import App


async def extract_html(app: App, html: str | bytes, base_url: str, request: ExtractRequest) -> Document:
    """The document in the HTML; bytes are decoded by their declared encoding, text is used as it is."""
    as_text = isinstance(html, str)
    body = html.encode("utf-8", "replace") if isinstance(html, str) else html
    page = Fetched(
        url=base_url,
        final_url=base_url,
        status=200,
        headers=(),
        body=body,
        media_type="text/html",
        charset="utf-8" if as_text else None,
        fetched_at=time.time(),
    )
    return await app.extract(page, request)
