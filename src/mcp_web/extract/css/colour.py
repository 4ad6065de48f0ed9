"""CSS colours: names, hexadecimal digits and colour functions."""

from __future__ import annotations

import colorsys
import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from mcp_web.extract.css.lengths import pixels, split_outside

_NAMES = {
    "white": "ffffff", "black": "000000", "red": "ff0000", "lime": "00ff00", "green": "008000", "blue": "0000ff",
    "yellow": "ffff00", "gray": "808080", "grey": "808080", "silver": "c0c0c0", "snow": "fffafa", "ivory": "fffff0",
    "ghostwhite": "f8f8ff", "whitesmoke": "f5f5f5", "floralwhite": "fffaf0", "azure": "f0ffff", "mintcream": "f5fffa",
    "aliceblue": "f0f8ff", "navy": "000080", "maroon": "800000", "purple": "800080", "teal": "008080",
    "lightgray": "d3d3d3", "lightgrey": "d3d3d3", "gainsboro": "dcdcdc", "orange": "ffa500", "pink": "ffc0cb",
    "antiquewhite": "faebd7", "aqua": "00ffff", "aquamarine": "7fffd4", "beige": "f5f5dc", "bisque": "ffe4c4",
    "blanchedalmond": "ffebcd", "blueviolet": "8a2be2", "brown": "a52a2a", "burlywood": "deb887", "cadetblue": "5f9ea0",
    "chartreuse": "7fff00", "chocolate": "d2691e", "coral": "ff7f50", "cornflowerblue": "6495ed", "cornsilk": "fff8dc",
    "crimson": "dc143c", "cyan": "00ffff", "darkblue": "00008b", "darkcyan": "008b8b", "darkgoldenrod": "b8860b",
    "darkgray": "a9a9a9", "darkgrey": "a9a9a9", "darkgreen": "006400", "darkkhaki": "bdb76b", "darkmagenta": "8b008b",
    "darkolivegreen": "556b2f", "darkorange": "ff8c00", "darkorchid": "9932cc", "darkred": "8b0000",
    "darksalmon": "e9967a", "darkseagreen": "8fbc8f", "darkslateblue": "483d8b", "darkslategray": "2f4f4f",
    "darkslategrey": "2f4f4f", "darkturquoise": "00ced1", "darkviolet": "9400d3", "deeppink": "ff1493",
    "deepskyblue": "00bfff", "dimgray": "696969", "dimgrey": "696969", "dodgerblue": "1e90ff", "firebrick": "b22222",
    "forestgreen": "228b22", "fuchsia": "ff00ff", "gold": "ffd700", "goldenrod": "daa520", "greenyellow": "adff2f",
    "honeydew": "f0fff0", "hotpink": "ff69b4", "indianred": "cd5c5c", "indigo": "4b0082", "khaki": "f0e68c",
    "lavender": "e6e6fa", "lavenderblush": "fff0f5", "lawngreen": "7cfc00", "lemonchiffon": "fffacd",
    "lightblue": "add8e6", "lightcoral": "f08080", "lightcyan": "e0ffff", "lightgoldenrodyellow": "fafad2",
    "lightgreen": "90ee90", "lightpink": "ffb6c1", "lightsalmon": "ffa07a", "lightseagreen": "20b2aa",
    "lightskyblue": "87cefa", "lightslategray": "778899", "lightslategrey": "778899", "lightsteelblue": "b0c4de",
    "lightyellow": "ffffe0", "limegreen": "32cd32", "linen": "faf0e6", "magenta": "ff00ff",
    "mediumaquamarine": "66cdaa", "mediumblue": "0000cd", "mediumorchid": "ba55d3", "mediumpurple": "9370db",
    "mediumseagreen": "3cb371", "mediumslateblue": "7b68ee", "mediumspringgreen": "00fa9a",
    "mediumturquoise": "48d1cc", "mediumvioletred": "c71585", "midnightblue": "191970", "mistyrose": "ffe4e1",
    "moccasin": "ffe4b5", "navajowhite": "ffdead", "oldlace": "fdf5e6", "olive": "808000", "olivedrab": "6b8e23",
    "orangered": "ff4500", "orchid": "da70d6", "palegoldenrod": "eee8aa", "palegreen": "98fb98",
    "paleturquoise": "afeeee", "palevioletred": "db7093", "papayawhip": "ffefd5", "peachpuff": "ffdab9",
    "peru": "cd853f", "plum": "dda0dd", "powderblue": "b0e0e6", "rebeccapurple": "663399", "rosybrown": "bc8f8f",
    "royalblue": "4169e1", "saddlebrown": "8b4513", "salmon": "fa8072", "sandybrown": "f4a460", "seagreen": "2e8b57",
    "seashell": "fff5ee", "sienna": "a0522d", "skyblue": "87ceeb", "slateblue": "6a5acd", "slategray": "708090",
    "slategrey": "708090", "springgreen": "00ff7f", "steelblue": "4682b4", "tan": "d2b48c", "thistle": "d8bfd8",
    "tomato": "ff6347", "turquoise": "40e0d0", "violet": "ee82ee", "wheat": "f5deb3", "yellowgreen": "9acd32",
    "canvas": "ffffff", "canvastext": "000000",
}  # fmt: skip
_OTHERS = frozenset(("currentcolor", "transparent", "inherit", "linktext", "visitedtext", "buttontext", "buttonface"))
_FUNCTION = re.compile(r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\((.*)\)\Z", re.S)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|deg|turn|rad|grad)?\Z")
_TURNS = {"turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_LITERAL = re.compile(
    r"#[0-9a-f]{3,8}|(?:rgba?|hsla?|hwb|(?:ok)?lab|(?:ok)?lch|color)\((?:[^()]|\([^()]*\))*\)|[a-z]{3,}"
)
_SEPARATOR = re.compile(r"[,/\s]+(?![^()]*\))")
_DEEPEST = 4
_TRANSPARENT = 0.06
_PLAIN_SPACES = ("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")
# A relative colour: `from` another colour, then its parts, each named or replaced by a value.
_RELATIVE = re.compile(r"(\w+)\(from (.+) ([\w.%-]+) ([\w.%-]+) ([\w.%-]+?)\s*(?:/\s*([\w.%]+)\s*)?\)\Z")
_PARTS = {"rgb": "rgb", "hsl": "hsl", "hwb": "hwb", "lab": "lab", "lch": "lch", "oklab": "lab", "oklch": "lch"}


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in sRGB: red, green and blue from 0 to 255, alpha from 0 (transparent) to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def near(self, other: Colour) -> bool:
        """Whether the two colours look the same at text size."""
        return abs(self.red - other.red) + abs(self.green - other.green) + abs(self.blue - other.blue) < 30

    def over(self, other: Colour) -> Colour:
        """This colour painted over another, opaque one."""
        own = self.alpha
        pairs = ((self.red, other.red), (self.green, other.green), (self.blue, other.blue))
        red, green, blue = (mine * own + below * (1 - own) for mine, below in pairs)
        return Colour(red, green, blue)

    def is_invisible_on(self, background: Colour) -> bool:
        """Whether text of this colour cannot be seen on the background: `over`, then `near`."""
        apart = abs(self.red - background.red) + abs(self.green - background.green) + abs(self.blue - background.blue)
        return apart * self.alpha < 30


