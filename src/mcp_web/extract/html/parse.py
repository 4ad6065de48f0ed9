"""Bytes to tree: one parse a page, by the WHATWG rules, whatever the bytes are."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

    from mcp_web.model.page import Fetched


def parse_page(page: Fetched) -> Tree:
    """Parse a fetched page: the transport's charset first, else BOM, meta and the parser's default."""
    return parse_bytes(page.body, page.charset)


def parse_bytes(body: bytes, charset: str | None = None) -> Tree:
    import turbohtml

    if charset is not None:
        try:
            return turbohtml.parse(body, encoding=charset, positions=False)
        except (LookupError, ValueError):
            pass  # an unknown label is no label
    # Pages without any declaration are UTF-8 today far more often than windows-1252, the standard's default.
    if not _declares_charset(body) and _is_utf8(body):
        return turbohtml.parse(body, encoding="utf-8", positions=False)
    return turbohtml.parse(body, detect_encoding=True, positions=False)


def body_of(tree: Tree) -> Element | None:
    """The element that holds the page: body, else the root."""
    return tree.select_one("body") or tree.root


def _declares_charset(body: bytes) -> bool:
    head = body[:1024]
    return b"charset" in head.lower() or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
