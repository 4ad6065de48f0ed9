"""Zip files without a more specific type: an office document, or not a document."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from mcp_web.errors import UnsupportedContent
from mcp_web.extract.office.package import Package
from mcp_web.model.page import Document, Fetched

# A part that only one type of document has → the reader of that type.
_SIGNS = {
    "word/document.xml": "docx:read_docx",
    "xl/workbook.xml": "xlsx:read_xlsx",
    "ppt/presentation.xml": "pptx:read_pptx",
    "META-INF/container.xml": "epub:read_epub",
    "content.xml": "odf:read_odf",
}


def read_zip(page: Fetched) -> Document:
    """Reads the document in a zip file, whose type is detected by its parts; raises UnsupportedContent for others."""
    package = Package(page)
    for part, place in _SIGNS.items():
        if part in package.names:
            module, _, name = place.partition(":")
            reader: Callable[[Fetched], Document] = getattr(import_module(f"mcp_web.extract.office.{module}"), name)
            return reader(page)
    raise UnsupportedContent(
        f"{page.final_url} is a zip archive ({len(page.body):,} bytes, {len(package.names)} files), not a document.",
        url=page.final_url,
        content_type=page.media_type,
        size=len(page.body),
    )
