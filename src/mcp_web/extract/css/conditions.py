"""Conditions of style sheets: `@media`, `@supports`, `@container` and `if()` on a desktop screen of 1280 × 720."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from mcp_web.extract.css.declarations import is_read, parse_declarations
from mcp_web.extract.css.effort import TooComplex
from mcp_web.extract.css.lengths import pixels
from mcp_web.extract.css.selectors import is_selector
from mcp_web.extract.css.syntax import split_outside

_SCREEN = {
    "width": 1280.0, "height": 720.0, "device-width": 1280.0, "device-height": 720.0, "inline-size": 1280.0,
    "block-size": 720.0, "aspect-ratio": 16 / 9, "device-aspect-ratio": 16 / 9, "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
}  # fmt: skip
_FEATURES = {
    "orientation": "landscape", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference", "prefers-reduced-transparency": "no-preference", "hover": "hover",
    "any-hover": "hover", "pointer": "fine", "any-pointer": "fine", "scripting": "enabled", "display-mode": "browser",
    "forced-colors": "none", "inverted-colors": "none", "update": "fast", "overflow-block": "scroll",
    "overflow-inline": "scroll", "dynamic-range": "standard", "video-dynamic-range": "standard", "color-gamut": "srgb",
    "prefers-reduced-data": "no-preference", "scan": "progressive", "environment-blending": "opaque",
}  # fmt: skip
_RATIOS = ("resolution", "pixel-ratio", "aspect-ratio", "color", "grid", "transform-3d")
_NEVER = ("monochrome", "grid", "color-index")
_DENSITY = re.compile(r"(\d+\.?\d*|\.\d+)(dppx|dpi|dpcm|x)")
_DENSITIES = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_COMPARED = re.compile(r"(.*?)(<=|>=|<|>|=)(.*)\Z")
_DEEPEST = 50
_TESTED = re.compile(r"(style|media|supports)\((.*)\)\Z", re.S)
_CONTAINER_NAME = re.compile(r"\A(?!not\b)[\w-]+\s+(?=not\b|style\(|\()")
_KNOWN_KIND = re.compile(
    r"at-rule\(@(?:container|counter-style|font-face|font-feature-values|font-palette-values|function|import|keyframes"
    r"|layer|media|namespace|page|position-try|property|scope|starting-style|supports|view-transition)\)"
    r"|font-format\((?:collection|opentype|truetype|woff2?)\)"
    r"|font-tech\((?:color-colrv[01]|color-sbix|color-cbdt|features-(?:opentype|aat)|palettes|variations|incremental)\)"
)
_SIGNS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq}

Test = Callable[[str], bool]


def media_holds(query: str) -> bool:
    """Whether one of a comma-separated list of media queries is true on a desktop screen; True for an empty list."""
    query = query.strip().lower()
    return not query or any(_one_query(each) for each in split_outside(query, ","))


def container_holds(condition: str, containers: frozenset[str]) -> bool:
    """Whether a container query is true for a container as wide as the screen; False for `style()` queries.

    `containers` are the names and types of containers that the sheets declare: False if the query fits none of them.
    """
    name, _, features = condition.strip().partition("(")
    name = name.replace("not", "").strip()
    if "style(" in condition or containers.isdisjoint(("size", "inline-size")) or (name and name not in containers):
        return False
    return _holds(condition[condition.find("not (") :] if "not (" in condition else f"({features}", _feature, 0)


def holds_for(condition: str, variable: Callable[[str], str]) -> bool:
    """Whether the condition of an `if()` or of a `@container` with `style()` is true for an element.

    `variable` returns the value of a variable; "" if it has none.
    """

    def is_style(text: str) -> bool:
        name, colon, value = (part.strip() for part in text.partition(":"))
        if colon:
            return variable(name) == value
        return _compared(text, variable) if _COMPARED.match(text) else bool(variable(name))

    def test(text: str) -> bool:
        found = _TESTED.match(text)
        if found is None:
            return _feature(text)
        leaf = {"style": is_style, "media": _medium, "supports": _supported}[found[1]]
        return _holds(f"({found[2]})", leaf, 0)

    return _holds(_CONTAINER_NAME.sub("", condition.strip()), test, 0)


def supports_holds(condition: str) -> bool:
    """Whether browsers support what the condition of an `@supports` names."""
    return _holds(condition.strip().lower(), _supported, 0)


def _one_query(query: str) -> bool:
    query = query.strip()
    found = re.match(r"(not\s+|only\s+)?([a-z-]+)(?:\s+and\s+(.*))?\Z", query, re.S)
    if found is None or query.startswith("not ("):
        return _holds(query, _feature, 0)
    shown = found[2] in ("all", "screen") and (not found[3] or _holds(found[3], _feature, 0))
    return shown != (found[1] or "").startswith("not")


def _holds(condition: str, test: Test, depth: int) -> bool:
    """Whether a condition of `and`, `or`, `not` and parentheses is true; `test` returns whether a part without them is.
    Raises TooComplex if it is nested too deep."""
    condition = condition.strip()
    if depth > _DEEPEST:
        raise TooComplex
    for word, join in ((" or ", any), (" and ", all)):
        parts = split_outside(condition, word)
        if len(parts) > 1:
            return join(_holds(part, test, depth + 1) for part in parts)
    if condition.startswith("not") and condition[3:4] in (" ", "("):
        return not _holds(condition[3:], test, depth + 1)
    if condition.startswith("(") and condition.endswith(")"):
        inner = condition[1:-1].strip()
        return _holds(inner, test, depth + 1) if inner.startswith(("(", "not ", "not(")) else test(inner)
    return test(condition)


def _feature(text: str) -> bool:
    """Whether a media feature such as `min-width: 40em` or `400px <= width < 900px` is true; False if it is unknown."""
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon:
        return _compared(text) if _COMPARED.match(text) else _is_on(name)
    name = name.replace("-webkit-min-", "min--webkit-").replace("-webkit-max-", "max--webkit-")
    if name[:4] in ("min-", "max-") and name[4:] in _SCREEN:
        asked, own = _pixels(value), _SCREEN[name[4:]]
        return asked is not None and (own >= asked if name[:4] == "min-" else own <= asked)
    if name in _SCREEN:
        return _pixels(value) == _SCREEN[name]
    if name in _FEATURES:
        return _FEATURES[name] == value
    return any(part in name for part in _RATIOS) and name not in _NEVER


def _medium(text: str) -> bool:
    """Whether a text is "all", "screen", or a media feature that is true."""
    return text in ("all", "screen") or _feature(text)


def _is_on(name: str) -> bool:
    if name in _FEATURES:
        return _FEATURES[name] not in ("none", "no-preference")
    return name in _SCREEN or (any(part in name for part in _RATIOS) and name not in _NEVER)


def _compared(text: str, variable: Callable[[str], str] | None = None) -> bool:
    """Whether every comparison in a range such as `400px <= width < 900px` is true. `variable` returns the value of a
    name that begins with "--"."""
    parts = re.split(r"(<=|>=|<|>|=)", text.replace(" ", ""))
    words = [variable(part) if variable and part[:2] == "--" else part for part in parts[::2]]
    values = [_SCREEN.get(word, _pixels(word)) for word in words]
    return all(
        left is not None and right is not None and _SIGNS[sign](left, right)
        for left, sign, right in zip(values, parts[1::2], values[1:], strict=False)
    )


def _pixels(value: str) -> float | None:
    ratio = re.fullmatch(r"(\d{1,5})\s*/\s*(\d{1,5})", value.strip())
    if ratio is not None:
        return int(ratio[1]) / max(1, int(ratio[2]))
    found = _DENSITY.fullmatch(value.strip())
    return float(found[1]) * _DENSITIES[found[2]] if found else pixels(value)


def _supported(text: str) -> bool:
    """Whether browsers support what a part of an `@supports` condition names. That is a declaration, a selector
    (`selector(…)`), an at-rule (`at-rule(…)`) or a kind of font."""
    if text.startswith("selector(") and text.endswith(")"):
        return is_selector(text[9:-1])
    name, colon, _ = text.partition(":")
    name = name.strip()
    if not colon:
        return _KNOWN_KIND.match(text) is not None
    if name[:2] == "--" or not is_read(name):
        return name[:2] == "--" or name in _properties()
    return bool(parse_declarations(text).plain)


@cache
def _properties() -> frozenset[str]:
    """The properties that Chromium knows."""
    return frozenset(files(__package__).joinpath("properties.txt").read_text(encoding="ascii").split())
