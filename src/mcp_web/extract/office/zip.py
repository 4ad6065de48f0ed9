"""A zip file of no further type: a document that its server did not name, or no document at all."""

from __future__ import annotations

from importlib import import_module

from mcp_web.errors import UnsupportedContent
from mcp_web.extract.extractor import Extractor
from mcp_web.extract.office.package import Package
from mcp_web.model.page import Document, ExtractRequest, Fetched

# A part that only this kind has → its reader.
_SIGNS = {
    "word/document.xml": "docx:DocxExtractor",
    "xl/workbook.xml": "xlsx:XlsxExtractor",
    "ppt/presentation.xml": "pptx:PptxExtractor",
    "META-INF/container.xml": "epub:EpubExtractor",
    "content.xml": "odf:OdfExtractor",
}


class ZipExtractor:
    """Detects the type of a zip file by its content."""

    name = "zip"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        package = Package(page)
        for part, place in _SIGNS.items():
            if part in package.names:
                module, _, name = place.partition(":")
                extractor: Extractor = getattr(import_module(f"mcp_web.extract.office.{module}"), name)()
                return extractor.extract(page, request)
        raise UnsupportedContent(
            f"{page.final_url} is a zip archive ({len(page.body):,} bytes, {len(package.names)} files), no document.",
            url=page.final_url,
            content_type=page.media_type,
            size=len(page.body),
        )