def colours_in(text: str) -> list[Colour | None]:
    """Every colour in a value without spaces; None for a colour that cannot be computed without its spaces."""
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
    relative = _RELATIVE.match(text)
    if relative is not None:
        return _relative_colour(relative, depth)
    if found[1] in ("color-mix", "light-dark"):
        return _mixed(found[1], found[2], depth)
    return _function(found[1].removesuffix("a"), _SEPARATOR.split(found[2].strip()))


def _relative_colour(found: re.Match[str], depth: int) -> Colour | None:
    """A relative colour: `rgb(from …)` or `hsl(from …)`, whose parts are those of another colour or given.

    None if the other colour or a part cannot be computed.
    """
    kind = found[1].removesuffix("a") if found[1] in ("rgba", "hsla") else found[1]
    origin, names, parts = parse_colour(found[2], depth + 1), _PARTS.get(kind), [found[3], found[4], found[5]]
    alpha = _numbers([found[6]] * 3, (1.0,) * 3) if found[6] and found[6] != "alpha" else None
    if origin is None and alpha and alpha[0] < _TRANSPARENT:
        return Colour(0, 0, 0, alpha[0])  # transparent, whatever the colour is
    if origin is None or names is None:
        return None
    own = _channels(origin, kind)
    if own is not None:
        parts = [str(own[names.index(part)]) if part in names else part for part in parts]
        colour = _function(kind, parts)
    else:
        colour = origin if parts == list(names) else _function(kind, parts)
    share = alpha[0] if alpha else origin.alpha
    return replace(colour, alpha=min(1.0, max(0.0, share))) if colour is not None else None


