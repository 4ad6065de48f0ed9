"""The cell styles of a workbook: which of them show a number as a date, and which hide the content."""

from __future__ import annotations

import re
from typing import TypeVar

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import Look, hex_colour
from mcp_web.extract.office.package import Element, attribute, child, children, value

_DATE_FORMATS = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_DATE_CODE = re.compile(r"[dy]|m{3,}|(?<![#0])m(?![#0])|h:?m", re.I)
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_NOTHING = re.compile(r'(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*;(?:\[[^\]]*\]|""|\s)*\Z')
# Colours by index: black and white of the old palette, and the first two of a theme.
_INDEXED = {"0": "000000", "1": "ffffff", "8": "000000", "9": "ffffff", "64": "000000", "65": "ffffff"}
T = TypeVar("T")
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
        for index, style in enumerate(children(child(root, "cellXfs"))):
            number = attribute(style, "numFmtId") or "0"
            if _is_date(number, formats.get(number)):
                self._dates.add(str(index))
            look = _at(fonts, attribute(style, "fontId")) or Look()
            code = formats.get(number, "")
            empty = True if _NOTHING.match(code) else None
            if _shows_no_text(code):
                self._without_text.add(str(index))
            self._looks[str(index)] = (_at(fills, attribute(style, "fillId")) or Look()).over(
                Look(hidden=empty).over(look)
            )

    def is_date(self, index: str) -> bool:
        return index in self._dates

    def shows_text(self, index: str) -> bool:
        """Whether the format of a cell shows text; if not, it may still show numbers."""
        return index not in self._without_text

    def look(self, index: str) -> Look:
        return self._looks.get(index, Look())


def _is_date(number: str, code: str | None) -> bool:
    if code is not None:
        return _DATE_CODE.search(_LITERAL.sub("", code)) is not None
    return number.isdigit() and int(number) in _DATE_FORMATS


def _at(items: list[T], index: str | None) -> T | None:
    return items[int(index)] if index and index.isdigit() and int(index) < len(items) else None


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
        stops = [_colour(child(stop, "color")) for stop in gradient]
        first = stops[0] if stops else None
        alike = first is not None and all(stop is not None and stop.near(first) for stop in stops)
        return Look(background=first if alike else None, unknown=not alike)
    if pattern is None or attribute(pattern, "patternType") != "solid":
        return Look()
    return Look(background=_colour(child(pattern, "fgColor")))


def _colour(element: Element | None) -> Colour | None:
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
