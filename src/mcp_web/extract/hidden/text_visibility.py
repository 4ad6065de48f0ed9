"""Can text be seen? By its colour and the background, its size and its visibility, inherited or declared."""

from __future__ import annotations

from turbohtml import Element

from mcp_web.extract.css.cascade import Cascade, parent_of
from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.css.effects import blended, filling_shadow, filtered, outline_colours, thick_stroke
from mcp_web.extract.css.lengths import fraction, pixels
from mcp_web.extract.css.style import FAINT, Style, gradient_colours
from mcp_web.extract.css.syntax import split_outside
from mcp_web.extract.hidden.palette import PageColours

_INSTALLED = frozenset(
    ("serif", "sans-serif", "monospace", "system-ui", "arial", "helvetica", "times new roman", "georgia", "verdana",
     "courier new", "-apple-system", "blinkmacsystemfont", "segoe ui")
)  # fmt: skip
_PICTURES = "img,picture,video,canvas,svg,iframe,object,embed"
_PAINTS = frozenset(("background-color", "background-image"))
_MOST_BESIDE = 30  # siblings among which a painted layer is searched for
_TINY = 2.0  # pixels


class TextVisibility:
    """Decides which text of one tree cannot be seen."""

    def __init__(self, cascade: Cascade, has_external_sheets: bool, page: PageColours) -> None:
        """`has_external_sheets`: the page has sheets that were not read, which may set colours and sizes."""
        self._cascade = cascade
        self._page = page
        self.ignored: set[Element] = set()
        self._layers: dict[Element, dict[Element, Style]] = {}  # by their parent
        self._pictures: dict[Element, bool] = {}  # whether an element contains a picture
        self._has_external_sheets = has_external_sheets

    def is_hidden(self, element: Element, by_itself: bool = False) -> bool:
        """Whether text that is directly in the element cannot be seen.

        `by_itself`: because of what the element declares, and not only because of what it inherits.
        """
        style = self._cascade.style(element)

        def value(name: str) -> str | None:
            return self._cascade.inherited(element, name) if not by_itself or name in style else None

        if (not by_itself or "visibility" in style) and self._is_invisible(element):
            return True
        if value("-webkit-text-security") not in (None, "none"):
            return True  # each letter is shown as a dot
        if _is_shrunk(value("font-size-adjust")) or self._is_shrunk_font(value("font-family")):
            return True
        if (not by_itself or "font-size" in style) and self._is_tiny(element):
            return True
        return self._has_background_colour(element)

    def _is_invisible(self, element: Element) -> bool:
        if not self.ignored and self._cascade.inherited(element, "visibility") in (None, "visible"):
            return False
        for each in self._cascade.ancestry(element):
            value = self._cascade.style(each).get("visibility")
            if value is not None and each not in self.ignored:
                # If the whole page is hidden, a script shows it.
                return value != "visible" and each.tag not in ("html", "body", "main")
        return False

    def _is_shrunk_font(self, families: str | None) -> bool:
        shrunk = self._cascade.rules.shrunk_fonts if families is not None else ()
        if not shrunk:
            return False
        names = (each.strip("\"'") for each in split_outside(families or "", ","))
        return next((name for name in names if name in shrunk or name in _INSTALLED), "") in shrunk

    def _is_tiny(self, element: Element) -> bool:
        if self._cascade.font_size(element) > _TINY:
            return False
        # Authors set a tiny size on a wrapper to close gaps; an external sheet then sets the size of its children.
        own = "font-size" in self._cascade.style(element)
        return own or not (self._has_external_sheets and element.attr("class"))

    def _has_background_colour(self, element: Element) -> bool:
        text_colour = self._text_colour(element)
        if text_colour is None:
            return False
        over = self._thick_stroke(element)
        if over is not None and over.alpha > 0.9 and not _is_seen(over, self._background(element)):
            return True
        if self._has_outline(element, text_colour):
            return False
        clipped = self._painted_text(element)
        if clipped is not None:
            behind = self._background(parent_of(clipped)) if text_colour.alpha < FAINT else None
            return text_colour.alpha < FAINT and self._is_unpainted(self._cascade.style(clipped), behind)
        if text_colour.alpha < FAINT:
            return True
        behind = self._background(element)
        if behind is None:
            return False
        seen: Colour | None = text_colour.over(behind)
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
        """Whether the element or an ancestor sets a background colour or image.

        Without one, `mix-blend-mode` has no effect: text does not blend with the browser's default background.
        """
        styles = (self._cascade.style(each) for each in self._cascade.ancestry(element))
        return any(style.get(name, "none") not in ("none", "transparent") for style in styles for name in _PAINTS)

    def _text_colour(self, element: Element) -> Colour | None:
        """The colour of the text directly in an element; None if it is not known."""
        value = self._cascade.inherited(element, "-webkit-text-fill-color")
        if value is None or value == "currentcolor":
            value = self._cascade.inherited(element, "color")
        if value is None:
            return None if self._has_external_sheets else self._page.text_colour
        return parse_colour(value)

    def _thick_stroke(self, element: Element) -> Colour | None:
        """The colour of a text stroke so thick that it covers the letters; None if there is none."""
        stroke = self._cascade.inherited(element, "-webkit-text-stroke")
        return thick_stroke(stroke) if stroke is not None else None

    def _has_outline(self, element: Element, text_colour: Colour) -> bool:
        """Whether a text shadow or text stroke makes the text visible."""
        own = self._cascade.inheritance(element)
        shadow, stroke = own.get("text-shadow", "none"), own.get("-webkit-text-stroke", "0")
        if shadow == "none" and stroke == "0":
            return False
        outlines = outline_colours(shadow, stroke, own.get("-webkit-text-stroke-color", ""), text_colour)
        behind = self._background(element)
        return any(each is None or _is_seen(each, behind) for each in outlines)

    def _painted_text(self, element: Element) -> Element | None:
        """The element, this one or one around it, whose background is clipped to the text; None if there is none."""
        for each in self._cascade.ancestry(element)[:6]:
            if "text" in self._cascade.style(each).get("background-clip", ""):
                return each
        return None

    def _is_unpainted(self, style: Style, behind: Colour | None) -> bool:
        """Whether a background that is clipped to the text, by this style, does not make it visible. `behind` is the
        colour behind it; None if it is not known."""
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

    def _background(self, element: Element | None) -> Colour | None:
        """The colour behind the text of an element; None if it is not known."""
        floats = False
        for each in self._cascade.ancestry(element) if element is not None else ():
            style = self._cascade.style(each)
            if "inset" in style.get("box-shadow", "") and (colour := filling_shadow(style["box-shadow"])) is not None:
                return colour
            if style.get("background-image", "none") != "none" or self._cascade.paints_pseudo_element(each):
                return self._of_gradient(style)
            if style.get("position", "static") != "static" and (layer := self._sibling_layer(each)) is not None:
                return self._colour(layer)
            if "backdrop-filter" in style and "background-color" not in style:
                below = self._background(parent_of(each))
                return filtered(below, style["backdrop-filter"]) if below is not None else None
            value = style.get("background-color")
            if value not in (None, "transparent", "none"):
                colour = self._colour(style)
                if colour is not None and self._has_external_sheets and each != element and not each.attr("style"):
                    return None
                return None if floats and self._has_picture(each) else colour
            floats = floats or style.get("position") in ("absolute", "fixed") or self._overlaps(style)
            if floats and self._has_picture(each):
                return None
        return None if self._has_external_sheets else self._page.background

    def _has_picture(self, element: Element) -> bool:
        found = self._pictures.get(element)
        if found is None:
            found = self._pictures[element] = element.select_one(_PICTURES) is not None
        return found

    def _sibling_layer(self, element: Element) -> Style | None:
        """The style of a painted sibling that fills the parent, and so is behind the positioned element; else None."""
        around = parent_of(element)
        beside = self._layers_in(around) if around is not None else {}
        return next((style for each, style in beside.items() if each != element), None)

    def _layers_in(self, parent: Element) -> dict[Element, Style]:
        """The style of each of the first thirty children of `parent` that is painted and fills it."""
        found = self._layers.get(parent)
        if found is None:
            first = [child for child in parent.children[:_MOST_BESIDE] if isinstance(child, Element)]
            styles = {child: self._cascade.style(child) for child in first}
            found = self._layers[parent] = {child: style for child, style in styles.items() if _is_layer(style)}
        return found

    def _overlaps(self, style: Style) -> bool:
        return any(style.get(f"margin-{side}", "").startswith("-") for side in ("top", "left"))

    def _of_gradient(self, style: Style) -> Colour | None:
        """The colour of a style's gradient if its colours look the same; else None."""
        stops = gradient_colours(style.get("background-image", ""))
        first = stops[0] if stops else None
        if first is None or not all(stop is not None and stop.near(first) for stop in stops):
            return None
        return first


def _is_layer(style: Style) -> bool:
    return style.get("position") == "absolute" and bool(_PAINTS.intersection(style)) and _fills(style)


def _fills(style: Style) -> bool:
    """Whether a box with this style fills the element that it is positioned in."""
    return all(pixels(style.get(side, "auto")) == 0 for side in ("top", "right", "bottom", "left"))


def _is_shrunk(adjust: str | None) -> bool:
    share = fraction(adjust) if adjust is not None else None
    return share is not None and 0 <= share < 0.05


def _is_seen(text_colour: Colour, behind: Colour | None) -> bool:
    return text_colour.alpha >= FAINT and (behind is None or not text_colour.over(behind).near(behind))
