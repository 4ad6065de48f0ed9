"""Workbooks (xlsx) → Markdown: a section and a table per sheet, values as they are shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Context, Decimal

from mcp_web.extract.assemble import LONGEST, assemble
from mcp_web.extract.markdown import table_of
from mcp_web.extract.office.cell_styles import CellStyle, font_look, read_cell_styles
from mcp_web.extract.office.look import PLAIN, Look, Visibility
from mcp_web.extract.office.package import Package, relation_id, whole
from mcp_web.extract.xml_elements import Element, attribute, child, children, local
from mcp_web.model.page import Document, Fetched
from mcp_web.text.shorten import shortened
from mcp_web.text.untrusted import one_line, quoted

_ROWS = 2000  # of a sheet
_COLUMNS = 60
_CELLS = 100_000  # of a workbook
_CELL = 500
_LONG = LONGEST // _CELLS  # characters that count as another cell: more than a document keeps are not read
_RAW = 4 * _CELL  # characters of a cell that are read; many cells may refer to the same long string
_RUNS = 4  # runs of text in a cell that count as another cell
_NAME = 100  # characters of a sheet's name; programs allow 31
_THIN = 0.3  # characters; a column of this width shows nothing
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]{0,100}\bref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_MERGED_ROWS = 500_000  # of all merged cells together
_REFERENCE = re.compile(r"([A-Za-z]{1,3})(\d{0,7})")
_NUMBER = re.compile(r"[-+]?\d{1,400}(?:\.\d{0,400})?(?P<exponent>E[-+]?\d{1,3})?", re.A | re.I)
_ESCAPE = re.compile(r"_x(?![dD][89a-fA-F])([0-9a-fA-F]{4})_")
_FLAT = 1.5  # points; a row of this height shows nothing


def read_xlsx(page: Fetched) -> Document:
    """Reads Excel workbooks; raises ExtractFailed."""
    package = Package(page)
    main = package.main_part("xl/workbook.xml")
    root = package.xml(main)
    sheets = child(root, "sheets")
    if sheets is None:
        raise package.failed("contains no sheets")
    targets = package.relations(main)
    reader = _Cells(package, main, epoch_1904=attribute(child(root, "workbookPr"), "date1904") in ("1", "true"))
    parts: list[str] = []
    notes: list[str] = []
    hidden = 0
    read: set[str] = set()
    for sheet in sheets:
        name, part = sheet.get("name", "Sheet"), targets.get(relation_id(sheet), "")
        if sheet.get("state", "visible") != "visible":
            hidden += 1
            continue
        if part in read:  # programs write a part for each sheet: thousands that share one would take seconds
            continue
        read.add(part)
        rows, missing = reader.rows(part)
        notes.extend(f"Sheet {quoted(name)} {what}." for what in missing)
        if rows:
            parts.append(f"## {shortened(one_line(name), _NAME)}\n\n{table_of(rows)}")
    if hidden:
        notes.append(f"{hidden} hidden sheets were left out.")
    title, metadata = package.core_properties()
    hidden += reader.hidden
    return assemble(
        page, "xlsx", "\n\n".join(parts), title=title, kind="data", metadata=metadata, notes=notes, hidden=hidden
    )


class _Cells(Visibility):
    """Reads the cells of a workbook as text: shared strings, dates by their format, formulas by their last result."""

    def __init__(self, package: Package, main: str, *, epoch_1904: bool) -> None:
        super().__init__()
        self._package = package
        related = package.related(main)
        self._shared = children(package.xml(related.get("sharedStrings", "xl/sharedStrings.xml")))
        self._styles = read_cell_styles(package.xml(related.get("styles", "xl/styles.xml")))
        self._epoch = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30)
        self._left = _CELLS  # cells that may still be read

    def rows(self, part: str) -> tuple[list[list[str]], list[str]]:
        """The rows of a sheet that are not empty, and predicates about what was left out. Raises ExtractFailed."""
        rows: list[list[str]] = []
        data = self._package.read(part)
        if data is None:
            return [], []
        form, is_long = _SheetForm(covered=_covered_cells(data)), False
        for is_row, element in self._package.stream(part, data, "sheetData"):
            if not is_row:
                form.read(element)
            elif any(cells := self._row(element, form)):
                rows.append(cells)
                self._left -= max(len(cells), sum(map(len, cells)) // _LONG)
            if len(rows) > _ROWS or self._left <= 0:
                rows, is_long = rows[:_ROWS], True
                break
        missing = [f"is longer than what is shown ({len(rows):,} rows)"] if is_long else []
        missing += [f"has more than {_COLUMNS} columns; the others are not shown"] if form.is_wide else []
        return trimmed(rows), missing

    def _row(self, row: Element, form: _SheetForm) -> list[str]:
        """The texts of a row, "" for hidden cells, which are counted; none beyond the limits of columns and cells."""
        cells: list[str] = []
        hidden_row = _is_flat(row, "ht") or (row.get("hidden") in ("1", "true") and not row.get("outlineLevel"))
        hidden_row = hidden_row or (form.rows_are_flat and row.get("ht") is None)
        form.row = whole(row.get("r"), form.row + 1)
        for cell in row:
            place = _REFERENCE.match(cell.get("r", ""))
            column = _column(place[1]) if place else len(cells)
            if column >= _COLUMNS or self._left <= 0:
                form.is_wide = form.is_wide or (column >= _COLUMNS and len(cell) > 0)
                break
            cells.extend([""] * (column - len(cells)))
            index = whole(cell.get("s"))
            style = self._styles[index] if 0 <= index < len(self._styles) else CellStyle()
            text = shortened(" ".join(self._text(cell, style)[:_RAW].split()), _CELL)
            is_text = cell.get("t", "n") in ("s", "str", "inlineStr")
            covered = form.covered.get(whole(place[2], form.row) if place else form.row, 0) >> column & 1
            hidden = hidden_row or column in form.hidden_columns or covered or (is_text and not style.shows_text)
            cells.append(self.visible(text, Look(hidden=True) if hidden else style.look))
        return cells

    def _text(self, cell: Element, style: CellStyle) -> str:
        """The value of a cell as a program shows it; its formula if the file has no value for it."""
        kind = cell.get("t", "n")
        value = child(cell, "v")
        text = (value.text if value is not None else None) or ""
        if kind == "inlineStr":
            return self._string(child(cell, "is"), style.look)
        if kind == "s":
            known = 0 <= whole(text, -1) < len(self._shared)
            return self._string(self._shared[whole(text)], style.look) if known else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        if not text:
            formula = child(cell, "f")
            return f"={formula.text}" if formula is not None and formula.text else ""
        if kind == "n" and style.is_date:
            return _duration(text) if style.is_duration else self._date(text)
        return _number(text, style) if kind == "n" else _unescaped(text)

    def _string(self, item: Element | None, look: Look) -> str:
        """The text of a string item in a cell with this look, without phonetic annotations and hidden runs."""
        parts: list[str] = []
        for each in children(item, "t", "r"):
            font = child(each, "rPr")
            own = font_look(font).over(look) if font is not None and look.is_visible else PLAIN
            texts = children(each, "t") if local(each.tag) == "r" else [each]
            parts.append(self.visible(_unescaped("".join(one.text or "" for one in texts)), own)[:_RAW])
        self._left -= len(parts) // _RUNS
        return "".join(parts)

    def _date(self, text: str) -> str:
        """A number of days since the workbook's epoch as a date, with the time if there is one, or below 1 as a time
        alone; the text itself if it is not such a number."""
        try:
            moment = self._epoch + timedelta(days=float(text), microseconds=500_000)
        except (ValueError, OverflowError):
            return text
        moment = moment.replace(microsecond=0)
        if float(text) < 1:
            return moment.strftime("%H:%M:%S")
        return moment.date().isoformat() if moment.time().isoformat() == "00:00:00" else moment.isoformat(sep=" ")


def _duration(text: str) -> str:
    """A number of days as hours, minutes and seconds, such as 36:00:00; the text itself if it is not a number."""
    try:
        minutes, seconds = divmod(round(abs(float(text)) * 86_400), 60)
    except (ValueError, OverflowError):
        return text
    return f"{'-' * text.startswith('-')}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _unescaped(text: str) -> str:
    """The text with escapes of characters that XML cannot carry, such as `_x000D_`, replaced by the characters."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


