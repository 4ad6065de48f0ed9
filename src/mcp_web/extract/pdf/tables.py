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


@dataclass(frozen=True, slots=True)
class Cell:
    words: tuple[Word, ...]
    box: Box
    line: int  # index of the line it came from
    size: float
    middle: float  # height of its line: all cells of one line are in one row


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[tuple[Word, ...], ...], ...]  # words of each cell
    lines: frozenset[int]  # indexes of its lines


def find_tables(lines: Sequence[Line]) -> list[Table]:
    """The tables of a page, from top to bottom."""
    cells = [cell for at, line in enumerate(lines) if not line.mono for cell in _cells(line, at)]
    if len(cells) > _MOST_CELLS:
        return []
    found: list[Table] = []
    run: list[list[Cell]] = []
    for row in [*_rows(cells), []]:
        if run and (len(row) < 2 and not _continues(row, run)):
            if table := _table(run):
                found.append(table)
            run = []
        if len(row) >= 2 or (run and row):
            if run and run[-1][0].box.bottom - row[0].box.top > 3 * row[0].size:
                if table := _table(run):
                    found.append(table)
                run = []
            run.append(row)
    return found


def _cells(line: Line, at: int) -> list[Cell]:
    """A line divided at its wide gaps."""
    groups: list[list[Word]] = [[line.words[0]]]
    for before, word in zip(line.words, line.words[1:], strict=False):
        gap = word.box.left - before.box.right
        if gap > _GAP * line.size or gap < -3 * line.size:
            groups.append([])
        groups[-1].append(word)
    return [
        Cell(
            tuple(words),
            Box.around([word.box for word in words]),
            at,
            line.size,
            (line.box.bottom + line.box.top) / 2,
        )
        for words in groups
    ]


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
    """Whether a single cell is the continuation of a cell above it."""
    above = run[-1]
    if len(row) != 1 or (len(run) < 2 and len(above) < 4):
        return False
    close = above[0].box.bottom - row[0].box.top < 0.6 * row[0].size
    return close and any(abs(cell.box.left - row[0].box.left) < 2 for cell in above[1:])


def _table(run: list[list[Cell]]) -> Table | None:
    full = [row for row in run if len(row) >= 2]
    columns = _columns(full)
    if len(columns) < 2 or len(full) < (2 if len(columns) >= 3 else 3):
        return None
    cells = [cell for row in run for cell in row]
    together = sum(len({cell.line for cell in row}) < len(row) for row in full)
    if len(columns) == 2 and together < 0.7 * len(full):
        return None  # two columns of text are side by side too, but in the file they are not row by row
    if _is_prose(cells, columns) or _is_spread(full, columns):
        return None
    taken = frozenset(cell.line for cell in cells)
    rows = _under_headers([_place(row, columns) for row in run])
    if len(rows[0]) == 2 and 2 * sum(bool(row[1]) for row in rows) < len(rows):
        return None
    return Table(tuple(_joined(rows, [row[0].middle for row in run])), taken)


def _columns(rows: list[list[Cell]]) -> list[tuple[float, float]]:
    """The ranges of x in which cells are; cells that span most of the width are ignored."""
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
    columns: list[tuple[float, float]] = []
    depth = 0
    begin = 0.0
    for at, change in edges:
        if change > 0 and depth == few:
            begin = at
        if change < 0 and depth == few + 1:
            columns.append((begin, at))
        depth += change
    return _wide(columns)


def _wide(columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The columns, joined if there is no space between them."""
    merged: list[tuple[float, float]] = []
    for begin, end in columns:
        if merged and begin < merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((begin, end))
    return merged


def _is_prose(cells: list[Cell], columns: list[tuple[float, float]]) -> bool:
    chars = sum(len(word.text) + 1 for cell in cells for word in cell.words) / len(cells)
    if chars < _PROSE_CHARS or len(columns) > 4:
        return False  # running text is never set in five columns
    full = sum(
        cell.box.right - cell.box.left > 0.8 * (columns[_column(cell, columns)][1] - columns[_column(cell, columns)][0])
        for cell in cells
    )
    return full > _PROSE_FILL * len(cells)


def _is_spread(rows: list[list[Cell]], columns: list[tuple[float, float]]) -> bool:
    """Whether the rows are only two lists side by side: long cells that are not on the same line of the file."""
    apart = sum(len({cell.line for cell in row}) > 1 for row in rows)
    chars = [0] * len(columns)
    filled = [0] * len(columns)
    for row in rows:
        for cell in row:
            at = _column(cell, columns)
            chars[at] += sum(len(word.text) + 1 for word in cell.words)
            filled[at] += 1
    long = sum(size > 30 * count for size, count in zip(chars, filled, strict=True) if count)
    return long >= 2 and apart > 0.4 * len(rows)


def _column(cell: Cell, columns: list[tuple[float, float]]) -> int:
    def overlap(column: tuple[float, float]) -> float:
        return min(cell.box.right, column[1]) - max(cell.box.left, column[0])

    best = max(range(len(columns)), key=lambda at: overlap(columns[at]))
    # A long cell that extends over the next column belongs to the column in which it begins.
    begins = next((at for at, column in enumerate(columns) if column[0] - 2 <= cell.box.left <= column[1]), best)
    return begins if cell.box.right > columns[begins][1] + 2 else best


def _place(row: list[Cell], columns: list[tuple[float, float]]) -> list[tuple[Word, ...]]:
    placed: list[tuple[Word, ...]] = [()] * len(columns)
    for cell in row:
        at = _column(cell, columns)
        placed[at] = placed[at] + cell.words
    return placed


def _under_headers(rows: list[list[tuple[Word, ...]]]) -> list[list[tuple[Word, ...]]]:
    """Moves a header that is beside its column, rather than above it, to its column."""
    at = 0
    while at + 1 < len(rows[0]):
        left = [bool(row[at]) for row in rows]
        right = [bool(row[at + 1]) for row in rows]
        never_both = not any(one and other for one, other in zip(left, right, strict=True))
        header_only = sum(left[1:]) == 0 or sum(right[1:]) == 0
        if never_both and header_only and len(rows) > 2 and len(rows[0]) > 2:
            rows = [[*row[:at], row[at] + row[at + 1], *row[at + 2 :]] for row in rows]
        else:
            at += 1
    return rows


def _joined(rows: list[list[tuple[Word, ...]]], heights: list[float]) -> list[tuple[tuple[Word, ...], ...]]:
    """Joins rows that are continuations of the row above: closer than others, and without a first cell."""
    steps = [above - below for above, below in pairwise(heights)]
    usual = sorted(step for step, row in zip(steps, rows[1:], strict=True) if row[0]) or [0.0]
    close = 0.85 * usual[len(usual) // 2]
    joined: list[list[tuple[Word, ...]]] = [rows[0]]
    for step, row in zip(steps, rows[1:], strict=True):
        wrapped = not row[0] and all(above or not cell for above, cell in zip(joined[-1], row, strict=True))
        if wrapped and (step < close or _continues_sentence(row)):
            joined[-1] = [above + cell for above, cell in zip(joined[-1], row, strict=True)]
        else:
            joined.append(row)
    return [tuple(row) for row in joined]


def _continues_sentence(row: list[tuple[Word, ...]]) -> bool:
    """Whether a row has only one cell, which begins in the middle of a sentence."""
    filled = [cell for cell in row if cell]
    return len(filled) == 1 and filled[0][0].text[:1].islower()
