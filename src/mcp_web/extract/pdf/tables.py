"""Tables of a PDF page, found by the alignment of words: a PDF has no tables, only words at positions.

Words on a line with wide gaps between them are cells; rows of such cells whose edges agree are a table. Columns of
prose are aligned too, so cells that fill their column with many words are text, not a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcp_web.extract.pdf.words import Box, Line, Word

_GAP = 1.4  # of the letter size: no space between two words of a sentence is that wide
_MOST_CELLS = 6000  # of one page
_PROSE_CHARS = 18
_PROSE_FILL = 0.55


Words = tuple[Word, ...]
Column = tuple[float, float]  # its left and right edge, in points


@dataclass(frozen=True, slots=True)
class Cell:
    """Words of one line without a wide gap between them."""

    words: Words
    box: Box
    line: int  # index of the line it came from
    size: float  # of the letters of its line, in points
    middle: float  # y of the middle of its line: all cells of one line are in one row


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a page: the words of its cells."""

    rows: tuple[tuple[Words, ...], ...]  # the words of each cell
    lines: frozenset[int]  # indexes of its lines


def find_tables(lines: Sequence[Line]) -> list[Table]:
    """The tables of a page, from top to bottom; none are searched on a page with more than `_MOST_CELLS` cells."""
    cells = [cell for index, line in enumerate(lines) if not line.mono for cell in _cells(line, index)]
    if len(cells) > _MOST_CELLS:
        return []
    found: list[Table] = []
    run: list[list[Cell]] = []  # consecutive rows that may be a table
    for row in [*_rows(cells), []]:
        if run and not _continues(row, run):
            if table := _table(run):
                found.append(table)
            run = []
        if run or len(row) >= 2:
            run.append(row)
    return found


