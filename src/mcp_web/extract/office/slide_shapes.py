"""The shapes of a slide, and whether they are visible: on the slide, not hidden, not covered."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.office.look import BLACK, PLAIN, WHITE, Look, even_colour, hex_colour
from mcp_web.extract.office.package import whole
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

_SCHEME = {"bg1": WHITE, "lt1": WHITE, "tx1": BLACK, "dk1": BLACK}
_MOST_COVERS = 100
_POINT = 12_700  # English metric units
_HOLDERS = ("nvSpPr", "nvGraphicFramePr", "nvGrpSpPr", "nvPicPr")


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on a slide, in English metric units; (0, 0) is the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Place) -> bool:
        """Whether the other place is completely inside this one."""
        inside = self.left <= other.left and self.right >= other.right
        return inside and self.top <= other.top and self.bottom >= other.bottom

    def meets(self, other: Place) -> bool:
        """Whether the two places overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of a slide, and whether it is visible."""

    element: Element
    place: Place | None  # None if its layout defines it
    visible: bool


def shapes_of(
    tree: Element | None, slide: Place | None = None, is_opaque: Callable[[Element], bool] = lambda picture: False
) -> list[Shape]:
    """All shapes of a slide with the area `slide`, from back to front; `is_opaque` returns whether a picture is opaque.
    A shape that is hidden, outside the area, too small or covered is marked as not visible."""
    shapes: list[Shape] = []
    covers: list[Place] = []  # the opaque shapes that are in front
    for shape in reversed(list(_shapes(tree, None, True, 0))):
        if shape.visible and (place := shape.place) is not None:
            on_slide = (slide is None or place.meets(slide)) and _has_size(place)
            if not on_slide or any(cover.holds(place) for cover in covers):
                shape = replace(shape, visible=False)
            elif len(covers) < _MOST_COVERS:
                is_picture = local(shape.element.tag) == "pic"
                covers += [place] if (is_opaque if is_picture else _is_opaque)(shape.element) else []
        shapes.append(shape)
    return shapes[::-1]


def _has_size(place: Place) -> bool:
    """Whether a place is larger than a point in both directions."""
    return place.right - place.left > _POINT and place.bottom - place.top > _POINT


def _is_opaque(shape: Element) -> bool:
    """Whether a shape has an opaque fill, which hides what is behind it."""
    fill = fill_of(child(shape, "spPr"))
    return fill is not None and fill.alpha > 0.95


_Transform = tuple[float, float, float, float]  # horizontal and vertical scale, then shift


def _shapes(tree: Element | None, transform: _Transform | None, visible: bool, depth: int) -> Iterator[Shape]:
    """The shapes in a tree or group, from back to front. `transform` is that of the group, `visible` whether all groups
    around it are, `depth` the number of these."""
    for element in children(tree):
        name = local(element.tag)
        shown = visible and not _is_marked_hidden(element)
        if name in ("sp", "wsp", "graphicFrame", "pic"):
            frame = child(element, "xfrm") if name == "graphicFrame" else child(element, "spPr", "xfrm")
            yield Shape(element, _transformed(_place(frame), transform), shown)
        elif name in ("grpSp", "wgp", "wpc") and depth < 10:  # the last two are those of Word
            inner = _group_transform(child(element, "grpSpPr", "xfrm"), transform)
            yield from _shapes(element, inner, shown, depth + 1)


def _is_marked_hidden(element: Element) -> bool:
    """Whether the author hid a shape."""
    holders = element, *children(element, *_HOLDERS)
    return any(attribute(child(holder, "cNvPr"), "hidden") in ("1", "true") for holder in holders)


def _numbers(element: Element | None, *names: str) -> list[float] | None:
    """The values of these attributes; None if one is not a number."""
    values = [attribute(element, name) or "" for name in names]
    if not all(re.fullmatch(r"-?\d{1,12}", value) for value in values):
        return None
    return [float(value) for value in values]


def _place(frame: Element | None, corner: str = "off", size: str = "ext") -> Place | None:
    """The place that a transform element defines, or None; its children have the names `corner` and `size`."""
    off, ext = _numbers(child(frame, corner), "x", "y"), _numbers(child(frame, size), "cx", "cy")
    return Place(off[0], off[1], off[0] + ext[0], off[1] + ext[1]) if off and ext else None


def place_of(shape: Element) -> Place | None:
    """The place that a shape or a group defines for itself; None if it defines none."""
    return next((place for name in ("spPr", "grpSpPr") if (place := _place(child(shape, name, "xfrm")))), None)


def _transformed(place: Place | None, transform: _Transform | None) -> Place | None:
    """The place on the slide of a shape, from `place`, that in its group; unchanged without a transform."""
    if place is None or transform is None:
        return place
    across, down, x, y = transform
    return Place(place.left * across + x, place.top * down + y, place.right * across + x, place.bottom * down + y)


def _group_transform(frame: Element | None, outside: _Transform | None) -> _Transform | None:
    """The transform from a group to the slide; `outside`, that of the groups around it, if it defines none itself."""
    outer, inner = _transformed(_place(frame), outside), _place(frame, "chOff", "chExt")
    if outer is None or inner is None or inner.right == inner.left or inner.bottom == inner.top:
        return outside
    across = (outer.right - outer.left) / (inner.right - inner.left)
    down = (outer.bottom - outer.top) / (inner.bottom - inner.top)
    return across, down, outer.left - inner.left * across, outer.top - inner.top * down


def fill_of(properties: Element | None, scheme: Mapping[str, Colour] = _SCHEME) -> Colour | None:
    """The fill colour of a shape, a cell or a text, also of an even gradient; None if there is none or not known."""
    gradient = child(properties, "gradFill", "gsLst")
    if gradient is not None:
        return even_colour([colour_in(stop, scheme) for stop in gradient])
    return colour_in(child(properties, "solidFill"), scheme)


def colour_in(holder: Element | None, scheme: Mapping[str, Colour] = _SCHEME) -> Colour | None:
    """The colour defined in an element, with its modifications; None if it is not known."""
    element = holder[0] if holder is not None and len(holder) else None
    found = _base_colour(element, scheme) if element is not None else None
    for change in element if element is not None else ():
        share = whole(attribute(change, "val"), -1)
        if found is None or share < 0:
            return found
        found = _modified(found, local(change.tag), share / 100_000)
    return found


def _base_colour(element: Element, scheme: Mapping[str, Colour]) -> Colour | None:
    """The colour that an element such as `srgbClr` names, before its modifications; None if it is not known."""
    kind, value = local(element.tag), attribute(element, "val") or ""
    if kind == "scrgbClr":
        parts = _numbers(element, "r", "g", "b")
        return Colour(*(255 * part / 100_000 for part in parts)) if parts else None
    if kind == "hslClr":
        parts = _numbers(element, "hue", "sat", "lum")
        return parse_colour(f"hsl({parts[0] / 60_000} {parts[1] / 1000}% {parts[2] / 1000}%)") if parts else None
    if kind == "schemeClr":
        return scheme.get(value)
    return parse_colour(value) if kind == "prstClr" else hex_colour(attribute(element, "lastClr") or value)


def _modified(colour: Colour, change: str, share: float) -> Colour:
    """The colour after a modification such as `lumMod`; `share` is its value, 1.0 for 100 %."""
    if change == "alpha":
        return Colour(colour.red, colour.green, colour.blue, share)
    if change not in ("lumMod", "lumOff", "tint", "shade"):
        return colour
    hue, light, saturation = colorsys.rgb_to_hls(colour.red / 255, colour.green / 255, colour.blue / 255)
    if change == "lumOff":
        light += share
    else:
        light = 1 - (1 - light) * share if change == "tint" else light * share
    red, green, blue = (255 * part for part in colorsys.hls_to_rgb(hue, max(0.0, min(1.0, light)), saturation))
    return Colour(red, green, blue, colour.alpha)


def run_look(properties: Element | None) -> Look:
    """The look that the properties of a run of text define."""
    if properties is None:
        return PLAIN
    size = whole(attribute(properties, "sz"), -1)
    tight = whole(attribute(properties, "spc")) <= -1000  # ten points or more: letters lie on top of each other
    hidden = True if tight or child(properties, "noFill") is not None else None
    background = colour_in(child(properties, "highlight"))
    return Look(hidden, fill_of(properties), size / 100 if size >= 0 else None, background)
