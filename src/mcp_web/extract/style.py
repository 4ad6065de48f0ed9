"""Does a style hide its element's box? Judged from the winning declarations, at a screen of 1280 × 720."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_web.extract.colour import Colour, parse_colour
from mcp_web.extract.lengths import angle, fraction, pixels

Style = Mapping[str, str]

FAR = 500.0  # pixels off screen; menus and sliders stand closer
FAINT = 0.06  # of full ink: less than this, nobody reads
_SPACES = re.compile(r"[\s]+(?![^()]*\))")
_ARGUMENTS = re.compile(r",(?![^()]*\))|\s+(?![^()]*\))")
_CALL = re.compile(r"([a-z0-9-]+)\(((?:[^()]|\([^()]*\))*)\)")
_SIDES = ("left", "top", "right", "bottom")
_CLIPS = ("hidden", "clip", "scroll", "auto", "overlay")
_DIRECTION = re.compile(r"to |from |[-\d.]+(?:deg|turn|rad)|circle|ellipse|at |in ")


def hides_box(style: Style) -> bool:
    """True where the style leaves nothing of its element, whatever stands inside."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    return fades(style) or _no_size(style) or _off_screen(style) or _clipped(style) or _collapsed(style)


def fades(style: Style) -> bool:
    """True where opacity, a filter or a mask leaves nothing to see."""
    opacity = fraction(style["opacity"]) if "opacity" in style else None
    if opacity is not None and opacity < FAINT:
        return True
    for name, value in _CALL.findall(style.get("filter", "")):
        amount = fraction(value)
        if name == "opacity" and amount is not None and amount < FAINT:
            return True
        if name == "blur" and (pixels(value) or 0) >= 10:
            return True
        if name == "contrast" and amount == 0:
            return True
    return _is_empty_picture(style.get("mask-image", ""))


def _is_empty_picture(image: str) -> bool:
    """A gradient between colours that cannot be seen."""
    colours = gradient_colours(image)
    return bool(colours) and all(colour is not None and colour.alpha < FAINT for colour in colours)


def gradient_colours(image: str) -> list[Colour | None]:
    """The colours of a gradient, None for one that is not known; empty where there is no gradient."""
    if "gradient(" not in image or "url(" in image:
        return []
    stops = re.split(r",(?![^()]*\))", image.partition("gradient(")[2].rpartition(")")[0])
    stops = [stop.strip() for stop in stops]
    return [parse_colour(_SPACES.split(stop)[0]) for stop in stops if stop and not _DIRECTION.match(stop)]


def _no_size(style: Style) -> bool:
    zoom = fraction(style["zoom"]) if "zoom" in style else None
    if zoom is not None and 0 <= zoom < FAINT:
        return True
    spacing = pixels(style["letter-spacing"]) if "letter-spacing" in style else None
    return spacing is not None and spacing <= -8


def _collapsed(style: Style) -> bool:
    """A box without room for its text, with the overflow cut off."""
    across, down = style.get("overflow-x", ""), style.get("overflow-y", "")
    if not any(word in _CLIPS for word in (across, down)):
        return False
    if any((pixels(style[name], 16.0, 100.0) or 0) > 2 for name in ("padding-top", "padding-bottom") if name in style):
        return False
    if _is_tight(style, "height") or _is_tight(style, "width"):
        return True
    if "size" in style.get("contain", "").split() and "height" not in style and "min-height" not in style:
        return True
    line = pixels(style["line-height"], 16.0, 16.0) if "line-height" in style else None
    return line == 0 and "height" not in style and "min-height" not in style


def _is_tight(style: Style, name: str) -> bool:
    least = pixels(style[f"min-{name}"]) if f"min-{name}" in style else None
    if f"min-{name}" in style and (least is None or least > 2):
        return False
    sizes = [pixels(style[each]) for each in (name, f"max-{name}") if each in style]
    return any(size is not None and size <= 2 for size in sizes)


def _off_screen(style: Style) -> bool:
    if "text-indent" in style and _is_indented_away(style):
        return True
    if _is_placed_away(style):
        return True
    margins = (pixels(style[f"margin-{side}"]) for side in _SIDES if f"margin-{side}" in style)
    if any(value is not None and (value <= -FAR or value >= 5000) for value in margins):
        return True
    return any(_turns_away(name, _ARGUMENTS.split(inside.strip()), style) for name, inside in _transforms(style))


def _is_indented_away(style: Style) -> bool:
    indent = pixels(style["text-indent"], 16.0, 1000.0)
    if indent is None:
        return False
    cut = style.get("overflow-x") in _CLIPS
    return indent <= -100 or indent >= 3000 or (cut and indent >= 1000)


