"""The day a document is about: as it says itself, as its path says, or as it was fetched."""

from __future__ import annotations

from mcp_web.model.page import Document
from mcp_web.text.dates import date_in_path, day_of


def document_date(document: Document, path: str | None = None) -> str | None:
    """An ISO date, or None when only the day of fetching is known."""
    metadata = document.metadata
    day = day_of(metadata.published)
    if day is None:
        in_path = date_in_path(path) if path else None
        day = day_of(in_path or metadata.modified)
    return day.isoformat() if day else None
