"""Mathematics: back to the TeX it was written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Element


def tex_of(element: Element) -> str:
    """The TeX of a math element, as its author annotated it."""
    note = element.select_one('annotation[encoding="application/x-tex"]')
    source = note.text if note is not None else element.attr("alttext") or element.text
    return " ".join(source.split())


def inline(element: Element) -> str:
    tex = tex_of(element)
    if not tex:
        return ""
    return f"$${tex}$$" if element.attr("display") == "block" else f"${tex}$"
