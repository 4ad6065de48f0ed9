"""Reads sitemaps (sitemaps.org)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

# Every repetition is bounded, and matches cannot overlap, so the time is linear in the size.
_ENTRY = re.compile(
    r"<loc>\s{0,200}(?:<!\[CDATA\[)?\s{0,200}([^<\]\s]{1,2048})"
    r"(?:[^<]{0,210}</loc>\s{0,200}<lastmod>\s{0,200}([^<\s]{1,40}))?",
    re.I,
)


def sitemap_entries(text: str) -> Iterator[tuple[str, str]]:
    """Each URL with the date of its last change, which is empty if the sitemap does not state it."""
    for found in _ENTRY.finditer(text):
        yield unescape(found[1]), found[2] or ""