def _is_placed_away(style: Style) -> bool:
    position = style.get("position", "static")
    if position == "static":
        return False
    free = position in ("absolute", "fixed")
    for side in _SIDES:
        if side not in style:
            continue
        value = pixels(style[side], 16.0, 1000.0)
        if value is None:
            continue
        if value <= -FAR and (free or not style[side].endswith("%")):
            return True
        # A page grows to the right and below; a window does not.
        most = {"left": 1280.0, "top": 720.0}.get(side, 5000.0) if position == "fixed" else 5000.0
        beside = free and value >= {"left": 1280, "right": 1280, "bottom": 720}.get(side, 5000)
        beside = beside and style[side].endswith(("vw", "vh", "vmax"))
        if value >= most or beside:
            return True
    return False


def _transforms(style: Style) -> list[tuple[str, str]]:
    found = _CALL.findall(style.get("transform", ""))
    found += [(name, style[name]) for name in ("translate", "scale") if name in style]
    if "rotate" in style:
        axis, _, amount = style["rotate"].rpartition(" ")
        found.append((f"rotate{axis or 'z'}", amount))
    return found


def _turns_away(name: str, values: list[str], style: Style) -> bool:
    """True where one step of a transform leaves nothing to see."""
    if name.startswith("translate"):
        return any(abs(pixels(value, 16.0, 500.0) or 0) >= 1000 for value in values)
    if name.startswith("scale"):
        amounts = [fraction(value) for value in (values if name != "scale3d" else values[:2])]
        return any(amount is not None and abs(amount) < 0.02 for amount in amounts)
    if name in ("matrix", "matrix3d"):
        return _is_flat([fraction(value) for value in values])
    if name.startswith(("rotate", "skew")):
        turn = angle(values[-1])
        if turn is None:
            return False
        if name in ("rotatex", "rotatey") or (name == "rotate3d" and fraction(values[2]) == 0):
            back = style.get("backface-visibility") == "hidden" and 90 < turn % 360 < 270
            return back or abs(turn % 180 - 90) < 0.6
        return name.startswith("skew") and abs(abs(turn) % 180 - 90) < 0.6
    return False


def _is_flat(values: list[float | None]) -> bool:
    if any(value is None for value in values):
        return False
    numbers = [value or 0.0 for value in values]
    if len(numbers) == 6:
        far = abs(numbers[4]) >= 1000 or abs(numbers[5]) >= 1000
        return far or abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]) < 0.0004
    return len(numbers) == 16 and abs(numbers[0] * numbers[5] - numbers[1] * numbers[4]) < 0.0004


def _clipped(style: Style) -> bool:
    clip = style.get("clip", "")
    if clip.startswith("rect(") and style.get("position") in ("absolute", "fixed"):
        edges = [pixels(part) for part in re.split(r"[,\s]+", clip[5:].rstrip(") ").strip())]
        if len(edges) == 4 and None not in edges:
            top, right, bottom, left = (edge or 0.0 for edge in edges)
            if bottom - top <= 2 or right - left <= 2:
                return True
    return any(_shape_is_empty(name, inside) for name, inside in _CALL.findall(style.get("clip-path", "")))


def _shape_is_empty(name: str, inside: str) -> bool:
    if name == "inset":
        return _inset_closes(inside)
    if name in ("rect", "xywh"):
        edges = [pixels(part, 16.0, 1000.0) for part in inside.partition("round")[0].split()[:4]]
        if len(edges) < 4 or None in edges:
            return False
        first, second, third, fourth = (edge or 0.0 for edge in edges)
        wide, high = (second - fourth, third - first) if name == "rect" else (third, fourth)
        return wide <= 2 or high <= 2
    if name in ("circle", "ellipse"):
        radii = inside.partition("at")[0].split()
        return any((pixels(radius, 16.0, 100.0) or 0.0) <= 1 for radius in radii if _is_size(radius))
    if name == "polygon":
        points = {" ".join(point.split()) for point in inside.split(",")} - {"evenodd", "nonzero"}
        return len(points) <= 2
    return name == "path" and len(re.findall(r"-?[\d.]+", inside)) <= 4


def _is_size(text: str) -> bool:
    return text[:1].isdigit() or text[:1] == "."


def _inset_closes(edges: str) -> bool:
    """True where opposite edges of an inset meet."""
    sizes = [pixels(edge, 16.0, 1000.0) or 0.0 for edge in edges.partition("round")[0].split()[:4]]
    if not sizes:
        return False
    top = sizes[0]
    right = sizes[1] if len(sizes) > 1 else top
    bottom = sizes[2] if len(sizes) > 2 else top
    left = sizes[3] if len(sizes) > 3 else right
    return top + bottom >= 990 or left + right >= 990
