"""Does a style hide its element? Judged from declarations alone, as a browser at 1280 × 720 would draw them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp_web.extract.colour import Colour, parse_colour

if TYPE_CHECKING:
    from turbohtml import Element, Node

Style = Mapping[str, str]

_NEEDS_PARSER = ('"', "'", "\\", "!", "{", "}", "/*", "url(", "@")
_PAPER = Colour(255, 255, 255)
_UNITS = {"": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "pt": 1.333, "pc": 16.0, "cm": 37.8}
_UNITS |= {"mm": 3.78, "in": 96.0, "vw": 12.8, "vh": 7.2, "vmin": 7.2, "vmax": 12.8, "dvh": 7.2, "svh": 7.2}
_LENGTH = re.compile(r"(?:calc\(\s*)?([-+]?\s*(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z]*|%)", re.I)
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*))?\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)%?")
_MOVING = re.compile(r"transition|animation|will-change")
_ANIMATED = (
    "[data-aos],[data-w-id],[data-framer-appear-id],[data-sal],[data-scroll],[data-animate],[data-animation],"
    "[class*=wow i],[class*=animat i],[class*=reveal i],[class*=fade i],[class*=framer i],[class*=motion i],"
    "[class*=lazy i]"
)
# What each test reads: most styles have none of it, and are told so by one look.
_FADING = frozenset(
    ("opacity", "filter", "-webkit-filter", "color", "-webkit-text-fill-color", "mask", "mask-image",
     "-webkit-mask-image", "-webkit-mask")
)  # fmt: skip
_SIZING = frozenset(("font-size", "font", "zoom", "letter-spacing"))
_MARGINS = ("margin-left", "margin-top", "margin-right", "margin", "margin-inline-start", "margin-block-start")
_PLACING = frozenset(("text-indent", "position", "transform", "-webkit-transform", "scale", "translate", *_MARGINS))
_CLIPPING = frozenset(("clip", "clip-path", "-webkit-clip-path"))
_FLOWING = frozenset(("overflow", "overflow-x", "overflow-y"))
MOST_ANCESTORS = 40
FAR = 500.0  # pixels off screen; menus and sliders stand closer


def parse_style(text: str, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The winning declarations of a style attribute or rule body, lower case, variables filled in."""
    style = _parsed(text) if any(sign in text for sign in _NEEDS_PARSER) else _split(text)
    if "var(" in text:
        known = {**variables, **style} if variables else style
        for name, value in style.items():
            if "var(" in value:
                style[name] = _VAR.sub(lambda found: known.get(found[1]) or found[2] or "", value).strip()
    return style


def _split(text: str) -> dict[str, str]:
    """Plain declarations, as nearly all are: a split is a quarter of a parser's time."""
    style: dict[str, str] = {}
    for declaration in text.lower().split(";"):
        name, _, value = declaration.partition(":")
        if value and not value.isspace():
            style[name.strip()] = " ".join(value.split())
    return style


def _parsed(text: str) -> dict[str, str]:
    from turbohtml.cssom import StyleDeclaration

    block = StyleDeclaration.parse(text)
    return {name.lower(): (block.get(name) or "").lower() for name in block}


def pixels(value: str | None) -> float | None:
    """A length in pixels; None for what is no length or depends on a container."""
    found = _LENGTH.match(value.strip()) if value else None
    if found is None:
        return None
    unit = found[2].lower()
    number = float(found[1].replace(" ", ""))
    if unit == "%":
        return 0.0 if number == 0 else None
    return number * _UNITS[unit] if unit in _UNITS else None


