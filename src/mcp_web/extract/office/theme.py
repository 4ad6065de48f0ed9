"""Colours and fills of shapes, cells and text in slides and in drawings of Word, which a theme may define."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping
from dataclasses import replace

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, even_colour, hex_colour
from mcp_web.extract.office.package import whole
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

CLEAR = Colour(0, 0, 0, 0.0)
MOST_COLOURS = 50  # of a gradient; programs offer ten
_USUAL = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_SYSTEM = dict.fromkeys(("window", "highlightText", "btnHighlight"), WHITE)  # whatever `lastClr` says
_SYSTEM |= dict.fromkeys(("windowText", "menuText", "btnText", "captionText", "infoText"), BLACK)
_FILLS = ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
_SHORT = (("dk", "dark"), ("lt", "light"), ("med", "medium"))  # in the names of colours
_PERCENT = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)%")
_CHANGE = re.compile(r"(lum|sat|alpha|red|green|blue)(Mod|Off|)")
_GAMMA = 2.2  # programs compute tints and shades with the amount of light


class Theme:
    """The colours and fills of a theme: those of the first of `roots`, its parts, that defines any.

    `names` gives its colours further names, as the attributes of a `clrMap` do.
    """

    def __init__(self, *roots: Element | None, names: Mapping[str, str] = _USUAL) -> None:
        self._roots, self._names = roots, names
        scheme = children(self._first("clrScheme"))
        own = {local(each.tag): colour for each in scheme if (colour := _colour(each, {})) is not None}
        own = {"lt1": WHITE, "dk1": BLACK} | own
        self._colours = own | {name: own[source] for name, source in names.items() if source in own}
        self._known: dict[tuple[int, Colour | None], list[Colour] | None] = {}  # fills of styles
        styles = self._first("fmtScheme")
        self._styles = {
            start: children(child(styles, name)) for start, name in ((1, "fillStyleLst"), (1001, "bgFillStyleLst"))
        }

    def _first(self, name: str) -> Element | None:
        found = (child(root, *path, name) for root in self._roots for path in ((), ("themeElements",)))
        return next((each for each in found if each is not None), None)

    def changed(self, override: Element | None, names: Mapping[str, str]) -> Theme:
        """This theme with what the part `override` defines, and with other names unless `names` is empty."""
        return Theme(override, *self._roots, names=names or self._names) if override is not None or names else self

    @property
    def usual_look(self) -> Look:
        """The look of text without a colour, if `names` gives it that of the background; else one without a colour."""
        ink, ground = self._colours.get("tx1"), self._colours.get("bg1")
        return Look(colour=ink) if ink is not None and ground is not None and ink.is_invisible_on(ground) else PLAIN

    def colour(self, holder: Element | None) -> Colour | None:
        """The colour defined in an element, with its modifications; None if it is not known."""
        return _colour(holder, self._colours)

    def fill(self, properties: Element | None) -> list[Colour] | None:
        """The colours of the fill that the properties of a shape, cell or text define: several for a gradient, of which
        one more than MOST_COLOURS are read; a transparent one for no fill. Empty if they define none, None if they are
        not known."""
        found = next(iter(children(properties, *_FILLS)), None)
        return [] if found is None else _fill(found, self._colours)

    def fill_of(self, shape: Element) -> list[Colour] | None:
        """The colours of the fill that a shape has by its properties, else by its style, as for `fill`."""
        own = self.fill(child(shape, "spPr"))
        return self.styled_fill(child(shape, "style", "fillRef")) if own == [] else own

    def styled_fill(self, reference: Element | None) -> list[Colour] | None:
        """The colours of the fill that an element such as `fillRef` refers to: a transparent one for a style that the
        theme does not have; None if they are not known."""
        key = number, own = whole(attribute(reference, "idx")), self.colour(reference)
        if key not in self._known:
            colours = self._colours | ({"phClr": own} if own is not None else {})
            found = (
                each[number - start] for start, each in self._styles.items() if start <= number < start + len(each)
            )
            style = next(found, None)
            self._known[key] = [CLEAR] if style is None else _fill(style, colours)
        return self._known[key]

    def run_look(self, properties: Element | None) -> Look:
        """The look that the properties of a run of text define."""
        if properties is None:
            return PLAIN
        size = whole(attribute(properties, "sz"), -1)
        tight = whole(attribute(properties, "spc")) <= -1000  # ten points or more: letters lie on top of each other
        hidden = True if tight or child(properties, "noFill") is not None else None
        colour = even_colour(self.fill(properties) or [])
        # Letters in several colours or a picture do not have the colour of a weaker look.
        unknown = colour is None and bool(children(properties, "gradFill", "blipFill", "pattFill"))
        background = self.colour(child(properties, "highlight"))
        return Look(hidden, colour, size / 100 if size >= 0 else None, background, unknown)


def _fill(fill: Element, colours: Mapping[str, Colour]) -> list[Colour] | None:
    """The colours of a fill such as `solidFill`; None if they are not known."""
    kind = local(fill.tag)
    if kind == "noFill":
        return [CLEAR]
    holders = {
        "solidFill": [fill],
        "gradFill": children(child(fill, "gsLst")),
        "pattFill": children(fill, "fgClr", "bgClr"),
    }
    found = [_colour(holder, colours) for holder in holders.get(kind, ())[: MOST_COLOURS + 1]]
    known = [colour for colour in found if colour is not None]
    return known if known and len(known) == len(found) else None


def _colour(holder: Element | None, colours: Mapping[str, Colour]) -> Colour | None:
    """The colour defined in an element, with its modifications; `colours` are those of the theme."""
    element = holder[0] if holder is not None and len(holder) else None
    found = _base_colour(element, colours) if element is not None else None
    for change in children(element):
        found = found and _modified(found, local(change.tag), _share(attribute(change, "val")))
    return found


def _base_colour(element: Element, colours: Mapping[str, Colour]) -> Colour | None:
    """The colour that an element such as `srgbClr` names, before its modifications; None if it is not known."""
    kind, value = local(element.tag), attribute(element, "val") or ""
    if kind == "scrgbClr":
        red, green, blue = (_limited(_share(attribute(element, name))) ** (1 / _GAMMA) for name in ("r", "g", "b"))
        return Colour(255 * red, 255 * green, 255 * blue)
    if kind == "hslClr":
        hue = whole(attribute(element, "hue")) / 21_600_000
        light, saturation = (_limited(_share(attribute(element, name))) for name in ("lum", "sat"))
        red, green, blue = colorsys.hls_to_rgb(hue, light, saturation)
        return Colour(255 * red, 255 * green, 255 * blue)
    if kind == "schemeClr":
        return colours.get(value)
    if kind == "sysClr":
        return _SYSTEM.get(value) or hex_colour(attribute(element, "lastClr"))
    if kind != "prstClr":
        return hex_colour(value)
    start, long = next((names for names in _SHORT if value.startswith(names[0])), ("", ""))
    return parse_colour(value) or parse_colour(long + value[len(start) :])


def _modified(colour: Colour, change: str, share: float) -> Colour:
    """The colour after a modification such as `lumMod`; `share` is its value, 1.0 for 100 %."""
    if change == "inv":
        return Colour(255 - colour.red, 255 - colour.green, 255 - colour.blue, colour.alpha)
    if change in ("tint", "shade"):
        share = _limited(share)
        added = 1 - share if change == "tint" else 0.0
        parts = ((part / 255) ** _GAMMA * share + added for part in (colour.red, colour.green, colour.blue))
        red, green, blue = (part ** (1 / _GAMMA) for part in parts)
        return Colour(255 * red, 255 * green, 255 * blue, colour.alpha)
    found = _CHANGE.fullmatch("satMod" if change == "gray" else change)
    if found is None:  # of the hue, which makes nothing light or dark
        return colour
    share = 0.0 if change == "gray" else share
    name, kind = found.groups()

    def new(old: float) -> float:
        return _limited({"Mod": old * share, "Off": old + share}.get(kind, share))

    if name == "alpha":
        return replace(colour, alpha=new(colour.alpha))
    if name not in ("lum", "sat"):
        return replace(colour, **{name: 255 * new(getattr(colour, name) / 255)})
    hue, light, saturation = colorsys.rgb_to_hls(colour.red / 255, colour.green / 255, colour.blue / 255)
    if name == "lum":
        light = new(light)
    else:
        saturation = new(saturation)
    red, green, blue = colorsys.hls_to_rgb(hue, light, saturation)
    return Colour(255 * red, 255 * green, 255 * blue, colour.alpha)


def _share(text: str | None) -> float:
    """The number in thousandths of a percent, or in percent: 1.0 for "100000" and "100%"; 0 if it is none."""
    percent = _PERCENT.fullmatch(text or "")
    return float(percent[1]) / 100 if percent else whole(text) / 100_000


def _limited(share: float) -> float:
    return max(0.0, min(1.0, share))
