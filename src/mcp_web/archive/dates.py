"""The day a document is about: as it says itself, as its path says, or as it was fetched."""

from __future__ import annotations

import re
from datetime import date

from mcp_web.model.page import Document

_IN_PATH = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_/.]?(0[1-9]|1[0-2])[-_/.]?(0[1-9]|[12]\d|3[01])(?!\d)")


def document_date(document: Document, path: str | None = None) -> str | None:
    """An ISO date, or None when only the day of fetching is known."""
    metadata = document.metadata
    return _iso(metadata.published) or (_in_path(path) if path else None) or _iso(metadata.modified)


def _iso(text: str | None) -> str | None:
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return None


def _in_path(path: str) -> str | None:
    for match in reversed(list(_IN_PATH.finditer(path))):
        if found := _iso("-".join(match.groups())):
            return found
    return None
