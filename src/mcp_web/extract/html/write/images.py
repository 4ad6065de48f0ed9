"""Images: their real address behind lazy loading, their label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_web.extract.html.write.draft import WriterState
from mcp_web.extract.html.write.escape import JOINT, escape

if TYPE_CHECKING:
    from turbohtml import Element

_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src", "data-full-src")
_LAZY_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg")
MOST_LABEL = 100
MOST_ALT = 300
_WIDTH = re.compile(r"(\S+)(?:\s+([\d.]+)([wx]))?\s*(?:,|$)")


def source_of(element: Element) -> str:
    """The address of the picture a person would see: lazy attributes before placeholders, the largest of a set."""
    for name in _LAZY:
        value = element.attr(name)
        if value and not value.startswith("data:"):
            return value
    plain = element.attr("src") or ""
    if plain and not plain.startswith(("data:", "blob:")):
        return plain
    for name in _LAZY_SETS:
        best = _largest(element.attr(name) or "")
        if best:
            return best
    return ""


def _largest(srcset: str) -> str:
    best, size = "", -1.0
    for url, amount, _unit in _WIDTH.findall(srcset[:20000]):
        width = float(amount) if amount.replace(".", "", 1).isdigit() else 1.0
        if width > size and not url.startswith("data:"):
            best, size = url, width
    return best


def is_picture(url: str) -> bool:
    """Whether a link leads to an image file: the larger version of a picture that the page shows already."""
    return url.partition("?")[0].rstrip(">").lower().endswith(_PICTURES)


def label_of(element: Element) -> str:
    """The label of a link that holds only pictures."""
    picture = element.select_one("img[alt]")
    label = " ".join((picture.attr("alt") or "").split()) if picture is not None else ""
    # Nobody sees a label behind its picture: a short one names the link, a long one may be there for us alone.
    return escape(label) if len(label) <= MOST_LABEL else ""


def image(draft: WriterState, element: Element) -> str:
    """The picture as Markdown where images are wanted; an emoji always as its character."""
    alt = " ".join((element.attr("alt") or "").split())[:MOST_ALT]
    if alt and len(alt) <= 8 and not alt.isascii() and not any(char.isalpha() for char in alt):
        return alt
    url = draft.links.resolve(source_of(element))
    if url is None:
        return ""
    draft.images.setdefault(url, alt)
    if not draft.include_images:
        return ""
    return f"![{escape(alt).replace('[', '').replace(']', '')}]{JOINT}({url})"
