"""Collapses white space."""

from __future__ import annotations


def fold_spaces(text: str) -> str:
    """The text with each run of white space as one space, and none at its ends."""
    # Most text has single spaces already, and checking that is cheaper than splitting.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