@dataclass(slots=True)
class _SheetForm:
    """What a sheet defines about its rows and columns, and which cells are covered by merged ones."""

    covered: dict[int, int]  # by row; the columns as bits
    row: int = 0  # the number of the row that was read last
    hidden_columns: set[int] = field(default_factory=set)  # indexes
    rows_are_flat: bool = False  # the default: rows have no height
    is_wide: bool = False  # a row has more cells than are read

    def read(self, element: Element) -> None:
        """Read what `sheetFormatPr` or `cols` hide or give no size; columns of a collapsed group count as visible."""
        name = local(element.tag)
        if name == "sheetFormatPr":
            self.rows_are_flat = element.get("zeroHeight") in ("1", "true")
            self.hidden_columns.update(range(_COLUMNS) if _is_flat(element, "defaultColWidth", _THIN) else ())
        for column in element if name == "cols" else ():
            places = range(max(1, whole(column.get("min"), 1)) - 1, min(whole(column.get("max")), _COLUMNS))
            hidden = column.get("hidden") in ("1", "true") and not column.get("outlineLevel")
            if hidden or _is_flat(column, "width", _THIN):
                self.hidden_columns.update(places)
            else:
                self.hidden_columns.difference_update(places)


def _covered_cells(data: bytes) -> dict[int, int]:
    """For each row number, the columns that merged cells cover, as bits, without the first cell of each merge. `data`
    is the XML of the sheet."""
    found: dict[int, int] = {}
    left_over = _MERGED_ROWS
    for left, top, right, bottom in _MERGED.findall(data):
        first, last = _column(left.decode()), min(_column(right.decode()), _COLUMNS)
        rows = range(int(top), min(int(bottom), int(top) + _ROWS) + 1)
        left_over -= len(rows)
        if left_over < 0:
            break
        for row in rows if first <= last else ():
            found[row] = found.get(row, 0) | (2 << last) - ((2 if row == rows[0] else 1) << first)
    return found


