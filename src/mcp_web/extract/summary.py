"""An extractive summary of a document: sentences of its own, at most 500 characters."""

from __future__ import annotations


def summarise(markdown: str, title: str, description: str | None) -> str:
    """What the document is about, in its own words."""
    return (description or markdown)[:500]
