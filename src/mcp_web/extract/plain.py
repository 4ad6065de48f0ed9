"""Text that is already text: plain text, Markdown, source code, and the raw source of any text page."""

from __future__ import annotations

from mcp_web import __version__
from mcp_web.extract.assemble import Draft, assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.markdown import read_headings
from mcp_web.model.page import Document, ExtractRequest, Fetched, Metadata


class PlainExtractor:
    """Reads text/* as it stands."""

    name = f"plain@{__version__}"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        decoded = decode(page)
        draft = Draft(
            title=_file_name(page.final_url),
            markdown=decoded.text,
            metadata=Metadata(content_type=page.media_type),
            notes=decoded.notes,
            outline=read_headings,
        )
        return assemble(draft, self.name)


class RawExtractor:
    """The decoded source of a text page, nothing interpreted (`mode=raw`)."""

    name = f"raw@{__version__}"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        decoded = decode(page)
        draft = Draft(
            title=_file_name(page.final_url),
            markdown=decoded.text,
            metadata=Metadata(content_type=page.media_type),
            notes=decoded.notes,
            outline=lambda text: (),
        )
        return assemble(draft, self.name)


def _file_name(url: str) -> str:
    """The last part of the path, or the host."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url)
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.hostname or url
