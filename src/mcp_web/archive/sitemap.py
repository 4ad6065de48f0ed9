"""Parses the lists of pages that a site publishes: sitemaps and llms.txt. Pure; linear time on hostile input."""

from __future__ import annotations

import re
import zlib
from itertools import islice

from mcp_web.text.inline import links
from mcp_web.text.sitemap import sitemap_entries

MOST_LINKS = 50_000  # the sitemap protocol's own ceiling
MOST_BYTES = 50_000_000

_INDEX = re.compile(r"<sitemapindex\b", re.I)
_BARE = re.compile(r"(?<![(\w])https?://[^\s()>\[\]]{1,2048}")


def listed_links(body: bytes, is_sitemap: bool) -> tuple[list[str], list[str]]:
    """(URLs of pages, URLs of further sitemaps) that a sitemap or, unless `is_sitemap`, an llms.txt lists. Callers run
    it in a worker process, because the files are untrusted."""
    if not is_sitemap:
        return text_links(body), []
    text = _text(body)
    found = [url for url, _ in islice(sitemap_entries(text), MOST_LINKS)]
    return ([], found) if _INDEX.search(text) else (found, [])


def text_links(body: bytes) -> list[str]:
    """The URLs of the pages that an llms.txt links to, in order, each once; they may be relative."""
    text = _text(body)
    linked = [(link.url_start, text[link.url_start : link.url_end]) for link in links(text) if not link.is_image]
    bare = [(match.start(), match[0]) for match in _BARE.finditer(text)]
    found = (url for _, url in sorted(linked + bare))
    return list(islice(dict.fromkeys(link for link in found if _is_page(link)), MOST_LINKS))


def _is_page(link: str) -> bool:
    """Whether a link of an llms.txt leads to a page: an http(s) URL, an absolute path, or a Markdown or HTML file."""
    return link.startswith(("http://", "https://", "/")) or (
        ":" not in link and link.endswith((".md", ".html", ".htm"))
    )


def _text(body: bytes) -> str:
    """The first MOST_BYTES of a file, which may be compressed with gzip, as text; "" if it cannot be decompressed."""
    if body[:2] == b"\x1f\x8b":
        try:
            body = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, MOST_BYTES)
        except zlib.error:
            return ""
    return body[:MOST_BYTES].decode("utf-8", "replace")
