"""Does the box of an element hide its content? By its style, its ancestors and the elements it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from turbohtml import Element, Node

from mcp_web.extract.css.cascade import Cascade, parent_of
from mcp_web.extract.css.colour import parse_colour
from mcp_web.extract.css.lengths import fraction, length, pixels
from mcp_web.extract.css.style import CLIPS, Style, hides_box
from mcp_web.extract.css.syntax import split_outside

_INLINE = frozenset(
    (
     "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
     "kbd", "label", "mark", "output", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
     "tt", "u", "var",
    )
)  # fmt: skip
_ROWS = frozenset(("tr", "thead", "tbody", "tfoot", "table-row", "table-row-group", "table-header-group"))
_CELLS = frozenset(("td", "th", "table-cell"))
_OF_SIZE = frozenset(("height", "min-height", "max-height", "width", "min-width", "max-width"))
_OVERFLOW = frozenset(("overflow-x", "overflow-y"))
# Properties that have no effect on inline elements; below, on rows and cells of a table.
_NOT_OF_LINES = frozenset(
    (*_OF_SIZE, *_OVERFLOW, "text-indent", "transform", "scale", "rotate", "translate", "contain", "offset-path",
     "content-visibility", "margin-top", "margin-bottom")
)  # fmt: skip
_OF_LINE = frozenset(("line-height",))
_SPACED = "p,ul,ol,dl,blockquote,figure,h1,h2,h3,h4,h5,h6,pre"
_NOT_OF_ROWS = frozenset((*_OF_SIZE, *_OVERFLOW))
_NOT_OF_CELLS = frozenset(("height", "min-height", "max-height"))
_OF_TREE = frozenset(
    ("clip-path", "mask-image", "filter", "grid-template-rows", "grid-auto-rows", "flex-basis", "margin-top",
     "padding-top", "top", "height", "z-index")
)  # fmt: skip
_REFERENCE = re.compile(r"url\([\"']?#([^)\"']+)")
_MISSING = re.compile(r"url\([^()]*\)\s*,?")
_TRACK = re.compile(r"0(?:px|fr|%)?\Z")
_STACKING = frozenset(
    ("opacity", "transform", "filter", "perspective", "clip-path", "mask-image", "contain", "scale", "rotate",
     "translate", "mix-blend-mode", "container-type")
)  # fmt: skip
_NO_ALPHA = re.compile(r"(?:[-\d.e]+[\s,]+){15}0?\.?0*[\s,]+0?\.?0*[\s,]+0?\.?0*[\s,]+0?\.?0*[\s,]+0?\.?0*\s*\Z")
_PAINTING = frozenset(("feflood", "feimage", "feturbulence"))  # steps of an SVG filter that take nothing of the text
_OF_TWO = frozenset(("feblend", "fecomposite", "fedisplacementmap"))
# What each type of `feFuncA` computes the alpha from.
_ALPHA = {
    "table": [("tableValues", "")], "discrete": [("tableValues", "")],
    "linear": [("slope", "1"), ("intercept", "0")], "gamma": [("amplitude", "1"), ("offset", "0")],
}  # fmt: skip
_FAR_DOWN = 100.0  # pixels; less may be ordinary layout


class Boxes:
    """Decides which elements of one tree are hidden with all their content."""

    def __init__(self, tree: Node, cascade: Cascade, has_external_sheets: bool) -> None:
        """`has_external_sheets`: the page has sheets that were not read, which may change how an element is shown."""
        self._tree = tree
        self._cascade = cascade
        self._has_external_sheets = has_external_sheets
        # Whether a clip path, mask or filter hides everything, by property and id; None if there is none with this id.
        self._effects: dict[tuple[str, str], bool | None] = {}

    def hides(self, element: Element, style: Style) -> bool:
        """Whether this style hides the element and all its content."""
        if hides_box(style):
            applied = self._applied(element, style)
            return applied is style or hides_box(applied)
        if _OF_TREE.isdisjoint(style):
            return False
        if style.get("z-index", "")[:1] == "-" and not self._has_external_sheets and self._is_behind(element, style):
            return True
        if self._refers_to_nothing(style) or self._has_no_room(element, style):
            return True
        return self._is_pushed_out(element, style)

    def is_shown_anyway(self, element: Element) -> bool:
        """Whether the page's sheets show an element that the browser hides: `hidden`, a closed dialog, a popover. False
        if the page has external sheets, which were not read."""
        return not self._has_external_sheets and self._cascade.style(element).get("display", "none") != "none"

    def _applied(self, element: Element, style: Style) -> Style:
        """The style without the properties that have no effect on such an element; unchanged with external sheets."""
        if self._has_external_sheets:
            return style
        display = style.get("display", element.tag)
        if display in _ROWS:
            return _without(style, _NOT_OF_ROWS)
        if display in _CELLS:
            return _without(style, _NOT_OF_CELLS)
        if self._is_inline(element, style, display):
            return _without(style, _NOT_OF_LINES)
        # Even if lines have no height, paragraphs take up room by their margins.
        return _without(style, _OF_LINE) if "line-height" in style and element.select_one(_SPACED) else style

    def _is_inline(self, element: Element, style: Style, display: str) -> bool:
        if display not in _INLINE and display != "inline":
            return False
        if style.get("position") in ("absolute", "fixed") or style.get("float", "none") != "none":
            return False
        parent = parent_of(element)
        return parent is None or not re.search("flex|grid|box", self._cascade.style(parent).get("display", ""))

    def _refers_to_nothing(self, style: Style) -> bool:
        """Whether the style refers to a clip path, mask or filter that hides everything, or to a missing mask."""
        for name in ("clip-path", "mask-image", "filter"):
            found = _REFERENCE.search(style[name]) if "url(" in style.get(name, "") else None
            if found is None:
                continue
            if (name, found[1]) not in self._effects:
                target = self._tree.select_one(f'[id="{found[1]}"]') if "\\" not in found[1] else None
                self._effects[name, found[1]] = None if target is None else _leaves_nothing(name, target)
            effect = self._effects[name, found[1]]
            if effect:
                return True
            if effect is None and name == "mask-image":
                # A mask image that does not exist hides everything.
                rest = _MISSING.sub("", style[name]).strip(", ")
                return not rest or hides_box({"mask-image": rest})
        return False

    def _has_no_room(self, element: Element, style: Style) -> bool:
        """Whether a grid or a flex container gives the element no room, and the overflow is clipped."""
        if any(_has_no_size_tracks(style[name]) for name in ("grid-template-rows", "grid-auto-rows") if name in style):
            inside = [child for child in element.children if isinstance(child, Element)]
            return _clips_overflow(style) or (
                bool(inside) and all(_clips_overflow(self._cascade.style(child)) for child in inside)
            )
        height = pixels(style["height"]) if "height" in style and "overflow-y" not in style else None
        if height is not None and height <= 2:
            return self._has_only_flat_children(element)
        basis, parent = length(style, "flex-basis", 1000.0), parent_of(element)
        if basis is None or basis > 2 or parent is None or not _clips_overflow(style):
            return False
        grows = (fraction(style.get("flex-grow", "0")) or 0.0) > 0
        return not grows and "flex" in self._cascade.style(parent).get("display", "")

    def _has_only_flat_children(self, element: Element) -> bool:
        """Whether all content is in children that clip their overflow and whose height is a share of the element's."""
        if any(not isinstance(child, Element) and child.text.strip() for child in element.children):
            return False
        styles = [self._cascade.style(child) for child in element.children if isinstance(child, Element)]
        return bool(styles) and all(
            _clips_overflow(style) and any(style.get(name, "").endswith("%") for name in ("height", "max-height"))
            for style in styles
        )

    def _is_behind(self, element: Element, style: Style) -> bool:
        """Whether a negative `z-index` puts the element behind the opaque background of an ancestor."""
        if style.get("position", "static") == "static":
            return False
        for each in self._cascade.ancestry(element)[1:]:
            around = self._cascade.style(each)
            stacks = not _STACKING.isdisjoint(around) or around.get("z-index", "auto") != "auto"
            if stacks or each.tag in ("body", "html"):
                return False
            colour = parse_colour(around.get("background-color", "transparent"))
            if colour is not None and colour.alpha > 0.95:
                return True
        return False

    def _is_pushed_out(self, element: Element, style: Style) -> bool:
        """Whether the element starts below the end of a box that clips its overflow: its own or one close around it."""
        margin, padding = (length(style, name) or 0.0 for name in ("margin-top", "padding-top"))
        is_moved = style.get("position", "static") != "static"
        down = padding + ((length(style, "top") or 0.0) if is_moved else 0.0)
        if margin + down < _FAR_DOWN:
            return False
        if style.get("box-sizing") == "border-box" and _ends_before(style, padding):
            return True  # its padding takes up all of its height
        for each in self._cascade.ancestry(element)[1:4]:
            around = self._cascade.style(each)
            # With `overflow: clip` the margin of a child moves the box itself (margins collapse).
            moves = "hidden" not in (around.get("overflow-x"), around.get("overflow-y"))
            if _ends_before(around, down if moves else down + margin):
                return True
        return False

    def cells_of_collapsed_columns(self) -> Iterator[Element]:
        """The cells of tables under a `col` or `colgroup` that is collapsed; none of a row with a `colspan`."""
        for table in self._tree.select("table:has(col,colgroup)"):
            visibility = [self._cascade.inherited(column, "visibility") for column in _columns(table)]
            collapsed = [at for at, value in enumerate(visibility) if value == "collapse"]
            for row in table.select("tr") if collapsed else ():
                cells = [cell for cell in row.children if isinstance(cell, Element) and cell.tag in ("td", "th")]
                if all(cell.attr("colspan") is None for cell in cells):
                    yield from (cells[at] for at in collapsed if at < len(cells))