def _is_flat(element: Element, name: str, least: float = _FLAT) -> bool:
    """Whether the attribute `name`, in points or characters, is a number less than `least`."""
    value = element.get(name, "")
    return re.fullmatch(r"\d{1,6}(?:\.\d{1,16})?", value) is not None and float(value) < least


def _number(text: str, style: CellStyle) -> str:
    """A number as people write it: all digits of its integer part, else 15 digits at most: 0.1 is stored as
    0.10000000000000001. Without an exponent if the style shows none."""
    form = _NUMBER.fullmatch(text)
    in_full = form is not None and (style.shows_digits or not form["exponent"])
    if form is None or (len(text) < 15 and not (in_full and form["exponent"])):
        return text
    number = Decimal(text)
    number = number.normalize(Context(prec=max(15, number.adjusted() + 1)))
    return f"{number:f}" if in_full else str(number)


def _column(letters: str) -> int:
    """The index of the column with these letters: 0 for A, 26 for AA."""
    index = 0
    for letter in letters.upper():
        index = index * 26 + ord(letter) - 64
    return index - 1


def trimmed(rows: list[list[str]]) -> list[list[str]]:
    """The rows, all made equally long, without the columns at the left and right that are empty in every row."""
    width = max((len(row) for row in rows), default=0)
    filled = [any(len(row) > column and row[column] for row in rows) for column in range(width)]
    if not any(filled):
        return []
    first, last = filled.index(True), width - filled[::-1].index(True)
    return [(row + [""] * (width - len(row)))[first:last] for row in rows]
