"""Tables: written as a pipe table, as a list, or, if a table is only layout, as its content."""

from __future__ import annotations

import re

from turbohtml import Element

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.escape import in_ticks
from mcp_web.extract.html.write.state import MAX_INDENTS, Survey, WriterState, indented, integer
from mcp_web.extract.markdown import pipe_table
from mcp_web.text.markdown import PIPE
from mcp_web.text.spaces import fold_spaces

MAX_COLUMNS = 200
MAX_SPAN = 1000
_ROLES = frozenset(("table", "grid", "treegrid"))
_TABLES = "table,[role=table],[role=grid],[role=treegrid]"
_ROLE_CELLS = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]"
_SHORT = 80  # characters
_NOT_A_FACT = "a[href],p,div,ul,ol,dl,pre,table,img,h1,h2,h3,h4,h5,h6"
_SECTION = "h1,h2,h3,h4,h5,h6,details"


def write_table(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the caption and a Markdown table; if tables are inside, a list; if it is only layout, its content."""
    rows, caption = _rows_of(element)
    if caption is not None:
        inline.write_caption(state, caption, out)
    nested = element.select_one("table") is not None
    if _is_layout(element, rows) or (nested and state.indents >= MAX_INDENTS):
        for row in rows:
            for cell in row:
                state.walk(state, cell, out)
    elif nested:  # each row is an item, with its cells below each other
        state.indents += 1
        inside = [[block for cell in row for block in state.blocks_of(cell)] for row in rows]
        state.indents -= 1
        out.append("\n\n".join("- " + indented("\n\n".join(blocks), "  ") for blocks in inside if blocks))
    else:
        _write_grid(state, rows, out)


def mark_grids(state: WriterState, survey: Survey) -> None:
    """Record in `state.special` the elements that are tables by their role, to be written by `write_roles`."""
    for element in survey.tagged:
        if element.tag != "table" and element.attr("role") in _ROLES and element.select_one(_TABLES) is None:
            state.special[element] = write_roles


def write_as_code(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the text of a declaration that is set as a table, as inline code."""
    out.append(in_ticks(fold_spaces(element.text)))


def write_columns(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a table whose cells are children of one element, row by row; its content, if no header cells begin it."""
    cells = [child for child in element if type(child) is Element]
    width = sum([cell.has_class("table-header") for cell in cells])
    if width < 2 or len(cells) % width or not all(cell.has_class("table-header") for cell in cells[:width]):
        state.walk(state, element, out)
        return
    _write_grid(state, [cells[start : start + width] for start in range(0, len(cells), width)], out)


def write_roles(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a table whose rows and cells are marked by the attribute `role`; its content, if it has other text."""
    rows = [row.select(_ROLE_CELLS) for row in element.select("[role=row]")]
    inside = "".join([cell.text for row in rows for cell in row])
    # Words that are in no cell would be lost in a table.
    is_grid = len(rows) > 1 and len(rows[-1]) > 1 and "".join(inside.split()) == "".join(element.text.split())
    if is_grid:
        _write_grid(state, rows, out)
    else:
        state.walk(state, element, out)


def _write_grid(state: WriterState, rows: list[list[Element]], out: list[str]) -> None:
    """Append the rows as a Markdown table; a row that has only a heading is written between two tables."""
    held: list[list[Element]] = []
    for row in [*rows, []]:
        if row and not (len(row) == 1 and row[0].select_one(_SECTION) is not None):
            held.append(row)
            continue
        grid = _grid(state, held)
        if grid:
            out.append(pipe_table(grid))
        held = []
        if row:
            state.walk(state, row[0], out)


def _rows_of(table: Element) -> tuple[list[list[Element]], Element | None]:
    """The cells of each row that has some, in the order of the screen, and the `caption` element or None."""
    children = [child for child in table if type(child) is Element]
    groups = [child for child in children if child.tag in ("thead", "tbody", "tfoot")]  # each row is in one of these
    head, foot = (next((group for group in groups if group.tag == tag), None) for tag in ("thead", "tfoot"))
    groups.sort(key=lambda group: (group == foot) - (group == head))
    found = [row for group in groups for row in group if type(row) is Element and row.tag == "tr"]
    rows = [[cell for cell in row if type(cell) is Element and cell.tag in ("td", "th")] for row in found]
    return [row for row in rows if row], next((child for child in children if child.tag == "caption"), None)


def _is_layout(table: Element, rows: list[list[Element]]) -> bool:
    """Whether a table is used for layout only: it has no data in rows and columns."""
    if (table.attr("role") or "") in ("presentation", "none"):
        return True
    has_header = any(cell.tag == "th" for row in rows for cell in row)
    if max((len(row) for row in rows), default=0) < 2 or len(rows) < 2:
        cells = rows[0] if len(rows) == 1 else []
        # A single row of three short texts or more, none of them a link, holds facts that belong together.
        short = [0 < len(cell.text.strip()) <= _SHORT and cell.select_one(_NOT_A_FACT) is None for cell in cells]
        return not has_header and not (len(short) > 2 and all(short))
    if table.select_one("table") is not None:
        return not has_header
    return any(len(row) > 1 and any(cell.select_one("h1,h2,h3,form") is not None for cell in row) for row in rows)


def _span(cell: Element, name: str) -> int:
    """The value of `colspan` or `rowspan`, whichever `name` is; from 1 to MAX_SPAN, and 1 if it is no number."""
    return max(1, min(integer(cell, name, 1), MAX_SPAN))


def _grid(state: WriterState, rows: list[list[Element]]) -> list[list[str]]:
    """The Markdown of the cells by rows, without empty rows; a cell that spans several columns or rows leaves the
    others empty."""
    grid: list[list[str]] = []
    held: dict[int, int] = {}  # column → how many more rows a cell above covers
    around, state.in_cell = state.in_cell, True

    def fill_covered(line: list[str]) -> None:
        while held.get(len(line), 0) > 0 and len(line) < MAX_COLUMNS:
            held[len(line)] -= 1
            line.append("")

    for row in rows:
        line: list[str] = []
        for cell in row:
            fill_covered(line)
            if len(line) >= MAX_COLUMNS:
                break
            width = min(_span(cell, "colspan"), MAX_COLUMNS - len(line))
            height = _span(cell, "rowspan")
            for offset in range(width):
                if height > 1:
                    held[len(line) + offset] = height - 1
            line.append(in_cell(state.blocks_of(cell)))
            line.extend([""] * (width - 1))
        fill_covered(line)
        if any(line):
            grid.append(line)
    state.in_cell = around
    return grid


def in_cell(inside: list[str]) -> str:
    """Blocks of Markdown on one line, joined by `<br>`, with pipes escaped."""
    return PIPE.sub(r"\\|", "<br>".join(flat(block) for block in inside))


def flat(block: str) -> str:
    """A block of Markdown on one line, its lines separated by `<br>`."""
    block = re.sub(r"\x00\d+\x00#{1,6} ", "", block)
    if block.startswith("```"):
        lines = block.split("\n")[1:-1]
        return "<br>".join(in_ticks(line.strip()) for line in lines if line.strip())
    return "<br>".join(line.strip() for line in block.split("\n") if line.strip())