def _has_no_size_tracks(tracks: str) -> bool:
    parts = split_outside(tracks)
    return all(_TRACK.match(part) or pixels(part) == 0 for part in parts)


def _columns(table: Element) -> list[Element]:
    """The `col` of each column of a table, or its `colgroup` if that has none; one that spans columns is repeated."""
    found: list[Element] = []
    for each in table.select("col,colgroup"):
        if each.tag == "col" or each.select_one("col") is None:
            span = each.attr("span") or "1"
            found.extend([each] * min(100, int(span[:9]) if span.isdecimal() else 1))
    return found


def _ends_before(style: Style, down: float) -> bool:
    """Whether a box with this style clips what is `down` pixels below its top."""
    heights = [pixels(style[name]) for name in ("height", "max-height") if name in style]
    return style.get("overflow-y") in ("hidden", "clip") and any(height and height <= down for height in heights)


def _clips_overflow(style: Style) -> bool:
    return style.get("overflow-x") in CLIPS or style.get("overflow-y") in CLIPS


def _leaves_nothing(name: str, target: Element) -> bool:
    tag = target.tag.lower()
    if name == "filter":
        return tag == "filter" and not _result_is_seen(target)
    is_right = tag == ("clippath" if name == "clip-path" else "mask")
    return is_right and all(_has_no_size(child) for child in target.children if isinstance(child, Element))