def _channels(colour: Colour, kind: str) -> tuple[float, float, float] | None:
    """The parts of a colour as the function `kind` takes them; None for functions other than "rgb" and "hsl".

    For "rgb" red, green and blue from 0 to 255; for "hsl" the hue in degrees, saturation and lightness in percent.
    """
    if kind == "rgb":
        return colour.red, colour.green, colour.blue
    if kind != "hsl":
        return None

    hue, lightness, saturation = colorsys.rgb_to_hls(colour.red / 255, colour.green / 255, colour.blue / 255)
    return 360 * hue, 100 * saturation, 100 * lightness


def _hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(char * 2 for char in digits)
    if len(digits) not in (6, 8) or re.fullmatch(r"[0-9a-f]+", digits) is None:
        return None
    parts = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
    return Colour(parts[0], parts[1], parts[2], parts[3] / 255 if len(parts) == 4 else 1.0)


def _mixed(kind: str, text: str, depth: int) -> Colour | None:
    parts = split_outside(text, ",")
    if kind == "light-dark":
        return parse_colour(parts[0], depth + 1)
    if len(parts) != 3:
        return None
    shares: list[float | None] = []
    colours: list[Colour] = []
    for part in parts[1:]:
        share = re.search(r"(?<![\w.(])([\d.]+)%", re.sub(r"\([^()]*\)", "", part))
        colour = parse_colour(re.sub(r"\s*(?<![\w.(])[\d.]+%\s*(?![^()]*\))", "", part), depth + 1)
        if colour is None:
            return None
        shares.append(float(share[1]) / 100 if share else None)
        colours.append(colour)
    first = shares[0] if shares[0] is not None else 1 - shares[1] if shares[1] is not None else 0.5
    one, two = colours
    mixed = (first * a + (1 - first) * b for a, b in ((one.red, two.red), (one.green, two.green), (one.blue, two.blue)))
    red, green, blue = mixed
    return Colour(red, green, blue, first * one.alpha + (1 - first) * two.alpha)


def _numbers(parts: list[str], scales: tuple[float, ...]) -> list[float] | None:
    """The values as numbers: percentages of each scale, angles in degrees; None unless three or more, all valid."""
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
    return found if len(found) >= 3 else None


def _function(kind: str, parts: list[str]) -> Colour | None:
    if kind == "color":
        space, *parts = parts
        if space.startswith("xyz"):
            values = _numbers(parts, (1.0, 1.0, 1.0))
            return _rgb(_of_xyz(*values[:3]), values[3:]) if values else None
        values = _numbers(parts, (1.0, 1.0, 1.0)) if space in _PLAIN_SPACES else None
        return _rgb([value * 255 for value in values[:3]], values[3:]) if values else None
    scales = {
        "rgb": (255.0, 255.0, 255.0), "hsl": (360.0, 100.0, 100.0), "hwb": (360.0, 100.0, 100.0),
        "lab": (100.0, 125.0, 125.0), "lch": (100.0, 150.0, 360.0), "oklab": (1.0, 0.4, 0.4),
        "oklch": (1.0, 0.4, 360.0),
    }[kind]  # fmt: skip
    values = _numbers(parts, scales)
    if values is None:
        return None
    return _rgb(_SPACES[kind](values[0], values[1], values[2]), values[3:])


def _rgb(values: list[float], alpha: list[float]) -> Colour:
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
    xyz = [
        white * (part**3 if part > 6 / 29 else (part - 16 / 116) * 3 * (6 / 29) ** 2)
        for white, part in zip((0.9505, 1.0, 1.089), (middle + a / 500, middle, middle - b / 200), strict=True)
    ]
    return _of_xyz(*xyz)


def _of_xyz(x: float, y: float, z: float) -> list[float]:
    return _gamma(
        (
            3.2406 * x - 1.5372 * y - 0.4986 * z,
            -0.9689 * x + 1.8758 * y + 0.0415 * z,
            0.0557 * x - 0.204 * y + 1.057 * z,
        )
    )


def _oklab(lightness: float, a: float, b: float) -> list[float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
    return _gamma(
        (
            4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
        )
    )


def _gamma(linear: tuple[float, float, float]) -> list[float]:
    parts = (max(0.0, part) for part in linear)
    return [255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055) for part in parts]


def _lch(lightness: float, chroma: float, hue: float) -> list[float]:
    return _lab(lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))


def _oklch(lightness: float, chroma: float, hue: float) -> list[float]:
    return _oklab(lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))


_SPACES = {
    "rgb": lambda red, green, blue: [red, green, blue], "hsl": _hsl, "hwb": _hwb, "lab": _lab, "lch": _lch,
    "oklab": _oklab, "oklch": _oklch,
}  # fmt: skip
