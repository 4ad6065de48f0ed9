"""The cell styles of a workbook: which of them show a number as a date, and which hide the content."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, even_colour, hex_colour
from mcp_web.extract.office.package import value, whole
from mcp_web.extract.xml_elements import Element, attribute, child, children

_DATE_FORMATS = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_DIGIT_FORMATS = frozenset([*range(1, 9), *range(37, 45)])
_DATE_CODE = re.compile(r"[dy]|m{3,}|(?<![#0])m(?![#0])|h:?m", re.I)
_DURATION = re.compile(r"\[(?:h+|m+|s+)\]", re.I)
_DIGIT_CODE = re.compile(r"(?!.*E[-+]).*[0#]", re.I)
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_UNSEEN = re.compile(r"\[[^\]]*\]|\s|_.")
# Colours by index: black and white of the old palette, and the first two of a theme.
_INDEXED = {"0": BLACK, "1": WHITE, "8": BLACK, "9": WHITE, "64": BLACK, "65": WHITE}
_THEME = {"0": WHITE, "1": BLACK}


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How the cells with this style are shown."""

    look: Look = PLAIN
    is_date: bool = False  # a number is shown as a date, a time or a duration
    is_duration: bool = False  # and that is a duration
    shows_digits: bool = False  # a number is shown with all digits of its integer part, never with an exponent
    shows_text: bool = True  # if not, it may still show numbers


def read_cell_styles(root: Element | None) -> list[CellStyle]:
    """The styles in the root of a workbook's `styles.xml`, by the index that a cell refers to; [] for None."""
    formats = {
        attribute(form, "numFmtId"): attribute(form, "formatCode") or "" for form in children(child(root, "numFmts"))
    }
    fonts = [font_look(font) for font in children(child(root, "fonts"))]
    fills = [_fill(fill) for fill in children(child(root, "fills"))]
    styles: list[CellStyle] = []
    for style in children(child(root, "cellXfs")):
        format_id = attribute(style, "numFmtId") or "0"
        code = formats.get(format_id)
        is_duration = format_id == "46" if code is None else _DURATION.search(code) is not None
        if code is None:
            is_date, shows_digits = whole(format_id) in _DATE_FORMATS, whole(format_id) in _DIGIT_FORMATS
        else:
            plain = _LITERAL.sub("", code)
            is_date, shows_digits = bool(is_duration or _DATE_CODE.search(plain)), bool(_DIGIT_CODE.match(plain))
        empty = _empty_sections(code or "")
        hidden = Look(hidden=True if all(empty) and len(empty) == 4 else None)
        look = _at(fills, attribute(style, "fillId")).over(hidden.over(_at(fonts, attribute(style, "fontId"))))
        styles.append(CellStyle(look, is_date, is_duration, shows_digits, not (len(empty) == 4 and empty[3])))
    return styles


def _empty_sections(code: str) -> list[bool]:
    """Whether each section of a number format (of four, the last is for text) shows nothing."""
    plain = re.sub(r'"[^"]*"', lambda found: "x" if found[0].strip('" ') else "", code)
    return [not _UNSEEN.sub("", section) for section in plain.split(";")]


def _at(looks: list[Look], index: str | None) -> Look:
    """The look with this index; for None or an index that does not exist, a look that defines nothing."""
    return looks[whole(index)] if 0 <= whole(index, -1) < len(looks) else PLAIN


def font_look(font: Element) -> Look:
    """The look that the font of a cell, or of a run in it, defines: colour and size."""
    size = value(font, "sz")
    points = float(size) if re.fullmatch(r"\d{1,4}(?:\.\d{1,6})?", size) else None
    return Look(colour=_colour(child(font, "color")), size=points)


def _fill(fill: Element) -> Look:
    """The look that the fill of a cell defines: its background."""
    pattern, gradient = child(fill, "patternFill"), child(fill, "gradientFill")
    if gradient is not None:
        colour = even_colour([_colour(child(stop, "color")) for stop in gradient])
        return Look(background=colour, unknown=colour is None)
    if pattern is None or attribute(pattern, "patternType") != "solid":
        return PLAIN
    return Look(background=_colour(child(pattern, "fgColor")))


def _colour(element: Element | None) -> Colour | None:
    """A colour of a font or fill; None if it is not defined, or by a theme that is not read."""
    indexed = _INDEXED.get(attribute(element, "indexed") or "") or _THEME.get(attribute(element, "theme") or "")
    colour = indexed or hex_colour(attribute(element, "rgb"))
    tint = attribute(element, "tint") or "0"
    if colour is None or re.fullmatch(r"-?\d?\.?\d{0,20}", tint) is None:
        return None
    share = float(tint) if tint.strip("-.") else 0.0  # of white, or if it is negative of black
    return replace(WHITE if share > 0 else BLACK, alpha=min(1.0, abs(share))).over(colour)
