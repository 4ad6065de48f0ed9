"""Workbooks (xlsx) → Markdown: a section and a table per sheet, values as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from mcp_web.extract.assemble import assemble
from mcp_web.extract.markdown import table_of
from mcp_web.extract.office.cell_styles import CellStyles, font_look
from mcp_web.extract.office.look import Look
from mcp_web.extract.office.package import Package, relation_id
from mcp_web.extract.xml_elements import Element, attribute, child, children, local, read_xml
from mcp_web.model.page import Document, Fetched
from mcp_web.text.shorten import shortened
from mcp_web.text.untrusted import one_line, quoted

_ROWS = 2000  # of a sheet
_COLUMNS = 60
_CELLS = 100_000  # of a workbook
_CELL = 500
_BOOK = "xl/workbook.xml"
_NAME = 100  # characters of a sheet's name; programs allow 31
_THIN = 0.3  # characters; a column of this width shows nothing
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]{0,100}\bref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_FLAT = 1.5  # points; a row of this height shows nothing


def read_xlsx(page: Fetched) -> Document:
    """Reads Excel workbooks; raises ExtractFailed."""
    package = Package(page)
    root = package.xml(_BOOK)
    sheets = child(root, "sheets")
    if sheets is None:
        raise package.failed("contains no sheets")
    targets = package.relations(_BOOK)
    reader = _Cells(package, epoch_1904=attribute(child(root, "workbookPr"), "date1904") in ("1", "true"))
    parts: list[str] = []
    notes: list[str] = []
    hidden = 0
    for sheet in sheets:
        name = sheet.get("name", "Sheet")
        if sheet.get("state", "visible") != "visible":
            hidden += 1
            continue
        data = package.read(targets.get(relation_id(sheet), ""))
        if data is None:
            continue
        try:
            rows, left_out = reader.rows(data)
        except ValueError as error:
            raise package.failed(f"{error} (sheet {quoted(name)})") from error
        if left_out:
            notes.append(f"Sheet {quoted(name)} is longer than what is shown ({len(rows):,} rows).")
        if rows:
            parts.append(f"## {shortened(one_line(name), _NAME)}\n\n{table_of(rows)}")
    if hidden:
        notes.append(f"{hidden} hidden sheets were left out.")
    title, metadata = package.core_properties()
    hidden += reader.hidden
    return assemble(
        page, "xlsx", "\n\n".join(parts), title=title, kind="data", metadata=metadata, notes=notes, hidden=hidden
    )


class _Cells:
    """Reads the cells of a workbook as text: shared strings, dates by their format, formulas by their last result."""

    def __init__(self, package: Package, *, epoch_1904: bool) -> None:
        self._shared = children(package.xml("xl/sharedStrings.xml"))
        self._styles = CellStyles(package.xml("xl/styles.xml"))
        self.hidden = 0  # hidden cells and runs
        self._epoch = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30)
        self._left = _CELLS  # cells that may still be read

    def rows(self, data: bytes) -> tuple[list[list[str]], bool]:
        """The rows of a sheet that are not empty, and whether some were left out."""
        rows: list[list[str]] = []
        form = _SheetForm(covered=_covered_cells(data))
        for element in read_xml(data):
            if local(element.tag) == "sheetFormatPr":
                form.read_defaults(element)
            if local(element.tag) == "cols":
                form.read_columns(element)
            if local(element.tag) != "row":
                continue
            cells = self._row(element, form)
            element.clear()
            if any(cells):
                rows.append(cells)
                self._left -= len(cells)
            if len(rows) >= _ROWS or self._left <= 0:
                return _trimmed(rows), True
        return _trimmed(rows), False

    def _row(self, row: Element, form: _SheetForm) -> list[str]:
        """The texts of a row, empty for hidden cells, which are counted."""
        cells: list[str] = []
        hidden_row = _is_flat(row, "ht") or (row.get("hidden") in ("1", "true") and not row.get("outlineLevel"))
        hidden_row = hidden_row or (form.rows_are_flat and row.get("ht") is None)
        for cell in row:
            column = _column(cell.get("r", "")) or len(cells)
            if column >= _COLUMNS:
                break
            cells.extend([""] * (column - len(cells)))
            look = self._styles.look(cell.get("s", "0"))
            text = " ".join(self._text(cell, look).split())[:_CELL]
            is_text = cell.get("t", "n") in ("s", "str", "inlineStr")
            hidden = hidden_row or column in form.hidden_columns or cell.get("r", "") in form.covered
            hidden = hidden or not look.is_visible or (is_text and not self._styles.shows_text(cell.get("s", "0")))
            if text and hidden:
                self.hidden += 1
                text = ""
            cells.append(text)
        return cells

    def _text(self, cell: Element, look: Look) -> str:
        """The value of a cell as a program shows it; `look` is that of the cell."""
        kind = cell.get("t", "n")
        value = child(cell, "v")
        text = (value.text if value is not None else None) or ""
        if kind == "inlineStr":
            inner = child(cell, "is")
            return self._string(inner, look) if inner is not None else ""
        if kind == "s":
            known = text.isdigit() and int(text) < len(self._shared)
            return self._string(self._shared[int(text)], look) if known else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        if not text:
            formula = child(cell, "f")
            return f"={formula.text}" if formula is not None and formula.text else ""
        if kind == "n" and self._styles.is_date(cell.get("s", "")):
            return self._date(text)
        return _number(text) if kind == "n" else text

    def _string(self, item: Element, look: Look) -> str:
        """The text of a string item, without phonetic annotations and hidden runs."""
        return "".join(self._pieces(item, look))

    def _pieces(self, item: Element, look: Look) -> Iterator[str]:
        """The visible runs of a string item; hidden ones are counted in `self.hidden`."""
        for each in item:
            if local(each.tag) == "t":
                yield each.text or ""
            elif local(each.tag) == "r":
                font = child(each, "rPr")
                own = font_look(font).over(look) if font is not None else look
                if own.is_visible or not look.is_visible:
                    yield from self._pieces(each, own)
                else:
                    self.hidden += 1

    def _date(self, text: str) -> str:
        """A number of days since the epoch as a date or time; the text itself if it is not one."""
        try:
            moment = self._epoch + timedelta(days=float(text), microseconds=500_000)
        except (ValueError, OverflowError):
            return text
        moment = moment.replace(microsecond=0)
        if float(text) < 1:
            return moment.strftime("%H:%M:%S")
        return moment.date().isoformat() if moment.time().isoformat() == "00:00:00" else moment.isoformat(sep=" ")


@dataclass(slots=True)
class _SheetForm:
    """What a sheet defines about its rows and columns."""

    covered: frozenset[str]  # cells that a merged cell covers
    hidden_columns: frozenset[int] = frozenset()  # indexes
    rows_are_flat: bool = False  # the default: rows have no height

    def read_defaults(self, element: Element) -> None:
        """Read whether rows have no height and columns no width, from the element `sheetFormatPr`."""
        self.rows_are_flat = element.get("zeroHeight") in ("1", "true")
        if _is_flat(element, "defaultColWidth", _THIN):
            self.hidden_columns = frozenset(range(_COLUMNS))

    def read_columns(self, columns: Element) -> None:
        """Read which columns are hidden or have no width; those of a collapsed group count as visible."""
        found = set(self.hidden_columns)
        for column in columns:
            first, last = column.get("min", ""), column.get("max", "")
            if not first.isdigit() or not last.isdigit():
                continue
            places = range(int(first) - 1, min(int(last), _COLUMNS))
            hidden = column.get("hidden") in ("1", "true") and not column.get("outlineLevel")
            if hidden or _is_flat(column, "width", _THIN):
                found.update(places)
            else:
                found.difference_update(places)
        self.hidden_columns = frozenset(found)


def _covered_cells(data: bytes) -> frozenset[str]:
    """The cells, such as B7, of merged ranges, without the first cell of each range; `data` is the XML of a sheet."""
    found: set[str] = set()
    for left, top, right, bottom in _MERGED.findall(data):
        first, last = _column(left.decode()) or 0, min(_column(right.decode()) or 0, _COLUMNS)
        rows = range(int(top), min(int(bottom), int(top) + _ROWS) + 1)
        cells = [f"{_column_name(column)}{row}" for row in rows for column in range(first, last + 1)]
        found.update(cells[1:])
        if len(found) > _CELLS:
            break
    return frozenset(found)


def _column_name(column: int) -> str:
    """The letters of a column: A for 0, AA for 26."""
    return (chr(64 + column // 26) if column >= 26 else "") + chr(65 + column % 26)


def _is_flat(element: Element, name: str, least: float = _FLAT) -> bool:
    """Whether the attribute `name`, a height in points or a width in characters, is less than `least`.

    False if it is missing or not a number.
    """
    value = element.get(name, "")
    return re.fullmatch(r"\d{1,6}(?:\.\d{1,16})?", value) is not None and float(value) < least


def _number(text: str) -> str:
    """A number as people write it: 0.1 is stored as 0.10000000000000001."""
    if len(text) < 15:
        return text
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def _column(reference: str) -> int | None:
    """The index of the column in a cell reference such as B7; None without letters."""
    letters = "".join(char for char in reference if char.isalpha()).upper()[:3]
    if not letters:
        return None
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """The rows without columns at the left and right that are empty in all rows."""
    if not rows:
        return rows
    width = max(len(row) for row in rows)
    filled = [any(len(row) > column and row[column] for row in rows) for column in range(width)]
    if not any(filled):
        return []
    first, last = filled.index(True), width - filled[::-1].index(True)
    return [(row + [""] * (width - len(row)))[first:last] for row in rows]
