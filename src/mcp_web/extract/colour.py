"""Colours as pages write them."""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass
from functools import lru_cache

_NAMES = {
    "white": "ffffff", "black": "000000", "red": "ff0000", "lime": "00ff00", "green": "008000", "blue": "0000ff",
    "yellow": "ffff00", "gray": "808080", "grey": "808080", "silver": "c0c0c0", "snow": "fffafa", "ivory": "fffff0",
    "ghostwhite": "f8f8ff", "whitesmoke": "f5f5f5", "floralwhite": "fffaf0", "azure": "f0ffff", "mintcream": "f5fffa",
    "aliceblue": "f0f8ff", "navy": "000080", "maroon": "800000", "purple": "800080", "teal": "008080",
    "lightgray": "d3d3d3", "lightgrey": "d3d3d3", "gainsboro": "dcdcdc", "orange": "ffa500", "pink": "ffc0cb",
}  # fmt: skip
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Colour:
    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def near(self, other: Colour) -> bool:
        """No eye could tell them apart at text size."""
        return abs(self.red - other.red) + abs(self.green - other.green) + abs(self.blue - other.blue) < 30


@lru_cache(maxsize=2048)
def parse_colour(text: str) -> Colour | None:
    """The colour, or None where the text is none we know."""
    text = text.strip().lower()
    if text == "transparent":
        return Colour(0, 0, 0, 0.0)
    text = _NAMES.get(text, text)
    if text.startswith("#") or re.fullmatch(r"[0-9a-f]{6}", text):
        return _hex(text.lstrip("#"))
    found = _FUNCTION.match(text)
    return _function(found[1], re.split(r"[,/\s]+", found[2].strip())) if found else None


def _hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(char * 2 for char in digits)
    if len(digits) not in (6, 8) or re.fullmatch(r"[0-9a-f]+", digits) is None:
        return None
    parts = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
    return Colour(parts[0], parts[1], parts[2], parts[3] / 255 if len(parts) == 4 else 1.0)


def _function(kind: str, parts: list[str]) -> Colour | None:
    try:
        numbers = [float(part.rstrip("%").removesuffix("deg")) for part in parts if part]
    except ValueError:
        return None
    if len(numbers) < 3:
        return None
    alpha = 1.0
    if len(numbers) > 3:
        alpha = numbers[3] / 100 if parts[3].endswith("%") else numbers[3]
    if kind == "rgb":
        scale = 2.55 if parts[0].endswith("%") else 1.0
        return Colour(numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, alpha)
    red, green, blue = colorsys.hls_to_rgb(numbers[0] / 360, numbers[2] / 100, numbers[1] / 100)
    return Colour(red * 255, green * 255, blue * 255, alpha)
