"""Markdown syntax, read in one place: linear in the length of the text, with exact offsets."""

from __future__ import annotations

import re

# The target of a link or image, with one level of parentheses: `](https://a.example/x_(y) "title")`.
TARGET = re.compile(r"\]\([^()\[\]\n]*+(?:\([^()\[\]\n]*+\)[^()\[\]\n]*+)?\)")
# A line that opens or closes fenced code, also inside a quote or a list.
FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})(?P<info>[^\n]*)")
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
# What makes a line a heading and is not its text: leading and closing `#`, or the underline.
HEADING_MARKS = re.compile(r"^ {0,3}#{1,6}[ \t]*|(?<![ \t])[ \t]++#+[ \t]*+$|\n {0,3}(?:=+|-+)[ \t]*$")
_URL = re.compile(r"https?://\S+")


def prose(markdown: str) -> str:
    """Markdown without the addresses behind its links and in its text, which are not what a page says."""
    text = TARGET.sub("]", markdown) if "](" in markdown else markdown
    return _URL.sub(" ", text) if "://" in text else text
