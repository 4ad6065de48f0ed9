"""The text boxes of a Word document, in DrawingML or VML: whether they are visible, and what is behind their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.css.lengths import pixels
from mcp_web.extract.office.look import even_colour
from mcp_web.extract.office.package import alternative, whole
from mcp_web.extract.office.slide_shapes import Place, place_of, shapes_of
from mcp_web.extract.office.theme import CLEAR, Theme
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

_PIXEL, _TWIP, _INCH = 9_525, 635, 914_400  # in English metric units
_LINE = _INCH / 9  # a box that is lower or narrower has no room for text
_FAR = 10**9
_LETTER = ((b"w", 12_240), (b"h", 15_840))  # the usual page in twips
_OFF = (None, "0", "false")
_POSITIONS, _PERCENT = ("positionH", "positionV"), ("pctPosHOffset", "pctPosVOffset")
# Percentages are of 1,000; 0 stands for none.
_HIDING = re.compile(
    r"visibility:(?!visible$).*|display:none"
    r"|mso-(width|height)-percent:(?!(0|[5-9]\d|\d{3}|1000)$).*|mso-(left|top)-percent:(?!(\d\d?|[1-8]\d\d)$).*"
)
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]*[^;\s])")


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text box. Its fill, which may be transparent, is None if the box is not known to be visible."""

    content: Element
    fill: Colour | None = None
    colour: Colour | None = None  # of text that has none of its own; None if it is not known


