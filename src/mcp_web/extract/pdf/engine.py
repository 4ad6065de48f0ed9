"""PDF → Document: PDFium reads the characters, our own code finds the layout; docs/concepts/formats.md says why."""

from __future__ import annotations

import re
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from pypdfium2 import PdfDocument, PdfiumError

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.ocr import find_tesseract
from mcp_web.extract.options import ExtractOptions
from mcp_web.extract.pdf.headings import OutlineItem, read_styles
from mcp_web.extract.pdf.layout import read_blocks
from mcp_web.extract.pdf.running_lines import remove_running_lines
from mcp_web.extract.pdf.scans import Scans, read_scans
from mcp_web.extract.pdf.words import PageText, read_page
from mcp_web.extract.pdf.write import page_marker, write_blocks
from mcp_web.model.page import Document, ExtractRequest, Fetched, Heading, Metadata
from mcp_web.text.amounts import amount
from mcp_web.text.dates import read_pdf_date
from mcp_web.text.headings import read_headings

# PDFium has global state: two threads that use it at once crash the process.
_ONE_AT_A_TIME = threading.Lock()
_MOST_PAGES = 1500
_SECONDS = 6.0  # of reading; then the part read so far is returned, before the worker is killed
_MOST_OUTLINE = 2000
_SCAN = 25  # characters; an image page with less text than this is a scan
_NO_TITLE = re.compile(
    r"untitled|^\(?anonymous\)?$|microsoft (?:word|powerpoint|excel)|"
    r"\.(?:docx?|indd|tex|dvi|pdf|pptx?|xlsx?|qxd|exe|rtf)\b|^\W*$",
    re.I,
)
_MARKER = re.compile(r"^<!-- page (\d+) -->$", re.M)


