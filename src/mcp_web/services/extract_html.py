"""Read HTML that the caller already has: the same engine as for fetched pages, no network."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from mcp_web.app import App
from mcp_web.errors import InvalidInput
from mcp_web.model.page import Document, ExtractRequest, Fetched


async def extract_html(app: App, html: str | bytes, base_url: str, request: ExtractRequest) -> Document:
    """The document extracted from HTML; bytes are decoded by their declared encoding. Relative links are resolved
    against `base_url`, which may be empty. Raises InvalidInput if `base_url` is no valid URL."""
    try:
        urlsplit(base_url)
    except ValueError:
        raise InvalidInput(f"base_url is {base_url!r}, which is no valid URL.", parameter="base_url") from None
    body, charset = (html.encode("utf-8", "replace"), "utf-8") if isinstance(html, str) else (html, None)
    page = Fetched(base_url, base_url, 200, (), body, "text/html", charset, time.time())
    return await app.extract(page, request)
