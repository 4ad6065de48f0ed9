"""Blocks of PDF pages → Markdown, with a marker before each page: `<!-- page 3 -->`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from mcp_web.extract.markdown import escape_start, fence, table_of, web_link
from mcp_web.extract.pdf.layout import LEADERS, PdfBlock
from mcp_web.extract.pdf.words import Line, Word


def page_marker(number: int) -> str:
    """The comment before the text of the page with this number: `<!-- page 3 -->`."""
    return f"<!-- page {number} -->"


def write_blocks(blocks: Sequence[PdfBlock]) -> str:
    """The Markdown of one page's blocks."""
    parts: list[str] = []
    before = ""
    for block in blocks:
        text = _write(block)
        if text:
            parts.append(("\n" if block.kind == before == "item" else "\n\n") + text if parts else text)
        before = block.kind
    return "".join(parts)


def _write(block: PdfBlock) -> str:
    """The Markdown of a block; "" for an empty one."""
    if block.table:
        return table_of([[_words(cell) for cell in row] for row in block.table.rows])
    if block.kind == "code":
        return fence("\n".join(_code_lines(block.lines)))
    if block.kind == "heading":
        return "#" * block.level + " " + _words(block.words())
    if block.kind == "item":
        return f"{_marker(block.marker)} {_words(block.words())}"
    return escape_start(_words(block.words()))


def _marker(marker: str) -> str:
    """The marker of an item in Markdown: a number as it is, another counter after a dash, a dash for a bullet."""
    if re.fullmatch(r"\d{1,3}[.)]", marker):
        return marker
    return f"- {marker}" if any(char.isalnum() for char in marker) else "-"


def _words(words: Iterable[Word]) -> str:
    """Words as Markdown, with spaces between them; adjacent words of one link become one link."""
    parts = (
        web_link(" ".join(word.text for word in group), url or "")
        for url, group in groupby(words, key=lambda word: word.link)
    )
    return LEADERS.sub(" … ", " ".join(parts)).strip()


def _code_lines(lines: Sequence[Line]) -> list[str]:
    """The texts of lines in a fixed-width font, with spaces and blank lines restored from their positions."""
    left = min(line.box.left for line in lines)
    widths = [
        (word.box.right - word.box.left) / len(word.text) for line in lines for word in line.words if len(word.text) > 2
    ]
    width = sorted(widths)[len(widths) // 2] if widths else lines[0].size * 0.6
    width = max(width, 1.0)
    written: list[str] = []
    for index, line in enumerate(lines):
        if index and lines[index - 1].box.bottom - line.box.bottom > 2.2 * line.size:
            written.append("")
        text = ""
        for word in line.words:
            column = round((word.box.left - left) / width)
            gap = min(column - len(text), 120)
            text += " " * max(gap, 1 if text else 0) + word.text
        written.append(text)
    return written
