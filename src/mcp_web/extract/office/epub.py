"""EPUB books → Markdown: the chapters in reading order."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from urllib.parse import unquote

from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.office.package import Package, read_dublin_core
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants
from mcp_web.model.page import Document, Fetched

_CHAPTERS = 1000
_CHAPTER = 3_000_000  # bytes
_STYLE_SHEET = 300_000  # bytes
_MOST_IMPORTS = 10
_IMPORT_DEPTH = 3
_LINK = re.compile(r"<link\b[^<>]{0,1000}>", re.I)
_HREF = re.compile(r"\bhref\s{0,5}=\s{0,5}[\"']([^\"'<>]{1,500})[\"']", re.I)
_MEDIA = re.compile(r"\bmedia\s{0,5}=\s{0,5}[\"']([^\"'<>]{1,200})[\"']", re.I)
_IMPORT = re.compile(r"@import\s{1,9}(?:url\(\s{0,9})?[\"']?([^\"'();]{1,300})[\"']?\s{0,9}\)?[^;{}]{0,200};", re.I)
_CASE_END = re.compile(r"</epub:case\s{0,99}>", re.I)
_CASE = re.compile(rf"<epub:case\b.*?{_CASE_END.pattern}", re.I | re.S)


def read_epub(page: Fetched) -> Document:
    """Reads EPUB books; raises ExtractFailed, also for protected ones."""
    package = Package(page)
    references = descendants(package.xml("META-INF/encryption.xml"), "CipherReference")
    encrypted = {unquote(attribute(each, "URI") or "") for each in references}
    container = package.xml("META-INF/container.xml")
    path = attribute(child(container, "rootfiles", "rootfile"), "full-path") or ""
    book = package.xml(path)
    if book is None:
        raise package.failed("refers to no book")
    parts: list[str] = []
    hidden = size = 0
    chapters = _chapters(book, path)
    for name in chapters[:_CHAPTERS]:
        data = package.read(name)
        if data is None:
            continue
        if name in encrypted:
            raise package.failed("is protected (DRM)")
        chapter = replace(page, body=data[:_CHAPTER], media_type="application/xhtml+xml", charset=None)
        html = _with_sheets(package, name, decode(chapter).text)
        text, found = snippet_markdown(html, page.final_url, relative_links=False)
        hidden += found
        size += len(text)
        parts.append(text)
        if size > LONGEST:
            break
    title, metadata = read_dublin_core(child(book, "metadata"))
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise package.failed("contains no text (its pages may be images)")
    notes = [f"The book has {len(chapters):,} files; the first {_CHAPTERS:,} were read."]
    notes = notes if len(chapters) > _CHAPTERS else []
    return assemble(page, "epub", text, title=title, kind="article", metadata=metadata, notes=notes, hidden=hidden)


def _with_sheets(package: Package, chapter: str, html: str) -> str:
    """The chapter with the book's style sheets embedded, and without `epub:case` elements, which readers ignore."""

    def sheet(found: re.Match[str]) -> str:
        """The style sheet that a `link` element refers to, as a `style` element; "" for a link to something else."""
        target = _HREF.search(found[0])
        if target is None or "stylesheet" not in found[0].lower():
            return ""
        media = _MEDIA.search(found[0])
        condition = f' media="{media[1]}"' if media else ""
        return f"<style{condition}>{_sheet(package, _relative_to(chapter, target[1]), 0)}</style>"

    html = _LINK.sub(sheet, html) if "<link" in html else html
    # Up to the last end only: from a start that nothing ends, each search would go through all the rest.
    end = max((found.end() for found in _CASE_END.finditer(html)), default=0)
    return _CASE.sub("", html[:end]) + html[end:] if end else html


def _sheet(package: Package, name: str, depth: int) -> str:
    """A style sheet of the book, after the sheets that it imports; `depth` is the number of sheets importing it."""
    text = (package.read(name) or b"")[:_STYLE_SHEET].decode("utf-8", "replace").replace("</", "")
    imported = _IMPORT.findall(text)[:_MOST_IMPORTS] if depth < _IMPORT_DEPTH else []
    return "".join(_sheet(package, _relative_to(name, each), depth + 1) for each in imported) + _IMPORT.sub("", text)


def _relative_to(name: str, target: str) -> str:
    """The name in the book of the file that a relative URL, `target`, in the file `name` refers to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(target)))


def _chapters(book: Element, book_name: str) -> list[str]:
    """The file names of the chapters in reading order, without navigation documents."""
    files: dict[str, str] = {}
    for item in children(child(book, "manifest")):
        if "html" in item.get("media-type", "") and "nav" not in item.get("properties", "").split():
            files[item.get("id", "")] = _relative_to(book_name, item.get("href", ""))
    spine = [reference.get("idref", "") for reference in children(child(book, "spine"), "itemref")]
    return [files[name] for name in spine if name in files]
