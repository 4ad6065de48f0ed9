"""Tables: a grid with its spans filled, or, where a table only lays out the page, its content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turbohtml import Element as ElementType

from mcp_web.extract.html.write import inline
from mcp_web.extract.html.write.draft import Draft
from mcp_web.extract.html.write.escape import code_span

if TYPE_CHECKING:
    from turbohtml import Element

MAX_COLUMNS = 200
MAX_SPAN = 1000
_PIPE = re.compile(r"(?<!\\)\|")


def write_table(draft: Draft, element: Element, out: list[str]) -> None:
    if element.has_class("memname"):  # Doxygen sets a signature as a table
        out.append(code_span(element.text))
        return
    rows, caption = _rows_of(element)
    if caption is not None:
        text = inline.one_line(inline.inner(draft, caption))
        if text:
            out.append(text if "*" in text else f"*{text}*")
    if _is_layout(element, rows):
        for row in rows:
            for cell in row:
                draft.walk(draft, cell, out)
        return
    grid = _grid(draft, rows)
    if grid:
        out.append(_as_pipes(grid))


def _rows_of(table: Element) -> tuple[list[list[Element]], Element | None]:
    rows: list[list[Element]] = []
    caption: Element | None = None
    for child in table:
        if type(child) is not ElementType:
            continue
        if child.tag == "caption":
            caption = child
        elif child.tag == "tr":
            rows.append(_cells_of(child))
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows.extend(_cells_of(row) for row in child if type(row) is ElementType and row.tag == "tr")
    return [row for row in rows if row], caption


def _cells_of(row: Element) -> list[Element]:
    return [cell for cell in row if type(cell) is ElementType and cell.tag in ("td", "th")]


def _is_layout(table: Element, rows: list[list[Element]]) -> bool:
    if (table.attr("role") or "") in ("presentation", "none"):
        return True
    if max((len(row) for row in rows), default=0) < 2 or len(rows) < 2:
        return table.select_one("th") is None
    return table.select_one("table, h1, h2, h3, form") is not None


def _span(cell: Element, name: str) -> int:
    value = cell.attr(name) or "1"
    return max(1, min(int(value), MAX_SPAN)) if value.isdigit() and len(value) < 12 else 1


def _grid(draft: Draft, rows: list[list[Element]]) -> list[list[str]]:
    """Every cell's text at its place; a span fills its first place and leaves the others empty."""
    grid: list[list[str]] = []
    held: dict[int, int] = {}  # column → rows still covered from above
    draft.in_cell = True
    for row in rows:
        line: list[str] = []
        for cell in row:
            while held.get(len(line), 0) > 0 and len(line) < MAX_COLUMNS:
                held[len(line)] -= 1
                line.append("")
            if len(line) >= MAX_COLUMNS:
                break
            width = min(_span(cell, "colspan"), MAX_COLUMNS - len(line))
            height = _span(cell, "rowspan")
            for offset in range(width):
                if height > 1:
                    held[len(line) + offset] = height - 1
            line.append(_cell_text(draft, cell))
            line.extend("" for _ in range(width - 1))
        while held.get(len(line), 0) > 0 and len(line) < MAX_COLUMNS:
            held[len(line)] -= 1
            line.append("")
        if any(line):
            grid.append(line)
    draft.in_cell = False
    return grid


def _cell_text(draft: Draft, cell: Element) -> str:
    inside = draft.blocks_of(cell)
    if not inside:
        return ""
    text = "<br>".join(_flat(block) for block in inside)
    return _PIPE.sub(r"\\|", text)


def _flat(block: str) -> str:
    """A block on one line."""
    block = re.sub(r"\x00\d+\x00#{1,6} ", "", block)
    if block.startswith("```"):
        lines = block.split("\n")[1:-1]
        return "<br>".join(f"`{line.strip()}`" for line in lines if line.strip())
    return "<br>".join(line.strip() for line in block.split("\n") if line.strip())


def _as_pipes(grid: list[list[str]]) -> str:
    width = max(len(line) for line in grid)
    for line in grid:
        line.extend("" for _ in range(width - len(line)))
    lines = ["| " + " | ".join(line) + " |" for line in grid]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)