class TextBoxes:
    """Finds the text boxes of a document with the main part `data`; `theme` is the root of its theme."""

    def __init__(self, data: bytes = b"", theme: Element | None = None) -> None:
        # The page size of a section follows its text: of several sizes, the smallest is taken.
        sizes = [re.findall(rb"pgSz\s[^<>]{0,200}?\b%s\s?=\s?[\"'](\d{1,6})" % name, data) for name, _ in _LETTER]
        self._page = [
            min(map(int, found), default=usual) * _TWIP for found, (_, usual) in zip(sizes, _LETTER, strict=True)
        ]
        self._theme = Theme(theme)

    def inside(self, drawing: Element) -> Iterator[TextBox]:
        """The text boxes in an element of a run, in order; of alternatives, those in the one that Word shows."""
        shown: dict[Element, TextBox] = {}
        waiting = [drawing]
        while waiting:
            each = waiting.pop()
            name = local(each.tag)
            if name == "txbxContent":
                yield shown.get(each, TextBox(each))
            elif name == "AlternateContent":
                waiting += filter(None, [alternative(each)])
            else:
                boxes = self._drawn(each) if name in ("anchor", "inline") else ()
                boxes = self._styled(each) if name == "pict" else boxes
                shown |= {box.content: box for box in boxes}
                waiting += each[::-1]

    def _drawn(self, frame: Element) -> Iterator[TextBox]:
        """The visible text boxes of a drawing in DrawingML."""
        drawing = child(frame, "graphic", "graphicData")
        width, height = (whole(attribute(child(frame, "extent"), name)) for name in ("cx", "cy"))
        marks = attribute(frame, "hidden"), attribute(child(frame, "docPr"), "hidden"), attribute(frame, "simplePos")
        if drawing is None or len(drawing) != 1 or any(mark not in _OFF for mark in marks):
            return
        # The coordinates of a shape or a group begin anywhere, those of a canvas at its corner.
        area, shown = place_of(drawing[0]) or Place(0, 0, width, height), self._shown_part(frame, width, height)
        is_scaled = 2 * width < area.right - area.left or 2 * height < area.bottom - area.top
        for shape in shapes_of(drawing, theme=self._theme) if not is_scaled else ():
            content, place = child(shape.element, "txbx", "txbxContent"), shape.place
            # A caption that Word made has almost no height, and grows with its text; one in a group does not.
            grows = shape.element is drawing[0] and child(shape.element, "bodyPr", "spAutoFit") is not None
            is_hidden = attribute(child(shape.element, "cNvPr"), "hidden") not in _OFF
            if content is None or place is None or is_hidden or not (grows or shape.visible):
                continue
            across, down = (place.left + place.right) / 2 - area.left, (place.top + place.bottom) / 2 - area.top
            is_wide = min(width, place.right - place.left) >= _LINE
            is_high = grows or min(height, place.bottom - place.top) >= _LINE
            if is_wide and is_high and shown.left < across < shown.right and shown.top < down < shown.bottom:
                colour = self._theme.colour(child(shape.element, "style", "fontRef"))
                yield TextBox(content, even_colour(self._theme.fill_of(shape.element) or []), colour)

    def _shown_part(self, frame: Element, width: float, height: float) -> Place:
        """The part of a frame of this size that is on the page, from its corner; nothing if the frame is made small."""
        starts, ends = [0.0, 0.0], [width, height]
        for part in (each for own in frame if local(own.tag) != "graphic" for each in own.iter()):
            name = local(part.tag)
            if name in ("pctWidth", "pctHeight") and 0 != _number(part) < 5_000:  # of 100,000
                return Place(0, 0, 0, 0)
            side = name == "positionV"
            for offset in children(part, "posOffset", _PERCENT[side]) if name == _POSITIONS[side] else ():
                scale = 1 if local(offset.tag) == "posOffset" else self._page[side] / 100_000
                start, room = _number(offset) * scale, _room(attribute(part, "relativeFrom") or "", self._page[side])
                starts[side], ends[side] = max(starts[side], -start), min(ends[side], room - start)
        return Place(*starts, *ends)

    def _styled(self, picture: Element) -> Iterator[TextBox]:
        """The visible text boxes of a drawing in VML, where styles define the places."""
        for shape in children(picture, "shape", "rect", "roundrect", "oval"):
            box, content = child(shape, "textbox"), child(shape, "textbox", "txbxContent")
            # Those of the shape come last, since they are stronger.
            declared = _DECLARATION.findall(f"{attribute(box, 'style')};{attribute(shape, 'style')}".lower())
            is_hidden = any(_HIDING.fullmatch(":".join(each)) for each in declared)
            if content is not None and not is_hidden and self._has_place(dict(declared)):
                yield TextBox(content, _styled_fill(shape))

    def _has_place(self, style: dict[str, str]) -> bool:
        """Whether a shape in VML is large enough for text, and on the page."""
        grows = style.get("mso-fit-shape-to-text") in ("t", "true")
        for side, (size, edge, axis) in enumerate((("width", "left", "horizontal"), ("height", "top", "vertical"))):
            length, reference = _length(style.get(size, "")), style.get(f"mso-position-{axis}-relative", "")
            middle = _length(style.get(edge, "")) + _length(style.get(f"margin-{edge}", "")) + length / 2
            has_room = length >= _LINE or (grows and size == "height")
            if not has_room or not 0 < middle < _room(reference, self._page[side]):
                return False
        return True


def _styled_fill(shape: Element) -> Colour | None:
    """The fill of a shape in VML; None if it is not known."""
    fill = child(shape, "fill")
    if any(mark in ("f", "false") for mark in (attribute(shape, "filled"), attribute(fill, "on"))):
        return CLEAR
    if attribute(fill, "type") not in (None, "solid") or attribute(fill, "opacity") or attribute(fill, "color"):
        return None
    return parse_colour((attribute(shape, "fillcolor") or "white").partition(" ")[0])


def _room(reference: str, page: float) -> float:
    """From what a place is counted from to the end of a page of this size, where margins are taken as an inch."""
    if reference.startswith(("page", "left", "top")):
        return page
    return _INCH / 2 if reference.startswith(("right", "bottom", "in", "out")) else page - _INCH


def _number(element: Element) -> int:
    """The number in an element; without one, a distance in English metric units that is off every page."""
    return whole((element.text or "").strip(), _FAR)


def _length(text: str) -> float:
    """A length of a style in English metric units: 0 for "", and one that is off every page if it is not known."""
    found = pixels(text) if text else 0.0
    return _FAR if found is None else found * _PIXEL
