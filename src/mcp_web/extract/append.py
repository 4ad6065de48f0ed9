"""Appends a document to one that it belongs to: the full text of a paper, the transcript of a video."""

from __future__ import annotations

from dataclasses import replace

from mcp_web.model.page import Document, Heading


def append(document: Document, other: Document, heading: str, sentence: str) -> Document:
    """`document` with `other` appended: `heading` as a heading of level 2 (none if it is empty), `sentence`, and the
    text.

    Headings, links, images, notes and the number of hidden texts are joined; everything else is that of `document`.
    """
    lead = f"{document.markdown}\n\n" if document.markdown else ""
    title = f"## {heading}\n\n" if heading else ""
    before = f"{lead}{title}{sentence}\n\n"
    own = (Heading(2, heading, len(lead)),) if heading else ()
    moved = (replace(one, start=one.start + len(before), anchor=None) for one in other.headings)
    links = {link.url: link for link in (*document.links, *other.links)}
    return replace(
        document,
        markdown=before + other.markdown,
        headings=(*document.headings, *own, *moved),
        links=tuple(links.values()),
        images=(*document.images, *other.images),
        hidden=document.hidden + other.hidden,
        notes=(*document.notes, *other.notes),
    )
