"""Bytes to tree: one parse a page, by the WHATWG rules, whatever the bytes are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_web.extract.decode import decode

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

    from mcp_web.model.page import Fetched


def parse_page(page: Fetched) -> tuple[Tree, tuple[str, ...]]:
    """The tree of a fetched page, and notes on what could not be decoded."""
    import turbohtml

    decoded = decode(page)
    return turbohtml.parse(decoded.text, positions=False), decoded.notes


def body_of(tree: Tree) -> Element | None:
    """The element that holds the page: body, else the root."""
    return tree.select_one("body") or tree.root


def page_title(tree: Tree) -> str:
    """The text of the title element, as it stands."""
    found = tree.select_one("title")
    return " ".join(found.text.split())[:500] if found is not None else ""
