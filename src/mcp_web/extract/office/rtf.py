"""Rich text (rtf) → text, through striprtf."""

from __future__ import annotations

import re

from mcp_web import __version__
from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import Draft, assemble
from mcp_web.extract.languages import file_name
from mcp_web.extract.markdown import escape_start
from mcp_web.model.page import Document, ExtractRequest, Fetched, Metadata

_FIELD = r"\{\\%s ([^{}\\]{1,300})\}"
_HIDDEN = re.compile(r"\{\\v(?![a-z0-9])[^{}]{0,5000}\}")


class RtfExtractor:
    """Reads rich text."""

    name = f"rtf@{__version__}"

    def extract(self, page: Fetched, request: ExtractRequest) -> Document:
        from striprtf.striprtf import rtf_to_text

        source = page.body.decode("latin-1")
        if not source.lstrip().startswith("{\\rtf"):
            raise ExtractFailed(f"{page.final_url} is no rich text file.", url=page.final_url)
        source, hidden = _HIDDEN.subn("", source)
        text: str = rtf_to_text(source, errors="replace")  # type: ignore[no-untyped-call]  # ships no types
        paragraphs = "\n\n".join(escape_start(line.strip()) for line in text.split("\n") if line.strip())
        title, author = (re.search(_FIELD % name, source[:20_000]) for name in ("title", "author"))
        facts = Metadata(author=author[1].strip() if author else None, content_type=page.media_type)
        name = title[1].strip() if title else file_name(page.final_url)
        return assemble(Draft(name, paragraphs, "unknown", facts, (), hidden), self.name)
