"""Bytes to tree: one parse a page, by the WHATWG rules, whatever the bytes are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_web.extract.decode import decode

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

    from mcp_web.model.page import Fetched

# Formatting elements left open are opened again in every later block, as the standard asks: some thousand of them
# with differing attributes make a tree of millions of nodes from a page of 200 KB.
_FORMATTING = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s>/])[^>]{0,2000}>", re.I
)
_CLOSED_SHADOW = re.compile(r"(shadowrootmode\s{0,9}=\s{0,9}[\"']?)closed", re.I)
_MOST_OPEN = 600
_STEP, _WINDOW = 32_768, 2_048
_MOST_IN_WINDOW = 25


class Parsed(NamedTuple):
    """The tree of a page, and what is known of its source."""

    tree: Tree
    notes: tuple[str, ...]  # on what could not be decoded
    has_shadows: bool


def parse_page(page: Fetched) -> Parsed:
    """The tree of a fetched page, its shadow trees included, and what a reader has to know about its bytes."""
    import turbohtml

    decoded = decode(page)
    text = decoded.text
    if _is_bomb(text):
        text = _FORMATTING.sub("", text)
    has_shadows = _may_have_shadows(page.body)
    if has_shadows:
        # A closed shadow tree is closed to scripts, but its text is shown.
        text = _CLOSED_SHADOW.sub(r"\1open", text)
    return Parsed(turbohtml.parse(text, positions=False), decoded.notes, has_shadows)


def _may_have_shadows(body: bytes) -> bool:
    """Whether the source declares a shadow tree; of a page with two bytes for a letter that is not known here."""
    return b"shadowroot" in body.lower() or b"\0" in body[:1000]


def _is_bomb(text: str) -> bool:
    """Whether formatting elements pile up. A look through small windows spares ordinary pages the full count."""
    if len(text) < _STEP:
        return False
    suspect = any(_piles_up(text[at : at + _WINDOW]) for at in range(_WINDOW, len(text), _STEP))
    return suspect and _left_open(text) > _MOST_OPEN


def _piles_up(window: str) -> bool:
    return window.count("<") - window.count("</") > _MOST_IN_WINDOW and _left_open(window) > _MOST_IN_WINDOW


def _left_open(text: str) -> int:
    return sum(-1 if match[1] else 1 for match in _FORMATTING.finditer(text))


def body_of(tree: Tree) -> Element | None:
    """The element that holds the page: body, else the root."""
    return tree.select_one("body") or tree.root


def page_title(tree: Tree) -> str:
    """The text of the title element, as it stands."""
    found = tree.select_one("title")
    return " ".join(found.text.split())[:500] if found is not None else ""
