"""Is a text told apart from what stands behind it? By its colour, its size and its visibility, inherited or its own."""

from __future__ import annotations

from turbohtml import Element

from mcp_web.extract.css.cascade import Cascade, parent_of
from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.css.effects import blended, filling_shadow, filtered, outline_inks, thick_stroke
from mcp_web.extract.css.lengths import fraction, pixels
from mcp_web.extract.css.style import FAINT, Style, gradient_colours
from mcp_web.extract.hidden.palette import PageColours

_PICTURES = "img,picture,video,canvas,svg,iframe,object,embed"
_PAINTS = frozenset(("background-color", "background-image"))
_MOST_BESIDE = 30  # elements beside one, among which a painted layer is looked for
_TINY = 2.0  # pixels


class Ink:
    """Decides which texts of one element tree cannot be seen."""

    def __init__(self, cascade: Cascade, outside: bool, page: PageColours) -> None:
        """`outside`: the page has sheets that are not known here, and so is what they paint."""
        self._cascade = cascade
        self._page = page
        self.excused: set[Element] = set()
        self._outside = outside

    def is_hidden(self, element: Element) -> bool:
        """True where a text that stands directly in the element cannot be seen."""
        if self._is_invisible(element):
            return True
        if self._cascade.inherited(element, "-webkit-text-security") not in (None, "none"):
            return True  # each letter is a dot
        if _is_adjusted_away(self._cascade.inherited(element, "font-size-adjust")):
            return True
        return self._is_tiny(element) or self._is_lost(element)

    def _is_invisible(self, element: Element) -> bool:
        if not self.excused and self._cascade.inherited(element, "visibility") in (None, "visible"):
            return False
        for each in self._cascade.ancestry(element):
            value = self._cascade.style(each).get("visibility")
            if value is not None and each not in self.excused:
                # A whole page that is hidden is shown by its script.
                return value != "visible" and each.tag not in ("html", "body", "main")
        return False

    def is_hidden_here(self, element: Element) -> bool:
        """The same by what the element declares; what it inherits is judged where it is declared."""
        style = self._cascade.style(element)
        if "visibility" in style and self._is_invisible(element):
            return True
        if style.get("-webkit-text-security", "none") != "none" or ("font-size" in style and self._is_tiny(element)):
            return True
        if _is_adjusted_away(style.get("font-size-adjust")):
            return True
        return self._is_lost(element)

    def _is_tiny(self, element: Element) -> bool:
        if self._cascade.font_size(element) > _TINY:
            return False
        # An outside sheet sizes the children of a wrapper that only closes the gaps between them.
        own = "font-size" in self._cascade.style(element)
        return own or not (self._outside and element.attr("class"))

    def _is_lost(self, element: Element) -> bool:
        ink = self._ink(element)
        if ink is None:
            return False
        over = self._stroke(element)
        if over is not None and over.alpha > 0.9 and not _is_seen(over, self._behind(element)):
            return True
        if self._has_outline(element, ink):
            return False
        clipped = self._painted_text(element)
        if clipped is not None:
            behind = self._behind(parent_of(clipped)) if ink.alpha < FAINT else None
            return ink.alpha < FAINT and self._is_unpainted(self._cascade.style(clipped), behind)
        if ink.alpha < FAINT:
            return True
        behind = self._behind(element)
        if behind is None:
            return False
        seen: Colour | None = ink.over(behind)
        for each in self._cascade.ancestry(element):
            style = self._cascade.style(each)
            if seen is not None and "filter" in style and not _PAINTS.intersection(style):
                seen = filtered(seen, style["filter"])
            if seen is not None and style.get("mix-blend-mode", "normal") != "normal" and self._is_painted(each):
                seen = blended(seen, behind, style["mix-blend-mode"])
            if _PAINTS.intersection(style):
                break
        return seen is not None and seen.near(behind)

    def _is_painted(self, element: Element) -> bool:
        """Whether the page paints what stands behind the element: letters do not blend with the browser's own paper."""
        styles = (self._cascade.style(each) for each in self._cascade.ancestry(element))
        return any(style.get(name, "none") not in ("none", "transparent") for style in styles for name in _PAINTS)

    def _ink(self, element: Element) -> Colour | None:
        """The colour of the letters; None where it is not known."""
        value = self._cascade.inherited(element, "-webkit-text-fill-color")
        if value is None or value == "currentcolor":
            value = self._cascade.inherited(element, "color")
        if value is None:
            return None if self._outside else self._page.ink
        return parse_colour(value)

    def _stroke(self, element: Element) -> Colour | None:
        """The colour of a line along the edges of the letters that is as thick as they are."""
        stroke = self._cascade.inherited(element, "-webkit-text-stroke")
        return thick_stroke(stroke) if stroke is not None else None

    def _has_outline(self, element: Element, ink: Colour) -> bool:
        """Whether a shadow or a line along their edges shows the letters."""
        own = self._cascade.inheritance(element)
        shadow, stroke = own.get("text-shadow", "none"), own.get("-webkit-text-stroke", "0")
        if shadow == "none" and stroke == "0":
            return False
        inks = outline_inks(shadow, stroke, own.get("-webkit-text-stroke-color", ""), ink)
        behind = self._behind(element)
        return any(each is None or _is_seen(each, behind) for each in inks)

    def _painted_text(self, element: Element) -> Element | None:
        """The element whose background is cut to the shape of this text."""
        for each in self._cascade.ancestry(element)[:6]:
            if "text" in self._cascade.style(each).get("background-clip", ""):
                return each
        return None

    def _is_unpainted(self, style: Style, behind: Colour | None) -> bool:
        """True where the background that should fill the letters does not."""
        image = style.get("background-image", "none")
        colour = self._colour(style)
        if image == "none":
            return colour is None or (behind is not None and colour.near(behind))
        stops = gradient_colours(image)
        return bool(stops) and behind is not None and all(stop is not None and stop.near(behind) for stop in stops)

    def _colour(self, style: Style) -> Colour | None:
        value = style.get("background-color", "transparent")
        colour = parse_colour(style.get("color", "")) if value == "currentcolor" else parse_colour(value)
        return colour if colour is not None and colour.alpha > 0.5 else None

    def _behind(self, element: Element | None) -> Colour | None:
        """The colour behind a text; None where it is not known."""
        floats = False
        for each in self._cascade.ancestry(element) if element is not None else ():
            style = self._cascade.style(each)
            if "inset" in style.get("box-shadow", "") and (colour := filling_shadow(style["box-shadow"])) is not None:
                return colour
            if style.get("background-image", "none") != "none" or self._cascade.painted_beside(each):
                return self._of_gradient(style)
            if style.get("position", "static") != "static" and (layer := self._layer_beside(each)) is not None:
                return self._colour(layer)
            if "backdrop-filter" in style and "background-color" not in style:
                below = self._behind(parent_of(each))
                return filtered(below, style["backdrop-filter"]) if below is not None else None
            value = style.get("background-color")
            if value not in (None, "transparent", "none"):
                colour = self._colour(style)
                if colour is not None and self._outside and each != element and not each.attr("style"):
                    return None
                return None if floats and each.select_one(_PICTURES) is not None else colour
            floats = floats or style.get("position") in ("absolute", "fixed") or self._overlaps(style)
            if floats and each.select_one(_PICTURES) is not None:
                return None
        return None if self._outside else self._page.paper

    def _layer_beside(self, element: Element) -> Style | None:
        """The style of a painted box that fills the parent of a positioned element, and so lies below it."""
        around = parent_of(element)
        for each in list(around.children)[:_MOST_BESIDE] if around is not None else ():
            style = self._cascade.style(each) if isinstance(each, Element) and each != element else {}
            if style.get("position") == "absolute" and _PAINTS.intersection(style) and _fills(style):
                return style
        return None

    def _overlaps(self, style: Style) -> bool:
        return any(style.get(f"margin-{side}", "").startswith("-") for side in ("top", "left"))

    def _of_gradient(self, style: Style) -> Colour | None:
        """A gradient whose colours are all alike is a colour."""
        stops = gradient_colours(style.get("background-image", ""))
        first = stops[0] if stops else None
        if first is None or not all(stop is not None and stop.near(first) for stop in stops):
            return None
        return first


def _fills(style: Style) -> bool:
    """Whether the sides of a box are those of what it is placed in."""
    return all(pixels(style.get(side, "auto")) == 0 for side in ("top", "right", "bottom", "left"))


def _is_adjusted_away(adjust: str | None) -> bool:
    share = fraction(adjust) if adjust is not None else None
    return share is not None and 0 <= share < 0.05


def _is_seen(ink: Colour, behind: Colour | None) -> bool:
    return ink.alpha >= FAINT and (behind is None or not ink.over(behind).near(behind))
