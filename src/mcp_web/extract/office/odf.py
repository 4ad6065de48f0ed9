"""OpenDocument texts, sheets and presentations → Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mcp_web.extract.assemble import assemble
from mcp_web.extract.markdown import escape_start, table_of, web_link
from mcp_web.extract.office.look import PLAIN, Look, Visibility
from mcp_web.extract.office.odf_styles import OdfStyles, points
from mcp_web.extract.office.package import Package, read_dublin_core, whole
from mcp_web.extract.office.xlsx import trimmed
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local
from mcp_web.model.page import Document, Fetched, PageKind
from mcp_web.text.shorten import shortened
from mcp_web.text.untrusted import one_line

_ROWS = 2000
_FAR_LEFT, _FAR_RIGHT = -850.0, 2835.0  # points: 30 cm before and 1 m after the edge of the page
_FLAT = 1.42  # points
_COLUMNS = 60
_NAME = 100  # characters of a sheet's name
_HIDDEN = Look(hidden=True)
_SKIPPED = frozenset(
    {
        "annotation",
        "annotation-end",
        "tracked-changes",
        "forms",
        "sequence-decls",
        "note-citation",
        "hidden-text",
        "ruby-text",
    }
)


@dataclass(slots=True)
class State(Visibility):
    """The styles of the document, and what was read so far."""

    styles: OdfStyles = field(default_factory=OdfStyles)
    notes: list[str] = field(default_factory=list)  # footnotes, in order
    cut: bool = False  # a table was longer than what is shown

    def is_hidden(self, element: Element) -> bool:
        """Whether the element is hidden, far off its page or without a size; if so, it is counted if it has text."""
        is_far = any(not _FAR_LEFT < points(attribute(element, name), 0.0) < _FAR_RIGHT for name in ("x", "y"))
        is_flat = any(points(attribute(element, name), _FLAT) < _FLAT for name in ("width", "height"))
        hidden = is_far or is_flat or self.styles.hides(element)
        self.visible("".join(element.itertext()) if hidden else "", _HIDDEN)
        return hidden


def read_odf(page: Fetched) -> Document:
    """Reads odt, ods and odp; raises ExtractFailed."""
    package = Package(page)
    root = package.xml("content.xml")
    body = child(root, "body")
    if body is None or not len(body):
        raise package.failed("contains no text that can be read (it may be encrypted)")
    content = body[0]
    state = State(styles=OdfStyles(package.xml("styles.xml"), root))
    kind: PageKind = "data" if local(content.tag) == "spreadsheet" else "unknown"
    parts = [part for part in _blocks(content, state, 0) if part.strip()]
    parts.extend(f"[^{number}]: {note}" for number, note in enumerate(state.notes, 1))
    text = "\n\n".join(parts).replace("\n\n\0", "\n").replace("\0", "")
    title, metadata = read_dublin_core(child(package.xml("meta.xml"), "meta"))
    notes = (f"Tables are shown up to {_ROWS:,} rows and {_COLUMNS} columns.",) if state.cut else ()
    return assemble(
        page,
        "odf",
        text,
        title=title,
        title_from_heading=True,
        kind=kind,
        metadata=metadata,
        notes=notes,
        hidden=state.hidden,
    )


def _blocks(parent: Element, state: State, depth: int) -> Iterator[str]:
    """The Markdown of each visible block in an element; `depth` is how deep the element is nested."""
    slide = 0
    for element in parent:
        name = local(element.tag)
        if state.is_hidden(element):
            continue
        if name == "h":
            yield _heading(element, state)
        elif name == "p":
            yield escape_start(_text(element, state))
        elif name == "list":
            yield from _list(element, state, 0)
        elif name == "table":
            title = shortened(one_line(attribute(element, "name") or ""), _NAME)
            heading = f"## {title}\n\n" if local(parent.tag) == "spreadsheet" and title else ""
            table = _table(element, state)
            yield heading + table if table else ""
        elif name == "page" and depth < 20:
            slide += 1
            yield f"## Slide {slide}"
            yield from _blocks(element, state, depth + 1)
        elif name not in _SKIPPED and depth < 20:
            yield from _blocks(element, state, depth + 1)


def _heading(element: Element, state: State) -> str:
    """A heading as Markdown; "" if nothing of it is visible."""
    text = " ".join(_text(element, state).split())
    return "#" * min(whole(attribute(element, "outline-level"), 1), 6) + f" {text}" if text else ""


def _list(element: Element, state: State, depth: int) -> Iterator[str]:
    """The items of a list; \\0 before an item joins it to the item above without a blank line. A heading in a list,
    which has its number from it, is a heading."""
    first = depth == 0
    for item in children(element, "list-item", "list-header"):
        for each in item:
            if local(each.tag) == "h":
                yield _heading(each, state)
                first = True
            elif local(each.tag) == "p":
                text = _text(each, state)
                if text:
                    yield ("" if first else "\0") + "  " * depth + f"- {text}"
                    first = False
            elif local(each.tag) == "list" and depth < 8:
                yield from _list(each, state, depth + 1)


def _table(table: Element, state: State) -> str:
    """A table without its hidden rows and columns, as Markdown."""
    rows: list[list[str]] = []
    hidden_columns = _hidden_columns(table, state)
    for row in descendants(table, "table-row"):
        if state.is_hidden(row) or state.styles.is_flat(row):
            continue
        cells = _cells(row, state, hidden_columns)
        if any(cells) and len(rows) >= _ROWS:
            state.cut = True
            break
        rows.extend([cells] * min(_repeats(row, "number-rows-repeated"), 5 * any(cells)))
    return table_of(trimmed(rows))


def _hidden_columns(table: Element, state: State) -> frozenset[int]:
    """The indexes of the columns that are hidden or have no width."""
    found: set[int] = set()
    first = 0
    for column in descendants(table, "table-column"):
        if first >= _COLUMNS:
            break
        width = min(_repeats(column, "number-columns-repeated"), _COLUMNS)
        if state.styles.hides(column) or state.styles.is_flat(column):
            found.update(range(first, first + width))
        first += width
    return frozenset(found)


def _cells(row: Element, state: State, hidden_columns: frozenset[int]) -> list[str]:
    """The texts of the cells of a row, empty for hidden ones; a repeated cell is there as often as it is repeated."""
    cells: list[str] = []
    for cell in children(row, "table-cell", "covered-table-cell"):
        look = state.styles.look(cell)
        text = " ".join(_text(each, state, look) for each in children(cell, "p", "h", "list"))
        count = min(_repeats(cell, "number-columns-repeated"), _COLUMNS - len(cells))
        columns = frozenset(range(len(cells), len(cells) + count))
        if columns <= hidden_columns or local(cell.tag) == "covered-table-cell":
            text = state.visible(text, _HIDDEN)
        cells.extend("" if column in hidden_columns else " ".join(text.split()) for column in sorted(columns))
        if len(cells) >= _COLUMNS:
            state.cut = state.cut or bool(text)
            break
    return cells


def _repeats(element: Element, name: str) -> int:
    """How often a row, column or cell is there in succession, by its attribute `name`; 1 if it does not state it."""
    return max(1, whole(attribute(element, name), 1))


def _text(element: Element, state: State, look: Look = PLAIN) -> str:
    """The visible text of a paragraph, with links and footnote references; `look` is that of the cell around it."""
    own = state.styles.look(element).over(look)
    if any(local(each.tag) == "hidden-paragraph" and state.styles.hides(each) for each in element):
        own = replace(own, hidden=True)
    return re.sub(" {2,}", " ", "".join(_pieces(element, state, own, 0))).strip()


def _pieces(element: Element, state: State, look: Look, depth: int) -> Iterator[str]:
    """The visible pieces of a paragraph or span as Markdown; `look` is its own, `depth` how deep it is nested."""
    yield state.visible(element.text or "", look).replace("\n", " ")
    for each in element:
        name = local(each.tag)
        if name in ("s", "tab"):
            yield " "
        elif name == "line-break":
            yield "\n"
        elif name == "note":
            if text := state.visible(" ".join(_text(part, state) for part in children(child(each, "note-body"))), look):
                state.notes.append(text)
                yield f"[^{len(state.notes)}]"
        elif name == "a":
            text = "".join(_pieces(each, state, state.styles.look(each).over(look), depth + 1)).strip()
            yield web_link(text, attribute(each, "href") or "")
        elif name not in _SKIPPED and depth < 30 and not state.is_hidden(each):
            space = " " if name in ("p", "h") else ""  # of a list, a text box or a table inside this element
            yield space
            yield from _pieces(each, state, state.styles.look(each).over(look), depth + 1)
            yield space
        yield state.visible(each.tail or "", look).replace("\n", " ")
