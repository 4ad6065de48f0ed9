"""The styles of a Word document: headings, lists, code, and which text they hide."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, hex_colour
from mcp_web.extract.office.package import value
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local

_HEADING = re.compile(r"heading\s*(\d)", re.I)
_CODE = re.compile(r"code|preformatted|source|listing", re.I)
_THEME = dict.fromkeys(("background1", "light1", "bg1", "lt1"), WHITE)
_THEME |= dict.fromkeys(("text1", "dark1", "tx1", "dk1"), BLACK)
_OFF = ("0", "false", "none")
_FLAT = 40  # twentieths of a point; a line or row of this height shows nothing
_INDENTS = ("left", "start", "right", "end", "firstLine", "hanging")
_LOOK_PROPERTIES = frozenset(("spacing", "ind", "framePr", "shd"))  # of a paragraph; the others hide nothing
_FAR = 400  # half points; text that is raised or lowered more is off its page
_OFF_PAGE = 15_000  # twentieths of a point; wider than a page


@dataclass(frozen=True, slots=True)
class Style:
    """What a named style of the document defines."""

    level: int | None = None  # of a heading
    list: tuple[str, int] | None = None  # numbering id and depth
    code: bool = False
    look: Look = PLAIN
    default: bool = False  # the style of paragraphs that name none


def read_styles(root: Element | None) -> dict[str, Style]:
    """The styles of the document by id."""
    found: dict[str, Style] = {}
    defaults = _properties_look(child(root, "docDefaults", "rPrDefault", "rPr"))
    for style in children(root, "style"):
        name, based = value(style, "name"), child(style, "basedOn")
        above = found.get(value(based), Style())
        level = above.level
        if match := _HEADING.match(name):
            level = int(match[1])
        elif name.lower() == "title":
            level = 1
        place = list_place(child(style, "pPr"), Style()) or above.list
        look = _properties_look(child(style, "rPr")).over(above.look if based is not None else defaults)
        if _is_hidden_paragraph(child(style, "pPr")):
            look = replace(look, hidden=True)
        default = attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true")
        code = above.code or bool(_CODE.search(name))
        found[attribute(style, "styleId") or name] = Style(level, place, code, look, default)
    return found


def list_place(properties: Element | None, style: Style) -> tuple[str, int] | None:
    """The numbering id and the depth of a list item; None if the paragraph is not one."""
    number = child(properties, "numPr")
    if number is None:
        return style.list
    identity, level = value(number, "numId") or "0", value(number, "ilvl")
    return None if identity == "0" else (identity, int(level) if level.isdigit() else 0)


def paragraph_look(properties: Element | None, style: Style) -> Look:
    """The look of a paragraph's style; hidden if the paragraph is off the page or its lines have no height."""
    if properties is None or not any(local(each.tag) in _LOOK_PROPERTIES for each in properties):
        return style.look
    look = replace(style.look, hidden=True) if _is_hidden_paragraph(properties) else style.look
    return look.on(shading(properties))


def _is_hidden_paragraph(properties: Element | None) -> bool:
    """Whether paragraph properties move the paragraph off the page, or give its lines no height."""
    spacing, indent = child(properties, "spacing"), child(properties, "ind")
    flat = attribute(spacing, "lineRule") == "exact" and 0 <= _integer(attribute(spacing, "line"), 240) <= _FLAT
    off_page = any(abs(_integer(attribute(indent, name), 0)) > _OFF_PAGE for name in _INDENTS)
    return flat or off_page or is_off_page(child(properties, "framePr"))


def is_off_page(frame: Element | None) -> bool:
    """Whether a frame or table is off its page, or has no height."""
    places = [_integer(attribute(frame, name), 0) for name in ("x", "y", "tblpX", "tblpY")]
    flat = attribute(frame, "hRule") == "exact" and _integer(attribute(frame, "h"), 240) <= _FLAT
    return flat or any(abs(place) > _OFF_PAGE for place in places)


def shading(properties: Element | None) -> Colour | None:
    """The background colour: of a solid pattern, the colour of the pattern."""
    shade = child(properties, "shd")
    return hex_colour(attribute(shade, "color" if value(shade) == "solid" else "fill"))


def run_look(properties: Element | None, styles: Mapping[str, Style], look: Look) -> Look:
    """The look of a run: its properties override its style, which overrides `look`, that of the paragraph."""
    if properties is None or not len(properties):
        return look
    named = styles.get(value(properties, "rStyle"))
    return _properties_look(properties).over(named.look.over(look) if named is not None else look)


def _properties_look(properties: Element | None) -> Look:
    """The look that run properties define, in a style or on a run."""
    if properties is None:
        return Look()
    hidden = None
    for name in ("vanish", "webHidden", "specVanish"):
        if child(properties, name) is not None:
            hidden = bool(hidden) or is_on(properties, name)
    if _is_squeezed(properties) or _is_transparent(properties):
        hidden = True
    size, highlight = value(properties, "sz"), value(properties, "highlight")
    background = (parse_colour(highlight) if highlight not in ("", "none") else None) or shading(properties)
    return Look(hidden, _colour(properties), int(size) / 2 if size.isdigit() else None, background)


def _colour(properties: Element) -> Colour | None:
    """The colour that run properties define; None if it is not known."""
    fill = child(properties, "textFill", "solidFill")
    drawn = fill[0] if fill is not None and len(fill) else None
    if drawn is not None:
        return _THEME.get(value(drawn)) or hex_colour(value(drawn))
    colour = child(properties, "color")
    theme = _THEME.get(attribute(colour, "themeColor") or "")
    changed = attribute(colour, "themeShade") or attribute(colour, "themeTint")
    return theme if theme is not None and changed is None else hex_colour(value(colour))


def _is_squeezed(properties: Element) -> bool:
    """Whether letters lie on top of each other, have no width, or are moved off the page."""
    scale = value(properties, "w") or "100"
    if abs(_integer(value(properties, "position"), 0)) > _FAR:
        return True
    if _integer(value(properties, "fitText"), 240) <= _FLAT:
        return True
    return (scale.isdigit() and int(scale) <= 5) or _integer(value(properties, "spacing"), 0) <= -160


def _is_transparent(properties: Element) -> bool:
    """Whether letters have no fill, or one that is at least 98 % transparent."""
    fill = child(properties, "textFill")
    if fill is None:
        return False
    clear = value(next(descendants(fill, "alpha"), None))
    return child(fill, "noFill") is not None or clear[:2] in ("10", "99", "98")


def _integer(text: str | None, default: int) -> int:
    """The number in a text; `default` if it is not one."""
    return int(text) if text and re.fullmatch(r"-?\d{1,7}", text) else default


def is_hidden_row(row: Element) -> bool:
    """Whether a table row is marked as hidden or has no height."""
    properties = child(row, "trPr")
    height = child(properties, "trHeight")
    flat = attribute(height, "hRule") == "exact" and _integer(value(height), 240) <= _FLAT
    return is_on(properties, "hidden") or flat


def is_on(properties: Element | None, name: str) -> bool:
    """Whether a property such as bold is present and not switched off."""
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in _OFF
