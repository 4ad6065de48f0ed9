"""CSS colours: names, hexadecimal digits and colour functions."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from mcp_web.extract.css.lengths import pixels
from mcp_web.extract.css.syntax import split_outside

_WORDS = files(__package__).joinpath("colours.txt").read_text(encoding="ascii").split()
_NAMES = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))  # name → hexadecimal digits
_OTHERS = frozenset(("currentcolor", "transparent", "inherit", "linktext", "visitedtext", "buttontext", "buttonface"))
_FUNCTION = re.compile(
    r"(rgba?|hsla?|hwb|(?:ok)?lab|(?:ok)?lch|color(?:-mix)?|contrast-color|light-dark)\((.*)\)\Z", re.S
)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|deg|turn|rad|grad)?\Z")
_TURNS = {"turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_LITERAL = re.compile(
    r"#[0-9a-f]{3,8}|(?:rgba?|hsla?|hwb|(?:ok)?lab|(?:ok)?lch|color)\((?:[^()]|\([^()]*\))*\)|[a-z]{3,}"
)
_SEPARATOR = re.compile(r"[,/\s]+(?![^()]*\))")
_DEEPEST = 4
_TRANSPARENT = 0.06
_MOST = 1e6  # a larger part of a colour is not computed: it may be infinite
_PLAIN_SPACES = ("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
_CHANNEL = re.compile(r"\b[a-z]+\b")
_PARTS = {"rgb": "rgb", "hsl": "hsl", "hwb": "hwb", "lab": "lab", "lch": "lch", "oklab": "lab", "oklch": "lch"}


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in sRGB: red, green and blue from 0 to 255, alpha from 0 (transparent) to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def near(self, other: Colour) -> bool:
        """Whether the two colours, without regard to alpha, look the same at text size."""
        return self._apart(other) < 30

    def over(self, other: Colour) -> Colour:
        """The opaque colour that results from painting this one over another, opaque one."""
        own = self.alpha
        return self.combined(other, lambda mine, below: mine * own + below * (1 - own))

    def is_invisible_on(self, background: Colour) -> bool:
        """Whether text of this colour, painted over the opaque background, looks the same as the background."""
        return self._apart(background) * self.alpha < 30

    def combined(self, other: Colour, combine: Callable[[float, float], float]) -> Colour:
        """The opaque colour whose red is `combine(self.red, other.red)`, and its green and blue likewise."""
        return Colour(combine(self.red, other.red), combine(self.green, other.green), combine(self.blue, other.blue))

    def _apart(self, other: Colour) -> float:
        return abs(self.red - other.red) + abs(self.green - other.green) + abs(self.blue - other.blue)


def colours_in(text: str) -> list[Colour | None]:
    """Every colour that a CSS value may contain, after its spaces were removed; None for one that is not known. Digits
    after "#" are read as a colour in every length that is possible."""
    if text[:1] == "#" and (only := parse_colour(text)) is not None:
        return [only]
    found: list[Colour | None] = []
    for literal in _LITERAL.findall(text):
        if literal[0] == "#":
            found.extend(_hex(literal[1 : 1 + digits]) for digits in (3, 4, 6, 8) if digits < len(literal))
        elif literal[-1] == ")" or literal in ("currentcolor", "transparent"):
            found.append(parse_colour(literal))
        else:
            name = next((literal[:end] for end in range(len(literal), 2, -1) if literal[:end] in _NAMES), None)
            found.extend([_hex(_NAMES[name])] if name else [])
    return found


def is_colour(text: str) -> bool:
    """Whether a browser accepts the text as a colour, even if `parse_colour` cannot compute it."""
    text = text.strip().lower()
    return text in _OTHERS or _FUNCTION.match(text) is not None or parse_colour(text) is not None


@lru_cache(maxsize=2048)
def parse_colour(text: str, depth: int = 0) -> Colour | None:
    """The colour; None if the text is not a colour or cannot be computed. `depth` counts the functions around it."""
    text = text.strip().lower()
    if text == "transparent":
        return Colour(0, 0, 0, 0.0)
    if text in _NAMES:
        return _hex(_NAMES[text])
    if text.startswith("#"):
        return _hex(text[1:])
    found = _FUNCTION.match(text)
    if found is None or depth > _DEEPEST:
        return None
    if found[2].startswith("from "):
        return _relative_colour(found[1] if found[1] not in ("rgba", "hsla") else found[1][:-1], found[2][5:], depth)
    if found[1] == "color-mix":
        return _mixed(found[2], depth)
    if found[1] == "contrast-color":
        ground = parse_colour(found[2], depth + 1)
        return _contrasting(ground) if ground is not None else None
    if found[1] == "light-dark":
        return None  # it depends on the element
    return _function(found[1].removesuffix("a"), _SEPARATOR.split(found[2].strip()))


def _relative_colour(kind: str, text: str, depth: int) -> Colour | None:
    """A colour such as `rgb(from red r g calc(b * 2) / 50%)`: `kind` is "rgb", `text` is what follows `from`, `depth`
    counts the colours around it.

    None if the colour after `from` or a part cannot be computed.
    """
    base, *parts = split_outside(text.replace("/", " / ")) or [""]
    alpha = _numbers([parts[-1]] * 3, (1.0,) * 3) if parts[-2:-1] == ["/"] and parts[-1] != "alpha" else None
    origin, names = parse_colour(base, depth + 1), _PARTS.get(kind)
    if origin is None and alpha and alpha[0] < _TRANSPARENT:
        return Colour(0, 0, 0, alpha[0])  # transparent, whatever the colour is
    if origin is None or names is None or len(parts) < 3:
        return None
    known = dict(zip(names, map(str, _channels(origin, kind)), strict=True))
    colour = _function(kind, [_CHANNEL.sub(lambda found: known.get(found[0], found[0]), part) for part in parts[:3]])
    share = alpha[0] if alpha else origin.alpha
    return replace(colour, alpha=min(1.0, max(0.0, share))) if colour is not None else None


def _channels(colour: Colour, kind: str) -> list[float]:
    """The parts of a colour, without alpha, in the units of the CSS function `kind`: "hsl" has degrees and per cent."""
    if kind == "rgb":
        return [colour.red, colour.green, colour.blue]
    if kind in ("hsl", "hwb"):
        parts = (colour.red / 255, colour.green / 255, colour.blue / 255)
        hue, lightness, saturation = colorsys.rgb_to_hls(*parts)
        shares = (saturation, lightness) if kind == "hsl" else (min(parts), 1 - max(parts))
        return [360 * hue, 100 * shares[0], 100 * shares[1]]
    lightness, a, b = _oklab_of(colour) if kind.startswith("ok") else _lab_of(colour)
    if kind.endswith("lab"):
        return [lightness, a, b]
    return [lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360]


def _hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(char * 2 for char in digits)
    if len(digits) not in (6, 8) or re.fullmatch(r"[0-9a-f]+", digits) is None:
        return None
    parts = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
    return Colour(parts[0], parts[1], parts[2], parts[3] / 255 if len(parts) == 4 else 1.0)


def _contrasting(ground: Colour) -> Colour:
    """Black or white, whichever has more contrast to the colour `ground`."""
    light = 0.0 if _times(_TO_XYZ, _linear(ground))[1] > 0.179 else 255.0
    return Colour(light, light, light)


def _mixed(text: str, depth: int) -> Colour | None:
    parts = split_outside(text, ",")
    if len(parts) != 3:
        return None
    shares: list[float | None] = []
    colours: list[Colour] = []
    for part in parts[1:]:
        share = re.search(r"(?<![\w.(])(\d+\.?\d*|\.\d+)%", re.sub(r"\([^()]*\)", "", part))
        colour = parse_colour(re.sub(r"\s*(?<![\w.(])[\d.]+%\s*(?![^()]*\))", "", part), depth + 1)
        if colour is None:
            return None
        shares.append(float(share[1]) / 100 if share else None)
        colours.append(colour)
    one, two = colours
    first = shares[0] if shares[0] is not None else 1 - shares[1] if shares[1] is not None else 0.5
    second = shares[1] if shares[1] is not None else 1 - first
    whole = first + second
    if not 0 <= first <= 1 or not 0 <= second <= 1 or not whole:
        return None
    # Of a transparent colour, less is in the mixture: none of its black.
    alpha = (first * one.alpha + second * two.alpha) / whole
    share_of_one = first * one.alpha / whole / alpha if alpha else 0.5
    mixed = one.combined(two, lambda a, b: share_of_one * a + (1 - share_of_one) * b)
    return replace(mixed, alpha=alpha * min(1.0, whole))


def _numbers(parts: list[str], scales: tuple[float, ...]) -> list[float] | None:
    """The parts of a colour function as numbers; None if one is not valid, or if there are fewer than three. A
    percentage becomes a share of the scale with the same index, or of 1; an angle is in degrees."""
    found: list[float] = []
    for at, part in enumerate(part for part in parts if part):
        scale = scales[at] if at < len(scales) else 1.0
        if part.endswith(")") and (computed := pixels(part, 16.0, scale)) is not None:
            found.append(computed)
            continue
        value = _NUMBER.match("0" if part == "none" else part)
        if value is None:
            return None
        number = float(value[1])
        found.append(number / 100 * scale if value[2] == "%" else number * _TURNS.get(value[2] or "", 1.0))
    return [max(-_MOST, min(number, _MOST)) for number in found] if len(found) >= 3 else None


def _function(kind: str, parts: list[str]) -> Colour | None:
    if kind == "color":
        space, *parts = parts
        values = _numbers(parts, (1.0, 1.0, 1.0)) if space in _PLAIN_SPACES or space.startswith("xyz") else None
        if values is None:
            return None
        own = _gamma(_times(_FROM_XYZ, values)) if space.startswith("xyz") else [value * 255 for value in values[:3]]
        return _rgb(own, values[3:])
    values = _numbers(parts, _SCALES[kind])
    if values is None:
        return None
    first, second, third = values[:3]
    if kind.endswith("lch"):
        hue = math.radians(third)
        kind, second, third = kind[:-2] + "ab", second * math.cos(hue), second * math.sin(hue)
    return _rgb(_SPACES[kind](first, second, third), values[3:])


def _rgb(values: Iterable[float], alpha: list[float]) -> Colour:
    red, green, blue = (min(255.0, max(0.0, value)) for value in values)
    return Colour(red, green, blue, min(1.0, max(0.0, alpha[0])) if alpha else 1.0)


def _hsl(hue: float, saturation: float, lightness: float) -> list[float]:
    return [255 * part for part in colorsys.hls_to_rgb(hue / 360 % 1, lightness / 100, saturation / 100)]


def _hwb(hue: float, white: float, black: float) -> list[float]:
    total = max(1.0, (white + black) / 100)
    white, black = white / 100 / total, black / 100 / total
    return [part * (1 - white - black) + white * 255 for part in _hsl(hue, 100, 50)]


def _lab(lightness: float, a: float, b: float) -> list[float]:
    """CIE Lab to red, green and blue (0 to 255); approximate, but good enough to compare colours."""
    middle = (lightness + 16) / 116
    shares = (middle + a / 500, middle, middle - b / 200)
    cubes = [part**3 if part > 6 / 29 else (part - 16 / 116) * 3 * (6 / 29) ** 2 for part in shares]
    return _gamma(_times(_FROM_XYZ, [white * part for white, part in zip(_WHITE, cubes, strict=True)]))


def _lab_of(colour: Colour) -> list[float]:
    shares = [part / white for part, white in zip(_times(_TO_XYZ, _linear(colour)), _WHITE, strict=True)]
    x, y, z = (part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in shares)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def _oklab(lightness: float, a: float, b: float) -> list[float]:
    return _gamma(_times(_FROM_CONES, [part**3 for part in _times(_FROM_OKLAB, (lightness, a, b))]))


def _oklab_of(colour: Colour) -> list[float]:
    return _times(_TO_OKLAB, [part ** (1 / 3) for part in _times(_TO_CONES, _linear(colour))])


def _linear(colour: Colour) -> list[float]:
    """Red, green and blue as linear amounts of light, 0 to 1."""
    shares = (colour.red / 255, colour.green / 255, colour.blue / 255)
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares]


def _gamma(linear: Iterable[float]) -> list[float]:
    """Red, green and blue (0 to 255) from linear amounts of light (0 to 1): the reverse of `_linear`."""
    parts = (max(0.0, part) for part in linear)
    return [255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055) for part in parts]


def _times(matrix: tuple[tuple[float, float, float], ...], values: Sequence[float]) -> list[float]:
    return [a * values[0] + b * values[1] + c * values[2] for a, b, c in matrix]


_SCALES = {
    "rgb": (255.0, 255.0, 255.0), "hsl": (360.0, 100.0, 100.0), "hwb": (360.0, 100.0, 100.0),
    "lab": (100.0, 125.0, 125.0), "lch": (100.0, 150.0, 360.0), "oklab": (1.0, 0.4, 0.4), "oklch": (1.0, 0.4, 360.0),
}  # fmt: skip
_SPACES: dict[str, Callable[[float, float, float], list[float]]] = {
    "rgb": lambda red, green, blue: [red, green, blue], "hsl": _hsl, "hwb": _hwb, "lab": _lab, "oklab": _oklab,
}  # fmt: skip
_WHITE = (0.9505, 1.0, 1.089)
_FROM_XYZ = ((3.2406, -1.5372, -0.4986), (-0.9689, 1.8758, 0.0415), (0.0557, -0.204, 1.057))
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_FROM_OKLAB = ((1, 0.396338, 0.215804), (1, -0.105561, -0.063854), (1, -0.089484, -1.291486))
_FROM_CONES = ((4.076742, -3.307712, 0.23097), (-1.268438, 2.609757, -0.341319), (-0.004196, -0.703419, 1.707615))
_TO_CONES = ((0.412221, 0.536333, 0.051446), (0.211903, 0.6807, 0.107397), (0.088302, 0.281719, 0.629979))
_TO_OKLAB = ((0.210454, 0.793618, -0.004072), (1.977998, -2.428592, 0.450594), (0.025904, 0.782772, -0.808676))