def _result_is_seen(svg_filter: Element) -> bool:
    """Whether something of the text can be seen after an SVG filter."""
    results: dict[str, bool] = {}  # by name: whether it shows something of the text
    seen = True  # of the step before; at first of the text itself
    for step in svg_filter.children:
        if not isinstance(step, Element):
            continue
        parts = [step, *(each for each in step.descendants if isinstance(each, Element))]
        sources = parts[1:] if step.tag.lower() == "femerge" else parts[:1]
        names = [each.attr("in") or "" for each in sources]
        names += [each.attr("in2") or "" for each in sources if each.tag.lower() in _OF_TWO]
        kept = step.tag.lower() not in _PAINTING and not any(map(_removes_all, parts))
        seen = kept and any(results.get(name, True) if name else seen for name in names)
        results[step.attr("result") or ""] = seen
    return seen


def _removes_all(step: Element) -> bool:
    """Whether a step of an SVG filter leaves nothing of the text: it is transparent or moved away."""
    tag = step.tag.lower()
    if tag == "feoffset":
        return any(abs(pixels(step.attr(name) or "0") or 0.0) >= 1000 for name in ("dx", "dy"))
    if tag == "fefunca":
        kind = step.attr("type") or ""
        values = [step.attr(name) or default for name, default in _ALPHA.get(kind, ())]
        amounts = " ".join(values).replace(",", " ").split()
        return bool(amounts) and all(fraction(amount) == 0 for amount in amounts)
    return _NO_ALPHA.match((step.attr("values") or "").strip()) is not None


def _has_no_size(shape: Element) -> bool:
    """Whether an SVG shape covers no area."""
    if shape.tag.lower() not in ("rect", "circle", "ellipse", "image"):
        return False
    return any(pixels(shape.attr(name) or "1", 16.0, 100.0) == 0 for name in ("width", "height", "r", "rx", "ry"))


def _without(style: Style, names: frozenset[str]) -> Style:
    return {name: value for name, value in style.items() if name not in names}
