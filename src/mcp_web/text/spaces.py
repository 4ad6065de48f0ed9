"""White space in text."""

from __future__ import annotations


def fold_spaces(text: str) -> str:
    """The text with single spaces. Most text has them already, and looking is cheaper than splitting."""
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
