"""How the tests of this folder read bytes: through the dispatcher, as the sandbox does."""

from __future__ import annotations

from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched


def read(
    body: bytes | str,
    media_type: str,
    url: str = "https://example.org/dir/file",
    *,
    charset: str | None = None,
    request: ExtractRequest | None = None,
) -> Document:
    """The document of some bytes, with what holds for every document checked."""
    raw = body.encode() if isinstance(body, str) else body
    page = Fetched(url, url, 200, (), raw, media_type, charset, 0.0)
    document = extract_document(page, request or ExtractRequest(), ExtractOptions())
    for heading in document.headings:
        line = document.markdown[heading.start :].split("\n", 1)[0]
        assert heading.start == 0 or document.markdown[heading.start - 1] == "\n"
        words = [word for word in heading.text.split() if word.isalnum()]
        assert all(word in line for word in words) or "page" in line
    assert all(link.url.startswith(("http://", "https://")) for link in document.links)
    assert len(document.summary) <= 500
    return document
