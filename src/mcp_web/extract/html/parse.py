"""Parses HTML by the WHATWG rules, whatever the bytes are."""

from __future__ import annotations

import re
from typing import NamedTuple

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element

from mcp_web.extract.decode import decode
from mcp_web.model.page import Fetched

# The standard reopens unclosed formatting elements in every later block: some thousand of them with different
# attributes make a tree of millions of nodes from a page of 200 KB.
_FORMATTING = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s>/])[^>]{0,2000}>", re.I
)
_CLOSED_SHADOW = re.compile(r"(<template\s[^<>]{0,2000}?\bshadowrootmode\s{0,9}=\s{0,9}[\"']?)closed", re.I)
_MOST_OPEN = 600
_STEP, _WINDOW = 32_768, 2_048
_MOST_IN_WINDOW = 25


class Parsed(NamedTuple):
    """The tree of a page, with notes about its decoding and whether it may have shadow trees."""

    tree: Tree
    notes: tuple[str, ...]  # about bytes that could not be decoded
    has_shadows: bool


def parse_page(page: Fetched) -> Parsed:
    """Decode and parse a fetched page. Closed shadow trees are opened; formatting tags are removed if very many are
    unclosed."""
    decoded = decode(page)
    text = decoded.text
    if _has_unclosed_formatting(text):
        text = _FORMATTING.sub("", text)
    # UTF-16 is not searched: it may declare a shadow tree.
    has_shadows = b"shadowroot" in page.body.lower() or b"\0" in page.body[:1000]
    if has_shadows:
        # A closed shadow tree is closed to scripts, but its text is shown.
        text = _CLOSED_SHADOW.sub(r"\1open", text)
    return Parsed(turbohtml.parse(text, positions=False), decoded.notes, has_shadows)


def _has_unclosed_formatting(text: str) -> bool:
    """Whether very many formatting elements, such as `b`, are unclosed. Small samples are counted first, for speed."""
    samples = (text[at : at + _WINDOW] for at in range(_WINDOW, len(text), _STEP))
    if len(text) >= _STEP and not any(_leaves_open(sample, _MOST_IN_WINDOW) for sample in samples):
        return False
    return _leaves_open(text, _MOST_OPEN)


def _leaves_open(text: str, most: int) -> bool:
    """Whether more than `most` formatting elements are unclosed; at once False if no more elements of any kind are."""
    if text.count("<") - text.count("</") <= most:
        return False
    return sum(-1 if match[1] else 1 for match in _FORMATTING.finditer(text)) > most


def body_of(tree: Tree) -> Element | None:
    """The `body` element, else the root; None if the tree is empty."""
    return tree.select_one("body") or tree.root
