"""Markdown syntax, read in one place: linear in the length of the text, with exact offsets."""

from __future__ import annotations

import re

# The target of a link or image, with one level of parentheses: `](https://a.example/x_(y) "title")`.
TARGET = re.compile(r"\]\([^()\[\]\n]*+(?:\([^()\[\]\n]*+\)[^()\[\]\n]*+)?\)")
_URL = re.compile(r"https?://\S+")


def prose(markdown: str) -> str:
    """Markdown without the addresses behind its links and in its text, which are not what a page says."""
    text = TARGET.sub("]", markdown) if "](" in markdown else markdown
    return _URL.sub(" ", text) if "://" in text else text
