"""The cell styles of a workbook: which of them show a number as a date, and which hide the content."""

from __future__ import annotations

import re

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import Look, even_colour, hex_colour
from mcp_web.extract.office.package import value
from mcp_web.extract.xml_elements import Element, attribute, child, children

_DATE_FORMATS = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_DATE_CODE = re.compile(r"[dy]|m{3,}|(?<![#0])m(?![#0])|h:?m", re.I)
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_NOTHING = re.compile(  # format codes whose four sections show nothing
    r'(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*\Z'
)
# Colours by index: black and white of the old palette, and the first two of a theme.
_INDEXED = {"0": "000000", "1": "ffffff", "8": "000000", "9": "ffffff", "64": "000000", "65": "ffffff"}
_THEME = {"0": "ffffff", "1": "000000"}


class CellStyles:
    """The styles of a workbook, by the index that a cell refers to."""

    def __init__(self, root: Element | None) -> None:
        formats = {
            attribute(form, "numFmtId") or "": attribute(form, "formatCode") or ""
            for form in children(child(root, "numFmts"))
        }
        fonts = [font_look(font) for font in children(child(root, "fonts"))]
        fills = [_fill(fill) for fill in children(child(root, "fills"))]
        self._dates: set[str] = set()
        self._without_text: set[str] = set()
        self._looks: dict[str, Look] = {}
        for number, style in enumerate(children(child(root, "cellXfs"))):
            index, format_id = str(number), attribute(style, "numFmtId") or "0"
            code = formats.get(format_id, "")
            if _is_date(format_id, formats.get(format_id)):
                self._dates.add(index)
            if _shows_no_text(code):
                self._without_text.add(index)
            shown = Look(hidden=True if _NOTHING.match(code) else None).over(_at(fonts, attribute(style, "fontId")))
            self._looks[index] = _at(fills, attribute(style, "fillId")).over(shown)

    def is_date(self, index: str) -> bool:
        """Whether a number in a cell with this style is shown as a date."""
        return index in self._dates

    def shows_text(self, index: str) -> bool:
        """Whether the format of a cell shows text; if not, it may still show numbers."""
        return index not in self._without_text

    def look(self, index: str) -> Look:
        """The look of the text in a cell with this style."""
        return self._looks.get(index, Look())


def _is_date(format_id: str, code: str | None) -> bool:
    """Whether a number format shows dates; `code` is None for the formats that every workbook has."""
    if code is not None:
        return _DATE_CODE.search(_LITERAL.sub("", code)) is not None
    return format_id.isdigit() and int(format_id) in _DATE_FORMATS


def _at(looks: list[Look], index: str | None) -> Look:
    """The look with this index; one that defines nothing if there is none."""
    return looks[int(index)] if index and index.isdigit() and int(index) < len(looks) else Look()


def font_look(font: Element) -> Look:
    """The look of a font, of a cell or of a run in it."""
    size = value(font, "sz")
    points = float(size) if re.fullmatch(r"\d{1,4}(?:\.\d{1,6})?", size) else None
    return Look(colour=_colour(child(font, "color")), size=points)


def _shows_no_text(code: str) -> bool:
    """Whether a format has four sections and the fourth, which is for text, is empty."""
    sections = re.sub(r'"[^"]*"', lambda found: "x" if found[0].strip('" ') else "", code).split(";")
    return len(sections) == 4 and not re.sub(r"\[[^\]]*\]|\s|_.", "", sections[3])


def _fill(fill: Element) -> Look:
    """The background of a cell."""
    pattern, gradient = child(fill, "patternFill"), child(fill, "gradientFill")
    if gradient is not None:
        colour = even_colour([_colour(child(stop, "color")) for stop in gradient])
        return Look(background=colour, unknown=colour is None)
    if pattern is None or attribute(pattern, "patternType") != "solid":
        return Look()
    return Look(background=_colour(child(pattern, "fgColor")))


def _colour(element: Element | None) -> Colour | None:
    """A colour of a font or fill; None if it is not defined, or by a theme that is not read."""
    if element is None:
        return None
    digits = _INDEXED.get(attribute(element, "indexed") or "") or _THEME.get(attribute(element, "theme") or "")
    colour = parse_colour(f"#{digits}") if digits else hex_colour(attribute(element, "rgb"))
    tint = attribute(element, "tint") or "0"
    if colour is None or re.fullmatch(r"-?\d?\.?\d{0,20}", tint) is None:
        return None
    return _tinted(colour, float(tint or 0)) if tint.strip("-0.") else colour


def _tinted(colour: Colour, tint: float) -> Colour:
    """The colour made lighter (tint up to 1, white) or darker (down to -1, black)."""
    end = 255.0 if tint > 0 else 0.0
    red, green, blue = (part + (end - part) * min(1.0, abs(tint)) for part in (colour.red, colour.green, colour.blue))
    return Colour(red, green, blue)
