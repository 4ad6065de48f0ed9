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
    """Consecutive lines that form one block, or a table."""

    kind: PdfBlockKind
    lines: list[Line]
    level: int = 0  # of a heading, or depth of an item
    table: Table | None = None
    marker: str = ""  # of an item, as it is written

    def words(self) -> list[Word]:
        """All words of the lines, without the marker of an item."""
        found = [word for line in self.lines for word in line.words]
        return found[1:] if self.marker and self.marker == found[0].text else found


def read_blocks(page: PageText, styles: Styles) -> list[PdfBlock]:
    """The blocks of a page in reading order."""
    lines = _join_bullets(page.lines)
    tables = find_tables(lines)
    owner = {index: table for table in tables for index in table.lines}
    pitch = _pitch(lines)
    blocks: list[PdfBlock] = []
    done: set[int] = set()
    before: Line | None = None
    for index in _reading_order(lines, owner):
        line = lines[index]
        if index in owner:
            table = owner[index]
            if id(table) not in done:
                done.add(id(table))
                blocks.append(PdfBlock("table", [], table=table))
            before = None
            continue
        if before is None or not _extend(blocks[-1], before, line, page, styles, pitch):
            blocks.append(_new_block(line, page, styles))
        before = line
    return blocks


def _join_bullets(lines: Sequence[Line]) -> list[Line]:
    """The lines; a bullet or counter that is a line of its own in the file is joined to the line at its right."""
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


def _reading_order(lines: Sequence[Line], owner: Mapping[int, Table]) -> list[int]:
    """The indexes of the lines in reading order: as in the file, or from top to bottom if the page has no columns.

    Programs write boxes and headings in any order; only for columns is the order in the file the better guess. `owner`
    has the table of each line that is in one: these do not make columns.
    """
    in_file = list(range(len(lines)))
    top_down = sorted(in_file, key=lambda index: (-lines[index].box.top, lines[index].box.left))
    free = [lines[index] for index in top_down if index not in owner]
    beside = sum(
        one.box.bottom < other.box.top - 0.5 * other.size
        and (one.box.right < other.box.left or other.box.right < one.box.left)
        for one, other in pairwise(free)
    )
    return top_down if beside <= max(3, 0.05 * len(free)) else in_file


def _new_block(line: Line, page: PageText, styles: Styles) -> PdfBlock:
    """The block that begins with a line."""
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
    """Add the line to the block if it continues `before`, its last line; returns whether it does. `pitch` is the usual
    distance of lines, as `_pitch` returns it."""
    as_new = _new_block(line, page, styles)
    # The distance is measured from the last word, because a divided word may be on two lines.
    step = before.words[-1].box.bottom - line.words[0].box.bottom
    near = 0 < step <= pitch * max(before.size, line.size) * 1.35
    if block.kind == "heading":
        same = as_new.kind == "heading" and as_new.level == block.level and abs(before.size - line.size) < 0.6
        continues = same and 0 < step <= pitch * line.size * 1.15 and len(block.lines) < 4
    elif block.kind == "code":
        continues = as_new.kind == "code" and 0 < step <= pitch * line.size * 3
    elif as_new.kind != "text" or abs(before.size - line.size) > 0.15 * before.size:
        continues = False
    else:
        continues = _same_paragraph(block, before, line, step, near)
    if continues:
        block.lines.append(line)
    return continues


def _same_paragraph(block: PdfBlock, before: Line, line: Line, step: float, near: bool) -> bool:
    """Whether a line that is `step` points below `before` continues a paragraph or list item. `near`: `step` is no more
    than the usual distance of lines."""
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
    """The most frequent distance of two lines of a paragraph, as a multiple of the font size; 1.25 without any."""
    steps: Counter[float] = Counter()
    for one, other in pairwise(lines):
        step = one.box.bottom - other.box.bottom
        if abs(one.size - other.size) < 0.5 and 0.8 * one.size < step < 2.5 * one.size:
            steps[round(step / one.size, 1)] += 1
    return max(steps, key=lambda each: (steps[each], -each)) if steps else 1.25
