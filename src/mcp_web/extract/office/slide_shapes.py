"""The shapes of a slide, and whether they are visible: on the slide, not hidden, not covered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_web.extract.css.colour import Colour
from mcp_web.extract.office.package import alternative
from mcp_web.extract.office.theme import Theme
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

_NO_THEME = Theme()
_RECTANGLE = re.compile(r"(round\w*|snip\w*)?[rR]ect|flowChart(Alternate)?Process")
_HOLLOW = re.compile(r"arc|blockArc|line(Inv)?|moon|(\w*[cC]ircular|curved\w+|swoosh|bent\w*|uturn)Arrow")
_FRAME = re.compile(r"(f|halfF)rame|donut|noSmoking|corner|diagStripe")
_THIN = re.compile(r"val (\d{1,4}|1\d{4}|2[0-5]\d{3})")  # corners or a border: up to a quarter of the size
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
    tree: Element | None,
    slide: Place | None = None,
    is_opaque: Callable[[Element], bool] = lambda picture: False,
    theme: Theme = _NO_THEME,
) -> list[Shape]:
    """All shapes of a slide with the area `slide`, from back to front; `is_opaque` returns whether a picture is opaque,
    `theme` defines fills. A shape that is hidden, outside the area, too small or covered is marked as not visible."""
    shapes: list[Shape] = []
    covers: list[Place] = []  # the opaque shapes that are in front
    for shape in reversed(list(_shapes(tree, None, True, 0))):
        if shape.visible and (place := shape.place) is not None:
            on_slide = (slide is None or place.meets(slide)) and _has_size(place)
            if not on_slide or any(cover.holds(place) for cover in covers):
                shape = replace(shape, visible=False)
            elif len(covers) < _MOST_COVERS:
                is_picture = local(shape.element.tag) == "pic"
                is_cover = is_opaque(shape.element) if is_picture else _is_filled(shape.element, theme)
                covers += [place] if is_cover else []
        shapes.append(shape)
    return shapes[::-1]


def _has_size(place: Place) -> bool:
    """Whether a place is larger than a point in both directions."""
    return place.right - place.left > _POINT and place.bottom - place.top > _POINT


def _is_filled(shape: Element, theme: Theme) -> bool:
    """Whether a shape has an opaque fill, which hides what is behind it."""
    name, is_thin = _outline(child(shape, "spPr"))
    if _HOLLOW.fullmatch(name) or (is_thin and _FRAME.fullmatch(name)):
        return False
    fill = theme.fill_of(shape)
    return has_background(shape) or (bool(fill) and all(colour.alpha > 0.95 for colour in fill or ()))


def has_background(shape: Element) -> bool:
    """Whether a shape is filled with the background of its slide."""
    return attribute(shape, "useBgFill") in ("1", "true")


@dataclass(frozen=True, slots=True)
class Backdrop:
    """What a shape may be in front of: another one with a fill."""

    place: Place | None
    fill: list[Colour] | None  # empty for the background of the slide, None if it is not known
    is_rectangle: bool


def backdrops(shapes: Sequence[Shape], theme: Theme) -> list[Backdrop]:
    """The backdrops that these shapes are for those in front of them: none for a shape without a fill."""
    found: list[Backdrop] = []
    for shape in shapes[-_MOST_COVERS:]:
        fill = theme.fill_of(shape.element) if local(shape.element.tag) == "sp" else None
        fill = [] if has_background(shape.element) else fill
        if not fill or any(colour.alpha > 0.05 for colour in fill):
            found.append(Backdrop(shape.place, fill, _is_rectangle(child(shape.element, "spPr"))))
    return found


def behind(place: Place | None, others: Sequence[Backdrop]) -> tuple[list[Colour], bool]:
    """The colours of the rectangle behind all of a place; empty if there is none. Also whether something else, which is
    before it, may be behind a part of the place. `others` are from back to front."""
    is_uneven = False
    for other in reversed(others[-_MOST_COVERS:]):
        if place is None or other.place is None:
            is_uneven = True
        elif other.place.meets(place):
            if other.fill is not None and other.is_rectangle and other.place.holds(place):
                return other.fill, is_uneven
            is_uneven = True
    return [], is_uneven


def _outline(properties: Element | None) -> tuple[str, bool]:
    """The name of the form of a shape with these properties, and whether its corners or its border are small."""
    outline = child(properties, "prstGeom")
    guides = children(child(outline, "avLst"))
    is_thin = all(_THIN.fullmatch(attribute(guide, "fmla") or "") for guide in guides)
    return attribute(outline, "prst") or "", is_thin


def _is_rectangle(properties: Element | None) -> bool:
    """Whether a shape with these properties fills its bounding box, except for small corners."""
    name, is_thin = _outline(properties)
    is_turned = attribute(child(properties, "xfrm"), "rot") not in (None, "0")
    return is_thin and not is_turned and _RECTANGLE.fullmatch(name) is not None


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
        elif name == "AlternateContent":
            yield from _shapes(alternative(element), transform, shown, depth)


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
