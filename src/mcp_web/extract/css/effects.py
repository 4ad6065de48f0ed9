"""The effect of blending, filters and shadows on a colour."""

from __future__ import annotations

import re
from collections.abc import Callable

from mcp_web.extract.css.colour import Colour, is_colour, parse_colour
from mcp_web.extract.css.lengths import fraction, pixels
from mcp_web.extract.css.syntax import split_outside

_CALL = re.compile(r"([a-z-]+)\(([^()]*)\)")
_KEYWORD_WIDTHS = frozenset(("thin", "medium", "thick"))
_AWAY = 1000.0  # pixels; a shadow this far from its text does not make it visible
_FILLS = 50.0  # pixels; an inset shadow of this size fills its box
# Functions of one channel of the text colour and of the background, each 0 to 1.
_BLENDS: dict[str, Callable[[float, float], float]] = {
    "multiply": lambda text, background: text * background,
    "screen": lambda text, background: text + background - text * background,
    "darken": min,
    "lighten": max,
    "difference": lambda text, background: abs(text - background),
    "exclusion": lambda text, background: text + background - 2 * text * background,
    "color-dodge": lambda text, background: min(1.0, background / (1 - text)) if text < 1 else 1.0,
    "color-burn": lambda text, background: (
        1 - min(1.0, (1 - background) / text) if text > 0 else float(background >= 1)
    ),
    "plus-lighter": lambda text, background: min(1.0, text + background),
}


def blended(text: Colour, background: Colour, mode: str) -> Colour | None:
    """The colour of text after it is blended with its background by a `mix-blend-mode`; None for an unknown mode."""
    blend = _BLENDS.get(mode)
    if blend is None:
        return None
    return text.combined(background, lambda above, below: 255 * blend(above / 255, below / 255))


def filtered(colour: Colour, filters: str) -> Colour | None:
    """The colour after the filters brightness, contrast and invert; None if there is one whose effect is not known.
    Opacity, blur and shadows are ignored. `filters` is the value of `filter` or `backdrop-filter`."""
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


def outline_colours(shadows: str, stroke: str, stroke_colour: str, text_colour: Colour) -> list[Colour | None]:
    """The colours around letters: of each text shadow and of the text stroke; None for one that is not known.

    `shadows`, `stroke` and `stroke_colour` are the values of the properties. One that names no colour has that of the
    text; a shadow too far away to show the text is transparent.
    """
    found = [_shadow_colour(each, text_colour) for each in split_outside(shadows, ",") if shadows != "none"]
    words = split_outside(stroke)
    if any(pixels(word) for word in words) or not _KEYWORD_WIDTHS.isdisjoint(words):
        colours = [parse_colour(word) for word in (*words, stroke_colour) if is_colour(word) and word != "currentcolor"]
        found.append(colours[-1] if colours else text_colour)
    return found


def thick_stroke(stroke: str) -> Colour | None:
    """The colour of a text stroke of two pixels or more, which covers the letters. None if the value `stroke` has no
    such width or no known colour."""
    words = split_outside(stroke)
    if not any((pixels(word) or 0.0) >= 2 for word in words):
        return None
    return next((colour for colour in map(parse_colour, words) if colour is not None), None)


def _shadow_colour(shadow: str, text_colour: Colour) -> Colour | None:
    words = split_outside(shadow)
    if any(abs(pixels(word) or 0.0) >= _AWAY for word in words):
        return Colour(0, 0, 0, 0.0)
    colours = [parse_colour(word) for word in words if is_colour(word) and word != "currentcolor"]
    return colours[-1] if colours else text_colour


def filling_shadow(shadows: str) -> Colour | None:
    """The colour of the inset shadow that fills its box, in a value of `box-shadow`. None if there is none, or if it is
    transparent or its colour not known."""
    for shadow in split_outside(shadows, ","):
        words = split_outside(shadow)
        lengths = [value for value in map(pixels, words) if value is not None]
        if "inset" in words and len(lengths) == 4 and lengths[3] >= _FILLS:
            colours = [colour for colour in map(parse_colour, words) if colour is not None]
            return colours[0] if colours and colours[0].alpha > 0.5 else None
    return None
