"""Books (epub) → Markdown: the chapters in reading order."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.office.facts import facts_of
from mcp_web.extract.office.package import Package, child, local
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched

_CHAPTERS = 1000
_CHAPTER = 3_000_000  # bytes


def read_epub(page: Fetched) -> Document:
    """Reads EPUB books."""
    package = Package(page)
    if "META-INF/encryption.xml" in package.names and "META-INF/rights.xml" in package.names:
        raise package.failed("is protected (DRM)")
    container = package.xml("META-INF/container.xml")
    entry = child(container, "rootfiles", "rootfile")
    path = (entry.get("full-path") if entry is not None else None) or ""
    book = package.xml(path)
    if book is None:
        raise package.failed("names no book")
    parts: list[str] = []
    hidden = size = 0
    chapters = _chapters(package, path)
    for name in chapters[:_CHAPTERS]:
        data = package.read(name)
        if data is None:
            continue
        text, found = snippet_markdown(data[:_CHAPTER].decode("utf-8", "replace"), page.final_url, relative_links=False)
        hidden += found
        size += len(text)
        parts.append(text)
        if size > LONGEST:
            break
    title, facts = facts_of(child(book, "metadata"))
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise package.failed("holds no text (its pages may be images)")
    return assemble(page, "epub", text, title=title, kind="article", facts=facts, hidden=hidden)


def _chapters(package: Package, path: str) -> list[str]:
    """Part names of the spine, in order; navigation documents are left out."""
    book = package.xml(path)
    folder = posixpath.dirname(path)
    files: dict[str, str] = {}
    manifest = child(book, "manifest")
    for item in manifest if manifest is not None else ():
        if "html" in item.get("media-type", "") and "nav" not in item.get("properties", "").split():
            files[item.get("id", "")] = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
    spine = child(book, "spine")
    return [
        files[reference.get("idref", "")]
        for reference in (spine if spine is not None else ())
        if local(reference.tag) == "itemref" and reference.get("idref") in files
    ]
