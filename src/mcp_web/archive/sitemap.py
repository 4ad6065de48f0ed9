"""The pages a site lists of itself: sitemaps and llms.txt. Pure; linear on hostile input."""

from __future__ import annotations

import gzip
import re
import zlib
from html import unescape

MOST_LINKS = 50_000  # the sitemap protocol's own ceiling
MOST_BYTES = 50_000_000

_LOC = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]+)", re.I)
_INDEX = re.compile(r"<sitemapindex\b", re.I)
_LINK = re.compile(r"\]\((https?://[^)\s]+|/[^)\s]*|[^)\s:]+\.(?:md|html?))\)|(?<![(\w])(https?://[^\s)>\]]+)")


def sitemap_links(body: bytes) -> tuple[list[str], list[str]]:
    """Pages, and further sitemaps, of one sitemap file."""
    text = _text(body)
    found = [unescape(match[1]) for match in _LOC.finditer(text)][:MOST_LINKS]
    return ([], found) if _INDEX.search(text) else (found, [])


def text_links(body: bytes) -> list[str]:
    """The links of an llms.txt."""
    found = (match[1] or match[2] for match in _LINK.finditer(_text(body)))
    return list(dict.fromkeys(found))[:MOST_LINKS]


def _text(body: bytes) -> str:
    if body[:2] == b"\x1f\x8b":
        try:
            body = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, MOST_BYTES)
        except (zlib.error, gzip.BadGzipFile):
            return ""
    return body[:MOST_BYTES].decode("utf-8", "replace")
