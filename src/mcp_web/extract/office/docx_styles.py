"""The styles of a Word document: headings, lists, code, and which text they hide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, hex_colour
from mcp_web.extract.office.package import value, whole
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants

_HEADING = re.compile(r"heading\s*(\d)", re.I)
_CODE = re.compile(r"code|preformatted|source|listing", re.I)
_THEME = dict.fromkeys(("background1", "light1", "bg1", "lt1"), WHITE)
_THEME |= dict.fromkeys(("text1", "dark1", "tx1", "dk1"), BLACK)
_OFF = ("0", "false", "off", "none")
_FLAT = 40  # twentieths of a point; a line or row of this height shows nothing
_INDENTS = ("left", "start", "right", "end", "firstLine", "hanging")
_HIDING = ("vanish", "webHidden", "specVanish")
_MOST_KNOWN = 1000
_FAR = 400  # half points; text that is raised or lowered more is off its page
_CLEAR = re.compile(r"(?:98|99|100)(?:\d{3}|(?:\.\d+)?%)")  # a share in thousandths of a percent, or in percent
_OFF_PAGE = 15_000  # twentieths of a point; wider than a page


ListPlace = tuple[str, int]  # numbering id and depth
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Style:
    """What a named style defines, or the properties of a paragraph together with its style."""

    level: int | None = None  # of a heading
    list: ListPlace | None = None
    code: bool = False
    look: Look = PLAIN


class WordStyles:
    """The styles of a document, from the root of its `styles.xml`; `plain` is the look without a named style."""

    def __init__(self, root: Element | None = None) -> None:
        elements = children(root, "style")
        self._elements = {attribute(each, "styleId") or value(each, "name"): each for each in elements}
        self._defaults = _letters_look(child(root, "docDefaults", "rPrDefault", "rPr"))
        self._named: dict[str, Style] = {}
        self.paragraph = _Known(self._paragraph)
        self.run = _Known(self._run)
        self.plain = PLAIN
        for name, element in self._elements.items():
            if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true"):
                self.plain = self.named(name).look

    def named(self, identity: str) -> Style:
        """The style with this id, with what it inherits; one that defines nothing if there is none."""
        element = self._elements.get(identity)
        if identity in self._named or element is None:
            return self._named.get(identity, Style())
        self._named[identity] = Style()  # for styles that inherit from each other in a circle
        name, based = value(element, "name"), child(element, "basedOn")
        above = self.named(value(based))
        heading = _HEADING.match(name)
        level = int(heading[1]) if heading else 1 if name.lower() == "title" else above.level
        look = _letters_look(child(element, "rPr")).over(above.look if based is not None else self._defaults)
        own = Style(level, above.list, above.code or bool(_CODE.search(name)), look)
        style = self._named[identity] = _applied(child(element, "pPr"), own)
        return style

    def _paragraph(self, properties: Element | None) -> Style:
        """The style of a paragraph with these properties."""
        return _applied(properties, self.named(value(properties, "pStyle")))

    def _run(self, properties: Element | None) -> tuple[str, Look]:
        """The emphasis mark of a run with these properties, and its look, which overrides that of its paragraph."""
        mark = "*" * (2 * is_on(properties, "b") + is_on(properties, "i"))
        return mark, _letters_look(properties).over(self.named(value(properties, "rStyle")).look)


class _Known(Generic[T]):
    """Calls `read` for the properties of a paragraph or run, and remembers the results for the first thousand ones.
    Most paragraphs and runs of a document have the same few properties."""

    def __init__(self, read: Callable[[Element | None], T]) -> None:
        self._read = read
        self._found: dict[object, T] = {}

    def __call__(self, properties: Element | None) -> T:
        elements = properties.iter() if properties is not None else ()
        key = tuple([(each.tag, len(each), *each.attrib.items()) for each in elements])
        found = self._found.get(key)
        if found is None:
            found = self._read(properties)
            if len(self._found) < _MOST_KNOWN:
                self._found[key] = found
        return found


def _applied(properties: Element | None, style: Style) -> Style:
    """A style with what the properties of a paragraph add to it."""
    outline, number = whole(value(properties, "outlineLvl"), 9), child(properties, "numPr")
    place = style.list
    if number is not None:
        identity = value(number, "numId") or "0"
        place = (identity, whole(value(number, "ilvl"))) if identity != "0" else None
    look = replace(style.look, gone=True) if _is_hidden_paragraph(properties) else style.look
    level = outline + 1 if 0 <= outline < 6 else style.level
    return Style(level, place, style.code, look.on(shading(properties)))


def _is_hidden_paragraph(properties: Element | None) -> bool:
    """Whether paragraph properties move the paragraph off the page, or give its lines no height."""
    spacing, indent = child(properties, "spacing"), child(properties, "ind")
    flat = attribute(spacing, "lineRule") == "exact" and 0 <= whole(attribute(spacing, "line"), 240) <= _FLAT
    off_page = any(abs(whole(attribute(indent, name), 0)) > _OFF_PAGE for name in _INDENTS)
    return flat or off_page or is_off_page(child(properties, "framePr"))


def is_off_page(frame: Element | None) -> bool:
    """Whether a frame or table with these properties is off its page, or has no height; False for None."""
    places = [whole(attribute(frame, name)) for name in ("x", "y", "tblpX", "tblpY")]
    flat = attribute(frame, "hRule") == "exact" and whole(attribute(frame, "h"), 240) <= _FLAT
    return flat or any(abs(place) > _OFF_PAGE for place in places)


def shading(properties: Element | None) -> Colour | None:
    """The background colour that properties define (of a solid pattern, that of the pattern); None if there is none."""
    shade = child(properties, "shd")
    return hex_colour(attribute(shade, "color" if value(shade) == "solid" else "fill"))


def _letters_look(properties: Element | None) -> Look:
    """The look of letters that run properties define, in a style or on a run."""
    if properties is None:
        return PLAIN
    marks = [is_on(properties, name) for name in _HIDING if child(properties, name) is not None]
    hidden = _is_squeezed(properties) or _is_transparent(properties) or any(marks)
    size, highlight = whole(value(properties, "sz"), -1), value(properties, "highlight")
    background = (parse_colour(highlight) if highlight not in ("", "none") else None) or shading(properties)
    return Look(hidden if hidden or marks else None, _colour(properties), size / 2 if size >= 0 else None, background)


def _colour(properties: Element) -> Colour | None:
    """The text colour that run properties define; None if it is not known."""
    fill = child(properties, "textFill", "solidFill")
    drawn = fill[0] if fill is not None and len(fill) else None
    if drawn is not None:
        return _THEME.get(value(drawn)) or hex_colour(value(drawn))
    colour = child(properties, "color")
    theme = _THEME.get(attribute(colour, "themeColor") or "")
    changed = attribute(colour, "themeShade") or attribute(colour, "themeTint")
    return theme if theme is not None and changed is None else hex_colour(value(colour))


def _is_squeezed(properties: Element) -> bool:
    """Whether run properties lay letters on top of each other, give them no width, or move them off the page."""
    moved, width = abs(whole(value(properties, "position"))) > _FAR, whole(value(properties, "w"), 100)
    fitted, spacing = whole(value(properties, "fitText"), 240), whole(value(properties, "spacing"))
    return moved or width <= 5 or fitted <= _FLAT or spacing <= -160


def _is_transparent(properties: Element) -> bool:
    """Whether run properties give letters no fill, or one that is at least 98 % transparent."""
    fill = child(properties, "textFill")
    if fill is None:
        return False
    clear = value(next(descendants(fill, "alpha"), None))
    return child(fill, "noFill") is not None or _CLEAR.fullmatch(clear) is not None


def is_hidden_row(row: Element) -> bool:
    """Whether a table row is marked as hidden or has no height."""
    properties = child(row, "trPr")
    height = child(properties, "trHeight")
    flat = attribute(height, "hRule") == "exact" and whole(value(height), 240) <= _FLAT
    return is_on(properties, "hidden") or flat


def is_on(properties: Element | None, name: str) -> bool:
    """Whether a property such as bold is present and not switched off."""
    found = child(properties, name)
    return found is not None and attribute(found, "val") not in _OFF
