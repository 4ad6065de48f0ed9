"""Lines of a PDF page → blocks: headings, paragraphs, list items, code, tables, in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mcp_web.extract.pdf.headings import Styles
from mcp_web.extract.pdf.tables import Table, find_tables
from mcp_web.extract.pdf.words import Line, PageText, Word, line_of

PdfBlockKind = Literal["heading", "text", "item", "code", "table"]

_BULLET = re.compile(r"[•‣◦▪■●○∙·⁃–—*-]|\uf0b7")
_COUNTER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|\[\d{1,3}\]")
LEADERS = re.compile(r"(?:\.\s?){5,}|…{3,}")
_ENDS = (".", "!", "?", ":", ";", "。", "”", '"')


@dataclass(slots=True)
class PdfBlock:
    kind: PdfBlockKind
    lines: list[Line]
    level: int = 0  # of a heading, or depth of an item
    table: Table | None = None
    marker: str = ""  # of an item, as it is written

    def words(self) -> list[Word]:
        """All words, without the marker of an item."""
        found = [word for line in self.lines for word in line.words]
        return found[1:] if self.marker and self.marker == found[0].text else found


def read_blocks(page: PageText, styles: Styles) -> list[PdfBlock]:
    """The blocks of a page in reading order."""
    lines = _with_marks(page.lines)
    tables = find_tables(lines)
    owner = {at: table for table in tables for at in table.lines}
    pitch = _pitch(lines)
    blocks: list[PdfBlock] = []
    done: set[int] = set()
    before: Line | None = None
    for at in _order(lines, owner):
        line = lines[at]
        if at in owner:
            table = owner[at]
            if id(table) not in done:
                done.add(id(table))
                blocks.append(PdfBlock("table", [], table=table))
            before = None
            continue
        last = blocks[-1] if blocks and before is not None else None
        if not (last and before and _extend(last, before, line, page, styles, pitch)):
            blocks.append(_begin(line, page, styles))
        before = line
    return blocks


def _with_marks(lines: Sequence[Line]) -> list[Line]:
    """The lines, joined with bullets that are separate lines in the file."""
    joined: list[Line] = []
    for line in lines:
        mark = joined[-1] if joined else None
        if (
            mark
            and len(mark.words) == 1
            and (_BULLET.fullmatch(mark.text) or _COUNTER.fullmatch(mark.text))
            and abs(mark.box.bottom - line.box.bottom) < 0.5 * line.size
            and 0 < line.box.left - mark.box.right < 5 * line.size
        ):
            joined[-1] = line_of((*mark.words, *line.words))
        else:
            joined.append(line)
    return joined


def _order(lines: Sequence[Line], owner: Mapping[int, Table]) -> list[int]:
    """The reading order of the lines: as in the file, or from top to bottom if the page has no columns.

    Programs write boxes and headings in any order; only for columns is the order in the file the better guess.
    """
    written = list(range(len(lines)))
    falling = sorted(written, key=lambda at: (-lines[at].box.top, lines[at].box.left))
    free = [lines[at] for at in falling if at not in owner]
    beside = sum(
        one.box.bottom < other.box.top - 0.5 * other.size
        and (one.box.right < other.box.left or other.box.right < one.box.left)
        for one, other in pairwise(free)
    )
    return falling if beside <= max(3, 0.05 * len(free)) else written


def _begin(line: Line, page: PageText, styles: Styles) -> PdfBlock:
    level = styles.level(line, page.number)
    if level:
        return PdfBlock("heading", [line], level)
    if line.mono and not styles.mono:
        return PdfBlock("code", [line])
    first = line.words[0].text
    if len(line.words) > 1 and (_BULLET.fullmatch(first) or _COUNTER.fullmatch(first)):
        return PdfBlock("item", [line], marker=first)
    if LEADERS.search(line.text):
        return PdfBlock("item", [line])  # of a table of contents
    return PdfBlock("text", [line])


def _extend(block: PdfBlock, before: Line, line: Line, page: PageText, styles: Styles, pitch: float) -> bool:
    """Add the line to the block if it belongs to it; returns whether it does."""
    fresh = _begin(line, page, styles)
    # The distance is measured from the last word, because a divided word may be on two lines.
    step = before.words[-1].box.bottom - line.words[0].box.bottom
    near = 0 < step <= pitch * max(before.size, line.size) * 1.35
    if block.kind == "heading":
        same = fresh.kind == "heading" and fresh.level == block.level and abs(before.size - line.size) < 0.6
        goes_on = same and 0 < step <= pitch * line.size * 1.15 and len(block.lines) < 4
    elif block.kind == "code":
        goes_on = fresh.kind == "code" and 0 < step <= pitch * line.size * 3
    elif fresh.kind != "text" or abs(before.size - line.size) > 0.15 * before.size:
        goes_on = False
    else:
        goes_on = _same_paragraph(block, before, line, step, near)
    if goes_on:
        block.lines.append(line)
    return goes_on


def _same_paragraph(block: PdfBlock, before: Line, line: Line, step: float, near: bool) -> bool:
    """Whether the line continues the paragraph: by distance and indentation, or from one column to the next."""
    if step <= 0:
        unfinished = not before.text.endswith(_ENDS) and line.text[:1].islower()
        return unfinished and line.box.left > before.box.right - 5
    if not near:
        return False
    left = min(each.box.left for each in block.lines)
    indent = line.box.left - left
    if block.kind == "item":
        return indent > 0.3 * line.size
    indented = indent > 0.8 * line.size and indent < 6 * line.size and len(block.lines) > 1
    hanging = indented and abs(line.box.left - before.box.left) < 2
    return not indented or hanging


def _pitch(lines: Sequence[Line]) -> float:
    """The most frequent distance of two lines of a paragraph, as a multiple of the font size."""
    steps: Counter[float] = Counter()
    for one, other in pairwise(lines):
        step = one.box.bottom - other.box.bottom
        if abs(one.size - other.size) < 0.5 and 0.8 * one.size < step < 2.5 * one.size:
            steps[round(step / one.size, 1)] += 1
    return max(steps, key=lambda each: (steps[each], -each)) if steps else 1.25
