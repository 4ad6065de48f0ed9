"""Books (epub) → Markdown: the chapters in reading order."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.office.package import Element, Package, attribute, child, children, read_facts
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
    path = attribute(child(container, "rootfiles", "rootfile"), "full-path") or ""
    book = package.xml(path)
    if book is None:
        raise package.failed("names no book")
    parts: list[str] = []
    hidden = size = 0
    for name in _chapters(book, posixpath.dirname(path))[:_CHAPTERS]:
        data = package.read(name)
        if data is None:
            continue
        text, found = snippet_markdown(data[:_CHAPTER].decode("utf-8", "replace"), page.final_url, relative_links=False)
        hidden += found
        size += len(text)
        parts.append(text)
        if size > LONGEST:
            break
    title, facts = read_facts(child(book, "metadata"))
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise package.failed("holds no text (its pages may be images)")
    return assemble(page, "epub", text, title=title, kind="article", facts=facts, hidden=hidden)


def _chapters(book: Element, folder: str) -> list[str]:
    """Part names of the spine, in order; navigation documents are left out."""
    files: dict[str, str] = {}
    for item in children(child(book, "manifest")):
        if "html" in item.get("media-type", "") and "nav" not in item.get("properties", "").split():
            files[item.get("id", "")] = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
    spine = [reference.get("idref", "") for reference in children(child(book, "spine"), "itemref")]
    return [files[name] for name in spine if name in files]