def read_pdf(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads a PDF; a comment with the page number is before the text of each page. Raises ExtractFailed."""
    with _ONE_AT_A_TIME:
        try:
            pdf = PdfDocument(page.body)
            try:
                return _read(pdf, page, options)
            finally:
                pdf.close()
        except PdfiumError as error:
            raise _failed(page, str(error)) from error


def _read(pdf: PdfDocument, page: Fetched, options: ExtractOptions) -> Document:
    """The document of an opened PDF. Raises ExtractFailed if it has no text."""
    pages, notes = _pages(pdf)
    scans = [each.number for each in pages if each.is_image and sum(len(line.text) for line in each.lines) < _SCAN]
    recognised = read_scans(pdf, scans, find_tesseract(options.ocr)) if scans else Scans()
    if not any(each.lines for each in pages) and not recognised.pages:
        reason = "contains only images of text (a scan)" if scans else "contains no visible text"
        raise ExtractFailed(
            f"The PDF at {page.final_url} ({amount(len(pdf), 'page')}) {reason}; there is no text to read.",
            suggestion=f"Look for an HTML or text version of the same document. {recognised.problem}".strip(),
            url=page.final_url,
            pages=len(pdf),
        )
    if scans:
        notes += recognised.notes(scans, len(pages))
    facts = pdf.get_metadata_dict(skip_empty=True)
    declared = str(facts.get("Title", "")).strip()  # by many programs a file name
    # The largest lines are read before the running head, which may be the title, is removed.
    title = declared if declared and not _NO_TITLE.search(declared) else _largest_lines(pages)
    remove_running_lines(pages)
    styles = read_styles(pages, _outline(pdf))
    parts: list[str] = []
    for each in pages:
        found = recognised.pages.get(each.number)  # the text in its image, if it is a scan
        parts += [page_marker(each.number), found.text if found else write_blocks(read_blocks(each, styles))]
    text = "\n\n".join(filter(None, parts))
    counted = (f"PDF with {amount(len(pdf), 'page')}; `<!-- page N -->` stands before each.",) if len(pdf) > 1 else ()
    return assemble(
        page,
        "pdf",
        text,
        title=title,
        metadata=_metadata(facts),
        notes=(*counted, *notes),
        hidden=sum(each.hidden for each in pages),
        outline=read_outline,
    )


def read_outline(markdown: str) -> tuple[Heading, ...]:
    """The headings of a PDF's Markdown, with their page as anchor ("page=3"); without any, one for each page."""
    marks = [(match.start(), f"page={match[1]}") for match in _MARKER.finditer(markdown)]
    headings = read_headings(markdown)
    if not headings:
        return tuple(Heading(1, anchor.replace("page=", "Page "), start, anchor) for start, anchor in marks)
    before = [bisect_left(marks, (heading.start,)) for heading in headings]  # how many pages begin before each
    return tuple(
        replace(heading, anchor=marks[count - 1][1] if count else None)
        for heading, count in zip(headings, before, strict=True)
    )


def _pages(pdf: PdfDocument) -> tuple[list[PageText], list[str]]:
    """The pages, up to the limits of number, size and time, and notes about those left out."""
    pages: list[PageText] = []
    damaged: list[int] = []
    chars = 0
    deadline = time.monotonic() + _SECONDS
    for number in range(1, min(len(pdf), _MOST_PAGES) + 1):
        try:
            page = pdf[number - 1]
            pages.append(read_page(page, number, render=time.monotonic() < deadline - _SECONDS / 3))
            page.close()
        except PdfiumError:
            damaged.append(number)
            continue
        chars += sum(len(line.text) for line in pages[-1].lines)
        if chars > LONGEST or time.monotonic() > deadline:
            break
    notes: list[str] = []
    if damaged:
        notes.append(f"{len(damaged)} pages are damaged and could not be read (first: page {damaged[0]}).")
    if pages and pages[-1].number < len(pdf):
        notes.append(f"Only the first {pages[-1].number} of {len(pdf)} pages were read.")
    return pages, notes


def _outline(pdf: PdfDocument) -> Iterator[OutlineItem]:
    """The outline in the file (its bookmarks), without entries that lead to no page or have no title."""
    for mark in islice(pdf.get_toc(max_depth=6), _MOST_OUTLINE):
        target = mark.get_dest()
        index = target.get_index() if target else None
        if index is not None and (title := mark.get_title().strip()):
            yield OutlineItem(title[:300], mark.level, index + 1)


def _largest_lines(pages: list[PageText]) -> str:
    """The largest lines of the first page with text, of many the first; "" if too short or too long for a title."""
    lines = next((each.lines for each in pages if each.lines), [])
    with_words = [line for line in lines if sum(char.isalpha() for char in line.text) >= 4]
    size = max((line.size for line in with_words), default=0.0)
    largest = [line.text for line in with_words if line.size >= size * 0.97]
    text = " ".join(largest if len(largest) <= min(4, len(with_words) - 1) else largest[:1])
    return text if 3 <= len(text) <= 200 else ""


def _metadata(facts: Mapping[str, Any]) -> Metadata:
    """The metadata of a PDF; `facts` are the entries of its information dictionary, such as "Author"."""
    author = str(facts.get("Author", "")).strip()[:200]
    return Metadata(
        description=str(facts.get("Subject", ""))[:500] or None,
        author=author if author.lower().strip("()") not in ("", "anonymous", "administrator", "unknown") else None,
        published=read_pdf_date(str(facts.get("CreationDate", ""))),
        modified=read_pdf_date(str(facts.get("ModDate", ""))),
        content_type="application/pdf",
    )


def _failed(page: Fetched, reason: str) -> ExtractFailed:
    """The error for a file that PDFium could not open; `reason` is PDFium's message."""
    if "password" in reason.lower():
        return ExtractFailed(
            f"The PDF at {page.final_url} is protected with a password.",
            suggestion="Look for an unprotected copy of the document.",
            url=page.final_url,
        )
    return ExtractFailed(
        f"The PDF at {page.final_url} ({len(page.body):,} bytes) is damaged and could not be opened.",
        suggestion="The download may be cut short: open it again with max_age=0, or look for another copy.",
        url=page.final_url,
    )