def _cells(line: Line, index: int) -> list[Cell]:
    """A line divided at its wide gaps; `index` is its place among the lines of the page."""
    groups: list[list[Word]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        gap = word.box.left - before.box.right
        if gap > _GAP * line.size or gap < -3 * line.size:
            groups.append([])
        groups[-1].append(word)
    middle = (line.box.bottom + line.box.top) / 2
    return [Cell(tuple(words), Box.around([word.box for word in words]), index, line.size, middle) for words in groups]


def _rows(cells: list[Cell]) -> list[list[Cell]]:
    """Cells at the same height, from top to bottom, each row from left to right."""
    rows: list[list[Cell]] = []
    for cell in sorted(cells, key=lambda each: -each.middle):
        if rows and abs(rows[-1][0].middle - cell.middle) < 0.4 * cell.size:
            rows[-1].append(cell)
        else:
            rows.append([cell])
    return [sorted(row, key=lambda each: each.box.left) for row in rows]


def _continues(row: list[Cell], run: list[list[Cell]]) -> bool:
    """Whether a row, if not empty, is near the rows above it, `run`; a single cell must also continue one of these."""
    if not row:
        return False
    above = run[-1]
    gap = above[0].box.bottom - row[0].box.top
    if len(row) > 1:
        return gap <= 3 * row[0].size
    if len(run) < 2 and len(above) < 4:
        return False
    return gap < 0.6 * row[0].size and any(abs(cell.box.left - row[0].box.left) < 2 for cell in above[1:])


def _table(run: list[list[Cell]]) -> Table | None:
    """The table that the rows form; None if they are text in columns or lists side by side."""
    full = [row for row in run if len(row) >= 2]
    columns = _columns(full)
    if len(columns) < 2 or len(full) < (2 if len(columns) >= 3 else 3):
        return None
    cells = [cell for row in run for cell in row]
    unsplit = sum(len({cell.line for cell in row}) < len(row) for row in full)
    if len(columns) == 2 and unsplit < 0.7 * len(full):
        return None  # two columns of text are side by side too, but in the file they are not row by row
    if _is_prose(cells, columns) or _are_separate_lists(full, columns):
        return None
    rows = _align_headers([_words_by_column(row, columns) for row in run])
    if len(rows[0]) == 2 and 2 * sum(bool(row[1]) for row in rows) < len(rows):
        return None
    rows = _join_wrapped_rows(rows, [row[0].middle for row in run])
    return Table(tuple(map(tuple, rows)), frozenset(cell.line for cell in cells))


def _columns(rows: list[list[Cell]]) -> list[Column]:
    """The columns that the cells form, as ranges of x; cells that span most of the width are ignored."""
    if not rows:
        return []
    left = min(cell.box.left for row in rows for cell in row)
    right = max(cell.box.right for row in rows for cell in row)
    edges = sorted(
        edge
        for row in rows
        for cell in row
        if cell.box.right - cell.box.left < 0.6 * (right - left)
        for edge in ((cell.box.left, 1), (cell.box.right, -1))
    )
    # One cell in eight may extend into the next column; the two columns still count as two.
    few = len(rows) // 8
    columns: list[Column] = []
    depth = 0
    begin = 0.0
    for x, change in edges:
        if change > 0 and depth == few:
            begin = x
        if change < 0 and depth == few + 1:
            if columns and begin < columns[-1][1] + 1:  # less than one point apart
                begin = columns.pop()[0]
            columns.append((begin, x))
        depth += change
    return columns


def _is_prose(cells: list[Cell], columns: list[Column]) -> bool:
    """Whether the cells are lines of running text: most have many words and fill their column."""
    chars = sum(len(word.text) + 1 for cell in cells for word in cell.words) / len(cells)
    if chars < _PROSE_CHARS or len(columns) > 4:
        return False  # running text is never set in five columns
    placed = ((cell, columns[_column(cell, columns)]) for cell in cells)
    full = sum(cell.box.right - cell.box.left > 0.8 * (right - left) for cell, (left, right) in placed)
    return full > _PROSE_FILL * len(cells)


def _are_separate_lists(rows: list[list[Cell]], columns: list[Column]) -> bool:
    """Whether the columns are lists side by side: they have long cells that are not on the same line of the file."""
    split = sum(len({cell.line for cell in row}) > 1 for row in rows)
    chars = [0] * len(columns)
    filled = [0] * len(columns)
    for row in rows:
        for cell in row:
            index = _column(cell, columns)
            chars[index] += sum(len(word.text) + 1 for word in cell.words)
            filled[index] += 1
    long = sum(size > 30 * count for size, count in zip(chars, filled, strict=True) if count)
    return long >= 2 and split > 0.4 * len(rows)


def _column(cell: Cell, columns: list[Column]) -> int:
    """The index of the column that a cell is in, or that is nearest to it."""
    overlaps = [min(cell.box.right, right) - max(cell.box.left, left) for left, right in columns]
    best = overlaps.index(max(overlaps))
    # A long cell that extends over the next column belongs to the column in which it begins.
    begins = next((index for index, (left, right) in enumerate(columns) if left - 2 <= cell.box.left <= right), best)
    return begins if cell.box.right > columns[begins][1] + 2 else best


def _words_by_column(row: list[Cell], columns: list[Column]) -> list[Words]:
    """The words of a row in each column, () in a column without any."""
    placed: list[Words] = [()] * len(columns)
    for cell in row:
        placed[_column(cell, columns)] += cell.words
    return placed


def _align_headers(rows: list[list[Words]]) -> list[list[Words]]:
    """The rows, with two adjacent columns joined where one has only the header and the other only what is below it."""
    index = 0
    while index + 1 < len(rows[0]):
        left = [bool(row[index]) for row in rows]
        right = [bool(row[index + 1]) for row in rows]
        never_both = not any(one and other for one, other in zip(left, right, strict=True))
        header_only = not any(left[1:]) or not any(right[1:])
        if never_both and header_only and len(rows) > 2 and len(rows[0]) > 2:
            rows = [[*row[:index], row[index] + row[index + 1], *row[index + 2 :]] for row in rows]
        else:
            index += 1
    return rows


def _join_wrapped_rows(rows: list[list[Words]], heights: list[float]) -> list[list[Words]]:
    """The rows, those that continue the row above joined to it. Such a row has no first cell, and is nearer to the one
    above than rows with a first cell mostly are, or its only cell begins in lower case. `heights` are the y of their
    middles."""
    steps = [above - below for above, below in pairwise(heights)]
    usual = sorted(step for step, row in zip(steps, rows[1:], strict=True) if row[0]) or [0.0]
    close = 0.85 * usual[len(usual) // 2]
    joined = [rows[0]]
    for step, row in zip(steps, rows[1:], strict=True):
        wrapped = not row[0] and all(above or not cell for above, cell in zip(joined[-1], row, strict=True))
        filled = [cell for cell in row if cell]
        if wrapped and (step < close or (len(filled) == 1 and filled[0][0].text[:1].islower())):
            joined[-1] = [above + cell for above, cell in zip(joined[-1], row, strict=True)]
        else:
            joined.append(row)
    return joined
