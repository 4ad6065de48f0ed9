"""A gzip file (sitemap.xml.gz, data.csv.gz) → the document in it."""

from __future__ import annotations

import zlib
from dataclasses import replace
from urllib.parse import urlsplit

from mcp_web.errors import ExtractFailed, UnsupportedContent
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

_MOST = 20_000_000  # bytes, unpacked
_TYPES = {
    "xml": "application/xml", "csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json",
    "jsonl": "application/x-ndjson", "txt": "text/plain", "log": "text/plain", "md": "text/markdown",
    "html": "text/html",
}  # fmt: skip


def read_gzip(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads application/gzip; the type is that of the file extension before `.gz`."""
    from mcp_web.extract.document import extract_document

    name = urlsplit(page.final_url).path.lower().removesuffix(".gz")
    kind = _TYPES.get(name.rpartition(".")[2])
    if kind is None:
        raise UnsupportedContent(
            f"{page.final_url} is a gzip file ({len(page.body):,} bytes) whose name does not say what is inside.",
            url=page.final_url,
            content_type=page.media_type,
        )
    body, cut = _unpacked(page)
    document = extract_document(replace(page, body=body, media_type=kind), request, options)
    note = f"The unpacked file is longer than {_MOST:,} bytes; the rest was not read."
    return replace(document, notes=(*document.notes, note)) if cut else document


def _unpacked(page: Fetched) -> tuple[bytes, bool]:
    reader = zlib.decompressobj(wbits=31)
    try:
        body = reader.decompress(page.body, _MOST)
    except zlib.error as error:
        raise ExtractFailed(f"The gzip file at {page.final_url} is damaged.", url=page.final_url) from error
    return body, bool(reader.unconsumed_tail)