def hides(style: Style, element: Element | None = None) -> bool:
    """True where the style leaves nothing of its element to see."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    if style.get("visibility") in ("hidden", "collapse"):
        return not (element is not None and element.select_one('[style*="visible" i]') is not None)
    if _faded(style):
        return not _appears_later(style, element)
    own = _background(style) if "color" in style else None
    colour = parse_colour(style["color"]) if own is not None else None
    if own is not None and colour is not None and colour.near(own):
        return True
    return _no_size(style, element) or _off_screen(style) or _clipped(style) or _collapsed(style)


def _fraction(value: str | None) -> float | None:
    found = _NUMBER.match(value.strip()) if value else None
    if found is None:
        return None
    text = found[0]
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _faded(style: Style) -> bool:
    if _FADING.isdisjoint(style):
        return False
    opacity = _fraction(style.get("opacity"))
    if opacity is not None and opacity < 0.06:
        return True
    effects = style.get("filter", "") + " " + style.get("-webkit-filter", "")
    if "opacity(" in effects:
        amount = _fraction(effects.partition("opacity(")[2])
        if amount is not None and amount < 0.06:
            return True
    if "blur(" in effects and (pixels(effects.partition("blur(")[2]) or 0) >= 10:
        return True
    return _transparent(style) or _masked(style)


def _transparent(style: Style) -> bool:
    if "text" in style.get("background-clip", "") + style.get("-webkit-background-clip", ""):
        return False
    for name in ("color", "-webkit-text-fill-color"):
        colour = parse_colour(style.get(name, ""))
        if colour is not None and colour.alpha < 0.06:
            return "text-shadow" not in style
    return False


def _masked(style: Style) -> bool:
    mask = (
        style.get("mask", "")
        + style.get("mask-image", "")
        + style.get("-webkit-mask-image", "")
        + style.get("-webkit-mask", "")
    )
    if "gradient(" not in mask:
        return False
    stops = mask.partition("gradient(")[2].rpartition(")")[0]
    stops = re.sub(r"\([^()]*\)", lambda found: found[0].replace(",", " "), stops)
    colours = [stop.strip() for stop in stops.split(",")]
    colours = [
        stop for stop in colours if stop and not re.match(r"to |from |[-\d.]+(deg|turn|rad)|circle|ellipse|at ", stop)
    ]
    seen = [parse_colour(stop.split(" ")[0] if "(" not in stop else stop) for stop in colours]
    return bool(seen) and all(colour is not None and colour.alpha < 0.06 for colour in seen)


def _appears_later(style: Style, element: Element | None) -> bool:
    """Faded in by a script as the reader scrolls: seen by people, so it stays. Only where scripts can run."""
    if element is None:
        return False
    signs = element.matches(_ANIMATED) or any(_MOVING.match(name) for name in style)
    if not signs and "transform" in style:
        signs = not _scaled_away(style["transform"])
    if not signs:
        return False
    top: Node = element
    while top.parent is not None:
        top = top.parent
    return top.select_one("script[src],script:not([type])") is not None


def _no_size(style: Style, element: Element | None) -> bool:
    if _SIZING.isdisjoint(style):
        return False
    size = pixels(style.get("font-size"))
    if size is None and style.get("font-size", "").endswith("%"):
        size = 16 * (_fraction(style["font-size"]) or 0.0)
    if size is None and "font" in style:
        found = re.search(r"(?:^|\s)([\d.]+[a-z%]*)\s*(?:/|\s)", style["font"])
        size = pixels(found[1]) if found else None
    if size is not None and size <= 2 and not _sized_inside(element):
        return True
    zoom = _fraction(style.get("zoom"))
    if zoom is not None and zoom < 0.06:
        return True
    spacing = pixels(style.get("letter-spacing"))
    return spacing is not None and spacing <= -8


def _sized_inside(element: Element | None) -> bool:
    """`font-size:0` on a wrapper closes gaps between its children, which set their own size."""
    if element is None or not any(True for _ in element.iter_elements()):
        return False
    if any(text.strip() for text in (getattr(child, "data", "") for child in element)):
        return False
    return element.select_one('[style*="font" i],[class]') is not None


def _collapsed(style: Style) -> bool:
    """A box without room for its text, with the overflow cut off."""
    if _FLOWING.isdisjoint(style):
        return False
    overflow = style.get("overflow", "") + style.get("overflow-x", "") + style.get("overflow-y", "")
    if not any(word in overflow for word in ("hidden", "clip", "scroll", "auto")):
        return False
    if any(name.startswith("padding") and (pixels(value) or 1) > 1 for name, value in style.items()):
        return False
    tight = [pixels(style.get(name)) for name in ("height", "max-height", "block-size")]
    narrow = [pixels(style.get(name)) for name in ("width", "max-width", "inline-size")]
    if any(value is not None and value <= 1 for value in tight):
        return True
    if any(value is not None and value <= 1 for value in narrow):
        return True
    line = pixels(style.get("line-height"))
    return line is not None and line <= 1 and style.get("line-height", "").strip() in ("0", "0px", "0em", "0%")


def _off_screen(style: Style) -> bool:
    if _PLACING.isdisjoint(style):
        return False
    indent = pixels(style.get("text-indent"))
    if indent is not None and (indent <= -100 or indent >= 3000):
        return True
    if style.get("text-indent", "").strip().startswith(("-100%", "100%")) and "overflow" in style:
        return True
    if style.get("position") in ("absolute", "fixed"):
        for name in ("left", "top", "right", "bottom"):
            found = re.match(r"(-?\d+)(%|v[wh])", style.get(name, "").strip())
            if found is not None and (int(found[1]) <= -100 or (int(found[1]) >= 100 and found[2] != "%")):
                return True
    if style.get("position") in ("absolute", "fixed", "relative", "sticky"):
        for name in ("left", "top", "right", "bottom", "inset", "inset-inline-start", "inset-block-start"):
            value = pixels(style.get(name))
            if value is not None and (value <= -FAR or value >= 5000):
                return True
    for name in _MARGINS:
        for part in style.get(name, "").split():
            value = pixels(part)
            if value is not None and (value <= -FAR or value >= 5000):
                return True
    moved = style.get("transform", "") + style.get("-webkit-transform", "")
    if _moved_away(moved) or _scaled_away(moved):
        return True
    return _scaled_away(f"scale({style['scale']})" if "scale" in style else "") or _moved_away(
        f"translate({style['translate']})" if "translate" in style else ""
    )


def _moved_away(transform: str) -> bool:
    for found in re.finditer(r"translate(?:x|y|3d)?\(([^()]*)\)", transform):
        for part in re.split(r"[,\s]+", found[1].strip()):
            value = pixels(part)
            if value is not None and abs(value) >= 1000:
                return True
    return False


def _scaled_away(transform: str) -> bool:
    for found in re.finditer(r"scale(?:x|y|3d)?\(([^()]*)\)", transform):
        first = [_fraction(part) for part in re.split(r"[,\s]+", found[1].strip())[:2]]
        if any(value is not None and abs(value) < 0.02 for value in first):
            return True
    if re.search(r"matrix\(\s*0(?:\.0\d*)?\s*,\s*0(?:\.0\d*)?\s*,\s*0(?:\.0\d*)?\s*,\s*0", transform):
        return True
    return re.search(r"rotate[xy]\(\s*-?(?:90|270)deg", transform) is not None


def _clipped(style: Style) -> bool:
    if _CLIPPING.isdisjoint(style):
        return False
    clip = style.get("clip", "")
    if clip.startswith("rect("):
        edges = [pixels(part) or 0.0 for part in re.split(r"[,\s]+", clip[5:].rstrip(") ").strip()) if part != "auto"]
        if len(edges) == 4 and (edges[2] - edges[0] <= 1 or edges[1] - edges[3] <= 1):
            return style.get("position", "absolute") in ("absolute", "fixed")
    path = style.get("clip-path", "") + style.get("-webkit-clip-path", "")
    if "inset(" in path and _inset_closes(path.partition("inset(")[2].partition(")")[0]):
        return True
    if re.search(r"(?:circle|ellipse)\(\s*0(?:px|%|em)?\s*(?:0(?:px|%)?\s*)?(?:at|\))", path):
        return True
    if "polygon(" in path:
        points = {point.strip() for point in path.partition("polygon(")[2].rpartition(")")[0].split(",")}
        return len(points) <= 2
    return False


def _inset_closes(edges: str) -> bool:
    """True where opposite edges of an inset meet."""
    shares = [_fraction(edge) if edge.endswith("%") else 0.0 for edge in edges.partition("round")[0].split()[:4]]
    top, right, bottom, left = [share or 0.0 for share in (shares + shares * 3)[:4]] if shares else [0.0] * 4
    if len(shares) == 3:
        left = right
    return top + bottom >= 0.99 or left + right >= 0.99


class Background:
    """What stands behind a text: known only where the page itself says so."""

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._styled: bool | None = None
        self._inline: bool | None = None
        self._around: dict[Node | None, Colour | None] = {}

    def swallows(self, element: Element, style: Style) -> bool:
        """True where the text has the colour of what stands behind it."""
        colour = parse_colour(style["color"]) if "color" in style else None
        if colour is None or not (colour.near(_PAPER) or "background" in style or self._is_inline()):
            return False
        behind = self._behind(element, style)
        return behind is not None and colour.near(behind)

    def _behind(self, element: Element, style: Style) -> Colour | None:
        own = _background(style)
        if own is not None or "background-image" in style or "url(" in style.get("background", ""):
            return own
        parent = element.parent
        if parent not in self._around:
            self._around[parent] = self._behind_all_in(parent)
        return self._around[parent]

    def _behind_all_in(self, parent: Node | None) -> Colour | None:
        node: object = parent
        for _ in range(MOST_ANCESTORS):
            if node is None or not hasattr(node, "attr"):
                break
            text = node.attr("style") or ""
            if "background" in text:
                return _background(parse_style(text))
            if node.attr("bgcolor"):
                return parse_colour(node.attr("bgcolor") or "")
            if node.attr("background"):
                return None
            node = node.parent  # type: ignore[attr-defined]  # narrowed by hasattr
        # Nothing says otherwise: paper is white, unless a stylesheet may have painted it.
        return None if self.is_painted() else _PAPER

    def _is_inline(self) -> bool:
        """True where an element carries its background with it."""
        if self._inline is None:
            found = self._tree.select_one('[style*="background" i],[bgcolor],[background]')
            self._inline = found is not None
        return self._inline

    def is_painted(self) -> bool:
        """True where a sheet may have given the page another background than white."""
        if self._styled is None:
            sheets = self._tree.select("link[rel~=stylesheet i]")
            inline = any("background" in sheet.text for sheet in self._tree.select("style"))
            self._styled = bool(sheets) or inline
        return self._styled


def _background(style: Style) -> Colour | None:
    for name in ("background-color", "background"):
        value = style.get(name)
        if value and "url(" not in value and "gradient" not in value:
            found = parse_colour(value) or parse_colour(value.split(" ")[0])
            if found is not None and found.alpha > 0.5:
                return found
    return None
