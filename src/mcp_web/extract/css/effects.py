"""What blending, filters and shadows make of a colour."""

from __future__ import annotations

import re
from collections.abc import Callable

from mcp_web.extract.css.colour import Colour, is_colour, parse_colour
from mcp_web.extract.css.lengths import fraction, pixels, split_outside

_CALL = re.compile(r"([a-z-]+)\(([^()]*)\)")
_PARTS = re.compile(r"\s+(?![^()]*\))")
_KEYWORD_WIDTHS = frozenset(("thin", "medium", "thick"))
_AWAY = 1000.0  # pixels; a shadow so far from its letters is not seen with them
_FILLS = 50.0  # pixels; a shadow that reaches so far inwards fills its box
# By channel, of the letters and of what stands behind them, each 0 to 1.
_BLENDS: dict[str, Callable[[float, float], float]] = {
    "multiply": lambda ink, paper: ink * paper,
    "screen": lambda ink, paper: ink + paper - ink * paper,
    "darken": min,
    "lighten": max,
    "difference": lambda ink, paper: abs(ink - paper),
    "exclusion": lambda ink, paper: ink + paper - 2 * ink * paper,
    "color-dodge": lambda ink, paper: min(1.0, paper / (1 - ink)) if ink < 1 else 1.0,
    "color-burn": lambda ink, paper: 1 - min(1.0, (1 - paper) / ink) if ink > 0 else float(paper >= 1),
    "plus-lighter": lambda ink, paper: min(1.0, ink + paper),
}


def blended(ink: Colour, paper: Colour, mode: str) -> Colour | None:
    """The colour that letters take on where they are blended with what stands behind; None for a mode not known."""
    blend = _BLENDS.get(mode)
    if blend is None:
        return None
    pairs = ((ink.red, paper.red), (ink.green, paper.green), (ink.blue, paper.blue))
    red, green, blue = (255 * blend(above / 255, below / 255) for above, below in pairs)
    return Colour(red, green, blue)


def filtered(colour: Colour, filters: str) -> Colour | None:
    """The colour after brightness, contrast and inversion; None where another filter may change it."""
    parts = [colour.red / 255, colour.green / 255, colour.blue / 255]
    for name, value in _CALL.findall(filters):
        amount = fraction(value) if value.strip() else 1.0
        if name in ("opacity", "blur", "drop-shadow"):
            continue
        if amount is None or name not in ("brightness", "contrast", "invert"):
            return None
        parts = [min(1.0, max(0.0, _CHANGES[name](part, amount))) for part in parts]
    red, green, blue = (255 * part for part in parts)
    return Colour(red, green, blue)


_CHANGES: dict[str, Callable[[float, float], float]] = {
    "brightness": lambda part, amount: part * amount,
    "contrast": lambda part, amount: (part - 0.5) * amount + 0.5,
    "invert": lambda part, amount: part * (1 - amount) + (1 - part) * amount,
}


def outline_inks(shadows: str, stroke: str, stroke_colour: str, ink: Colour) -> list[Colour | None]:
    """The colours around letters: of their shadows and of the line along their edges; None for one not known."""
    found = [_shadow_ink(each.strip(), ink) for each in re.split(r",(?![^()]*\))", shadows) if shadows != "none"]
    words = _PARTS.split(stroke.strip())
    if any(pixels(word) for word in words) or not _KEYWORD_WIDTHS.isdisjoint(words):
        colours = [parse_colour(word) for word in (*words, stroke_colour) if is_colour(word) and word != "currentcolor"]
        found.append(colours[-1] if colours else ink)
    return found


def thick_stroke(stroke: str) -> Colour | None:
    """The colour of a line of two pixels and more along the edges of letters: it covers them."""
    words = split_outside(stroke)
    if not any((pixels(word) or 0.0) >= 2 for word in words):
        return None
    return next((colour for colour in map(parse_colour, words) if colour is not None), None)


def _shadow_ink(shadow: str, ink: Colour) -> Colour | None:
    words = _PARTS.split(shadow)
    if any(abs(pixels(word) or 0.0) >= _AWAY for word in words):
        return Colour(0, 0, 0, 0.0)
    colours = [parse_colour(word) for word in words if is_colour(word) and word != "currentcolor"]
    return colours[-1] if colours else ink


def filling_shadow(shadows: str) -> Colour | None:
    """The colour of a shadow that fills its box from the inside, None where there is none."""
    for shadow in re.split(r",(?![^()]*\))", shadows):
        words = _PARTS.split(shadow.strip())
        lengths = [value for value in map(pixels, words) if value is not None]
        if "inset" in words and len(lengths) == 4 and lengths[3] >= _FILLS:
            colours = [colour for colour in map(parse_colour, words) if colour is not None]
            return colours[0] if colours and colours[0].alpha > 0.5 else None
    return None
