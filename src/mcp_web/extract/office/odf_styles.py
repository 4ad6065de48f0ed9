"""The styles of an OpenDocument file: how text looks, and which styles hide a table, row or page."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

from mcp_web.extract.office.look import Look, hex_colour
from mcp_web.extract.xml_elements import Element, attribute, child, children, local

_WIDE = 1000.0  # points; more than the width of a page
_SIZE = re.compile(r"(-?\d{1,6}(?:\.\d{1,9})?)(pt|in|cm|mm)\Z")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835}
_HIDDEN = {"display": ("none", "false"), "visibility": ("hidden", "collapse")}
_SIZES = {"table-row": "row-height", "table-column": "column-width"}
_DEEPEST = 10
_FLAT = 1.5  # points; a row, column or line of less shows nothing
T = TypeVar("T")


class OdfStyles:
    """The styles of a file, by name, from the roots of its `styles.xml` and `content.xml`."""

    def __init__(self, *roots: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        for root in roots:
            for holder in ("styles", "automatic-styles"):
                for style in children(child(root, holder), "style"):
                    self._elements[attribute(style, "name") or ""] = style
        self._elements.pop("", None)
        self._looks: dict[str, Look] = {}

    def look(self, element: Element) -> Look:
        """The look that the element's style gives its text; one that defines nothing without a known style."""
        return self._look_of(attribute(element, "style-name") or "", 0)

    def _look_of(self, name: str, depth: int) -> Look:
        """The look of a style with what it inherits; `depth` is the number of styles that inherit from it."""
        if name in self._looks or name not in self._elements or depth > _DEEPEST:
            return self._looks.get(name, Look())
        style = self._elements[name]
        above = self._look_of(attribute(style, "parent-style-name") or "", depth + 1)
        self._looks[name] = _look(style).over(above)
        return self._looks[name]

    def hides(self, element: Element) -> bool:
        """Whether the element or its style is marked as hidden."""
        if attribute(element, "display") in ("none", "false") or attribute(element, "is-hidden") == "true":
            return True
        if attribute(element, "visibility") in ("hidden", "collapse", "filter"):
            return True
        return any(map(_hides_element, self._properties(element)))

    def is_flat(self, element: Element) -> bool:
        """Whether the style of a row or column makes it too small to show anything."""
        name = _SIZES[local(element.tag)]
        return any(points(attribute(each, name), _FLAT) < _FLAT for each in self._properties(element))

    def _properties(self, element: Element) -> list[Element]:
        """The elements with the properties of the element's style; [] if it names no style."""
        return children(self._elements.get(attribute(element, "style-name") or ""))


def _hides_element(properties: Element) -> bool:
    """Whether the properties of a style hide the elements that have it."""
    if local(properties.tag) == "text-properties":
        return False  # it hides the text, not the element
    return any(attribute(properties, name) in values for name, values in _HIDDEN.items())


def points(value: str | None, default: T) -> float | T:
    """A length such as "2.5cm" in points; `default` if the value is not a length."""
    found = _SIZE.match(value or "")
    return float(found[1]) * _POINTS[found[2]] if found else default


def _look(style: Element) -> Look:
    """The look that a style defines itself, without what it inherits."""
    found = Look()
    for properties in style:
        background = hex_colour(attribute(properties, "background-color"))
        if local(properties.tag) == "text-properties":
            display = attribute(properties, "display")
            hidden = None if display is None else display == "none"
            if attribute(properties, "text-scale") in ("0%", "1%", "2%") or _is_unreadable(properties):
                hidden = True
            size = points(attribute(properties, "font-size"), None)
            own = Look(hidden, hex_colour(attribute(properties, "color")), size)
            found = own.on(background).over(found)
            continue
        if local(properties.tag) == "paragraph-properties" and _is_off_page(properties):
            found = replace(found, gone=True)
        if found.background is None:
            found = found.on(background)
    return found


def _is_unreadable(properties: Element) -> bool:
    """Whether letters are transparent, have no size, lie on top of each other, or are far off their line."""
    opacity, size = (_percent(attribute(properties, name), 100.0) for name in ("opacity", "font-size"))
    shift, _, scale = (attribute(properties, "text-position") or "").partition(" ")
    off_line = abs(_percent(shift, 0.0)) > 400 or _percent(scale, 100.0) < 10
    return off_line or opacity < 6 or size < 15 or points(attribute(properties, "letter-spacing"), 0.0) < -5


def _is_off_page(properties: Element) -> bool:
    """Whether a paragraph with these properties starts off its page, or its lines have no height."""
    moves = [points(attribute(properties, name), 0.0) for name in ("margin-left", "margin-right", "text-indent")]
    return points(attribute(properties, "line-height"), _FLAT) < _FLAT or any(abs(move) > _WIDE for move in moves)


def _percent(value: str | None, default: float) -> float:
    """The number before a percent sign; `default` if the value is not a percentage."""
    found = re.fullmatch(r"(-?\d{1,6}(?:\.\d{1,6})?)%", value or "")
    return float(found[1]) if found else default
