"""Does a style hide its element's box? Decided from the winning declarations, on a screen of 1280 × 720."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_web.extract.css.colour import Colour, parse_colour
from mcp_web.extract.css.declarations import four_sides
from mcp_web.extract.css.lengths import angle, fraction, length, pixels
from mcp_web.extract.css.syntax import Call, calls, split_outside

Style = Mapping[str, str]

FAR = 500.0  # pixels off screen; menus and sliders are closer
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"
FAINT = 0.06  # opacity below which text cannot be read
_ARGUMENTS = re.compile(r",(?![^()]*\))|\s+(?![^()]*\))")
_BLACK = Colour(0, 0, 0)
_SIDES = ("left", "top", "right", "bottom")
_MARGINS = tuple(f"margin-{side}" for side in _SIDES)
_PADDINGS = ("padding-top", "padding-bottom")
_TRANSFORMS = frozenset(("transform", "translate", "scale", "rotate"))
_WINDOW = {"left": 1280.0, "top": 720.0, "right": 1280.0, "bottom": 720.0}
CLIPS = ("hidden", "clip", "scroll", "auto", "overlay")
_PICTURE = re.compile(r"(?:url|gradient|image|image-set)\(")
_CONTAINED = frozenset(("strict", "paint", "content"))
_NOT_DRAWN = ("none", "table-column", "table-column-group")
_DIRECTION = re.compile(r"to |from |[-\d.]+(?:deg|turn|rad)|circle|ellipse|at |in ")


def hides_box(style: Style) -> bool:
    """Whether nothing of the element can be seen because of its style, whatever is inside it."""
    display = style.get("display")
    if display == "contents":
        return False  # it has no box
    if display in _NOT_DRAWN or style.get("content-visibility") == "hidden":
        return True
    if "text-decoration" in style and _is_struck_out(style):
        return True
    if "content" in style and _PICTURE.search(style["content"]):
        return True  # the picture replaces the content
    if "transform-origin" in style and _turns_around_far_point(style):
        return True
    return is_faded_out(style) or _has_no_size(style) or _off_screen(style) or _clipped(style) or _collapsed(style)


def _turns_around_far_point(style: Style) -> bool:
    across_and_down = " ".join(split_outside(style["transform-origin"])[:2])
    return any(style.get(name, "none") != "none" for name in _TRANSFORMS) and _is_far(across_and_down)


def is_faded_out(style: Style) -> bool:
    """Whether opacity, a filter or a mask makes the element invisible."""
    opacity = fraction(style["opacity"]) if "opacity" in style else None
    if opacity is not None and opacity < FAINT:
        return True
    for call in calls(style["filter"]) if "filter" in style else ():
        amount = fraction(call.argument)
        if call.name == "opacity" and amount is not None and amount < FAINT:
            return True
        if call.name == "blur" and (pixels(call.argument) or 0) >= 10:
            return True
        if call.name == "contrast" and amount == 0:
            return True
    return "mask-image" in style and _is_masked_out(style)


def _is_masked_out(style: Style) -> bool:
    """Whether a mask hides everything: it is empty, has no size or is positioned off its box."""
    mask = style["mask-image"]
    if _is_empty_picture(mask, "luminance" in style.get("mask-mode", mask)) or _is_zero_size(style.get("mask-size")):
        return True
    if "no-repeat" not in style.get("mask-repeat", mask):
        return False
    return shows_no_part(mask) or _is_far(style.get("mask-position", ""))


def shows_no_part(picture: str) -> bool:
    """Whether a picture that is not repeated has no size, or is positioned off its box. `picture` is a CSS value such
    as `url(a.png) 9999px 0 / 10px no-repeat`."""
    place, _, size = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", picture).partition("/")
    if _is_zero_size(size.strip()):
        return True
    return _is_far(place)


def _is_far(place: str) -> bool:
    places = (pixels(word) for word in split_outside(place) if word[:1] in "-.0123456789cm")
    return any(value is not None and abs(value) >= 5000 for value in places)


def _is_zero_size(size: str | None) -> bool:
    return bool(size) and any(pixels(part) == 0 for part in split_outside(size or ""))


def _is_struck_out(style: Style) -> bool:
    """Whether a line-through as thick as the text is high, or an underline of that size moved up, covers the text."""
    line = style.get("text-decoration", "")
    words = split_outside(line)
    if "line-through" not in words and ("underline" not in words or any(map(parse_colour, words))):
        return False
    sizes = [pixels(word, 16.0, 16.0) for word in (*words, style.get("text-decoration-thickness", "auto"))]
    if not any(size is not None and size >= 20 for size in sizes):
        return False
    return "line-through" in words or (length(style, "text-underline-offset", 16.0) or 0.0) <= -10


def _is_empty_picture(image: str, by_light: bool) -> bool:
    """Whether a mask gradient lets nothing through: its colours are transparent or, if `by_light`, black."""
    colours = gradient_colours(image)
    return bool(colours) and all(
        colour is not None and (colour.alpha < FAINT or (by_light and colour.near(_BLACK))) for colour in colours
    )


def gradient_colours(image: str) -> list[Colour | None]:
    """The colours of a gradient, None for one that is not known; empty if the value is no gradient."""
    if "gradient(" not in image or "url(" in image:
        return []
    stops = split_outside(image.partition("gradient(")[2].rpartition(")")[0], ",")
    return [parse_colour(split_outside(stop)[0]) for stop in stops if stop and not _DIRECTION.match(stop)]


def _has_no_size(style: Style) -> bool:
    if "zoom" not in style and "letter-spacing" not in style:
        return False
    zoom, spacing = length(style, "zoom", 1.0), length(style, "letter-spacing")
    return (zoom is not None and 0 <= zoom < FAINT) or (spacing is not None and spacing <= -8)


def _collapsed(style: Style) -> bool:
    """Whether the box has no room for its text, and the overflow is clipped."""
    across, down = style.get("overflow-x", ""), style.get("overflow-y", "")
    contain = style["contain"].split() if "contain" in style else []
    if "size" in style.get("container-type", "").split():
        contain = [*contain, "size"]
    if across not in CLIPS and down not in CLIPS and _CONTAINED.isdisjoint(contain):
        return False
    if any((pixels(style[name], 16.0, 100.0) or 0) > 2 for name in _PADDINGS if name in style):
        return False
    if _is_too_small(style, "height") or _is_too_small(style, "width"):
        return True
    if style.get("height", "auto") != "auto" or (length(style, "min-height") or 0) > 2:
        return False
    line = length(style, "line-height", 16.0)
    sized = any((pixels(part) or 0) > 2 for part in split_outside(style.get("contain-intrinsic-height", "none"))[-2:])
    return line == 0 or (not sized and ("size" in contain or "strict" in contain))


def _is_too_small(style: Style, name: str) -> bool:
    least = length(style, f"min-{name}")
    if f"min-{name}" in style and (least is None or least > 2):
        return False
    # A percentage of an unknown height has no effect.
    names = [each for each in (name, f"max-{name}") if name != "height" or not style.get(each, "").endswith("%")]
    return any((size := length(style, each)) is not None and size <= 2 for each in names)


def _off_screen(style: Style) -> bool:
    if "text-indent" in style and _is_indented_off_screen(style):
        return True
    if _is_positioned_off_screen(style):
        return True
    margins = [length(style, name) for name in _MARGINS if name in style]
    if any(value is not None and not -FAR < value < 5000 for value in margins):
        return True
    if not _TRANSFORMS.isdisjoint(style):
        steps = [(name, _ARGUMENTS.split(inside.strip())) for name, inside, *_ in _transforms(style)]
        if any(_transform_hides(name, values, style) for name, values in steps) or _is_behind_viewer(steps):
            return True
    return "offset-path" in style and (_path_starts_off_screen(style["offset-path"]) or _is_far_along_path(style))


def _is_behind_viewer(steps: list[tuple[str, list[str]]]) -> bool:
    """Whether a transform, whose functions are `steps` (name, arguments), moves the box behind the viewer."""
    distance = [pixels(values[0]) for name, values in steps if name == "perspective"]
    moves = [pixels(values[-1]) or 0.0 for name, values in steps if name in ("translatez", "translate3d")]
    return bool(distance and moves) and sum(moves) >= (distance[0] or float("inf"))


def _path_starts_off_screen(path: str) -> bool:
    """Whether the `offset-path` of the box starts off screen."""
    start = re.match(rf"(?:path\()?[\"']?\s*m\s*({_NUMBER})[\s,]*({_NUMBER})", path)
    return start is not None and min(float(start[1]), float(start[2])) <= -FAR


def _is_far_along_path(style: Style) -> bool:
    """Whether the box is positioned far along its `offset-path`, off screen."""
    distance = length(style, "offset-distance")
    return style["offset-path"] != "none" and distance is not None and abs(distance) >= 5000


def _is_indented_off_screen(style: Style) -> bool:
    indent = pixels(style["text-indent"], 16.0, 1000.0)
    if indent is None:
        return False
    cut = style.get("overflow-x") in CLIPS
    width = pixels(style["width"]) if cut and "width" in style else None
    if width is not None and indent > 0 and indent >= width:
        return True
    return indent <= -100 or indent >= 3000 or (cut and indent >= 1000)


def _is_positioned_off_screen(style: Style) -> bool:
    position = style.get("position", "static")
    if position == "static":
        return False
    free = position in ("absolute", "fixed")
    for side in _SIDES:
        if side not in style:
            continue
        window = _WINDOW[side]
        value = pixels(style[side], 16.0, window if position == "fixed" else 1000.0)
        if value is None:
            continue
        if value <= -FAR and (free or not style[side].endswith("%")):
            return True
        # A page can be scrolled to the right and down; an element with a fixed position cannot.
        most = window if position == "fixed" else 5000.0
        beside = free and value >= {"left": 1280, "right": 1280, "bottom": 720}.get(side, 5000)
        beside = beside and style[side].endswith(("vw", "vh", "vmax"))
        if value >= most or beside:
            return True
    return False


def _transforms(style: Style) -> list[Call]:
    found = list(calls(style.get("transform", "")))
    found += [Call(name, style[name]) for name in ("translate", "scale") if name in style]
    if "rotate" in style:
        axis, _, amount = style["rotate"].rpartition(" ")
        vector = axis.split()
        turn = ("rotate3d", f"{','.join(vector)},{amount}") if len(vector) == 3 else (f"rotate{axis or 'z'}", amount)
        found.append(Call(*turn))
    return found


def _transform_hides(name: str, values: list[str], style: Style) -> bool:
    """Whether one function of a transform, with the arguments `values`, makes the box invisible."""
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
        if name in ("rotatex", "rotatey") or (name == "rotate3d" and len(values) == 4 and fraction(values[2]) == 0):
            back = style.get("backface-visibility") == "hidden" and 90 < turn % 360 < 270
            return back or abs(turn % 180 - 90) < 0.6
        return name.startswith("skew") and abs(abs(turn) % 180 - 90) < 0.6
    return False


def _is_flat(values: list[float | None]) -> bool:
    """Whether `matrix()` or `matrix3d()` with these values moves the box far away, or leaves it no width or height."""
    places = {6: (0, 1, 2, 3, 4, 5), 16: (0, 1, 4, 5, 12, 13)}.get(len(values))
    if places is None or None in values:
        return False
    a, b, c, d, across, down = (values[at] or 0.0 for at in places)
    return abs(across) >= 1000 or abs(down) >= 1000 or abs(a * d - b * c) < 0.0004


def _clipped(style: Style) -> bool:
    clip = style.get("clip", "")
    if clip.startswith("rect(") and style.get("position") in ("absolute", "fixed"):
        edges = [pixels(part) for part in re.split(r"[,\s]+", clip[5:].rstrip(") ").strip())]
        if len(edges) == 4 and None not in edges:
            top, right, bottom, left = (edge or 0.0 for edge in edges)
            if bottom - top <= 2 or right - left <= 2:
                return True
    shapes = list(calls(style["clip-path"])) if "clip-path" in style else []
    if "border-shape" in style and style.get("overflow-x") in CLIPS:
        shapes += calls(style["border-shape"])
    return any(_shape_is_empty(shape.name, shape.argument) for shape in shapes)


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
        return _is_invisible_ellipse(inside)
    if name == "polygon":
        return _is_flat_polygon(inside)
    if name not in ("path", "shape"):
        return False
    numbers = re.findall(r"-?(?:\d+\.?\d*|\.\d+)", inside)
    # What is drawn above and left of the box shows nothing of it either.
    return len(numbers) <= 4 - 4 * (name == "shape") or all(float(number) <= 1 for number in numbers)


def _is_invisible_ellipse(inside: str) -> bool:
    """Whether a circle or an ellipse with the arguments `inside` has no size, or is outside its box."""
    size, _, place = inside.partition("at ")
    radii = [pixels(radius, 16.0, 100.0) for radius in split_outside(size)]
    known = [radius for radius in radii if radius is not None]
    if any(radius <= 1 for radius in known):
        return True
    centre = [pixels(part, 16.0, 100.0) for part in split_outside(place)]
    return bool(known) and any(part is not None and part + max(known) <= 0 for part in centre)


def _is_flat_polygon(inside: str) -> bool:
    """Whether the points of `polygon()` enclose no area, or are all above or left of its box."""
    texts = [split_outside(point) for point in split_outside(inside, ",")]
    points = [(pixels(point[0], 16.0, 1000.0), pixels(point[1], 16.0, 100.0)) for point in texts if len(point) == 2]
    known = [(x, y) for x, y in points if x is not None and y is not None]
    if not known or len(known) < len(points):
        return False
    if max(x for x, _ in known) <= 0 or max(y for _, y in known) <= 0:
        return True
    following = [*known[1:], known[0]]
    return abs(sum(x * below - right * y for (x, y), (right, below) in zip(known, following, strict=True))) < 8


def _inset_closes(edges: str) -> bool:
    """Whether opposite edges of `inset()` meet, so that nothing is left between them."""
    sizes = [pixels(edge, 16.0, 1000.0) or 0.0 for edge in split_outside(edges.partition("round")[0])]
    top, right, bottom, left = four_sides(sizes or [0.0])
    return top + bottom >= 990 or left + right >= 990
