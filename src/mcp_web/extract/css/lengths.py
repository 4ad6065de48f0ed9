"""Lengths and numbers of style sheets, on a desktop screen of 1280 × 720. Functions such as `calc()` are computed."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

_UNITS = {
    "px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "ic": 16.0, "lh": 20.0, "rlh": 20.0, "cap": 11.0,
    "pt": 4 / 3, "pc": 16.0, "cm": 37.8, "mm": 3.78, "q": 0.945, "in": 96.0,
}  # fmt: skip
_UNITS |= {f"{kind}{unit}": size for kind in ("", "s", "l", "d", "cq") for unit, size in
           (("vw", 12.8), ("vh", 7.2), ("vi", 12.8), ("vb", 7.2), ("vmin", 7.2), ("vmax", 12.8))}  # fmt: skip
_UNITS |= {"cqw": 12.8, "cqh": 7.2, "cqi": 12.8, "cqb": 7.2, "cqmin": 7.2, "cqmax": 12.8}
_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([a-z]+|%)?|([a-z]+[a-z0-9-]*)?(\()|([-+*/(),])|(infinity|nan|pi|e|up|down|nearest|to-zero)\b)"
)
# How strong each operation binds, and what it computes.
_OPERATIONS: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "+": (1, operator.add), "-": (1, operator.sub), "*": (2, operator.mul), "/": (2, operator.truediv),
}  # fmt: skip
_ANGLES = {"deg": 1.0, "turn": 360.0, "grad": 0.9, "rad": 180 / math.pi}
_NAMED = {"pi": math.pi, "e": math.e, "infinity": math.inf, "nan": 0.0}
_STRATEGIES = frozenset(("up", "down", "nearest", "to-zero"))
_KEYWORDS = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}


class _Unknown(Exception):
    """Raised for a value that is not valid, or depends on something that is not known here."""


@lru_cache(maxsize=4096)
def pixels(value: str, em: float = 16.0, whole: float | None = None) -> float | None:
    """A length in pixels, or a number as it is; None if it is neither, or depends on what is not known. `em` and
    `whole` are what 1em and 100 % are in pixels; without `whole` a percentage is not known, except 0 %."""
    value = value.strip()
    if value in _KEYWORDS:
        return _KEYWORDS[value]
    if value.startswith("calc-size("):  # `size` is what the content needs
        value = f"({value.partition(',')[2].replace('size', '100px')}"
    try:
        return _Reader(value, em, whole).result()
    except (_Unknown, ZeroDivisionError, OverflowError, IndexError, RecursionError):
        return None


def length(style: Mapping[str, str], name: str, whole: float | None = None) -> float | None:
    """The length that a style gives a property, in pixels; None if it gives none, or one that is not known. `whole` is
    what 100 % is in pixels."""
    value = style.get(name)
    return pixels(value, 16.0, whole) if value is not None else None


@lru_cache(maxsize=4096)
def fraction(value: str) -> float | None:
    """A number or percentage as a number: "50%" is 0.5; None for other text."""
    return pixels(value, 16.0, 1.0)


def angle(value: str) -> float | None:
    """A CSS angle, or a number without a unit, in degrees; None if it is not valid."""
    found = re.fullmatch(r"([-+]?(?:\d+\.?\d*|\.\d+))(deg|turn|grad|rad)?", value.strip())
    return float(found[1]) * _ANGLES[found[2] or "deg"] if found else None


class _Reader:
    """Evaluates a CSS value with sums, products, brackets and functions such as `min()`: `result` returns pixels. For a
    value that is not valid or not known it raises one of the errors that `pixels` catches."""

    def __init__(self, text: str, em: float, whole: float | None) -> None:
        self._em, self._whole = em, whole
        self._tokens: list[tuple[str, float]] = []
        self._at = 0
        at, text = 0, text.lower().strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.end() == at:
                raise _Unknown
            self._tokens.append(self._token(found))
            at = found.end()

    def _token(self, found: re.Match[str]) -> tuple[str, float]:
        if found[1] is not None:
            return "number", self._length(float(found[1]), found[2])
        if found[4]:
            return f"{found[3] or ''}(", 0.0
        if found[6]:
            return (found[6], 0.0) if found[6] in _STRATEGIES else ("number", _NAMED[found[6]])
        return found[5], 0.0

    def _length(self, number: float, unit: str | None) -> float:
        if unit is None:
            return number
        if unit == "%":
            if number and self._whole is None:
                raise _Unknown
            return number / 100 * (self._whole or 0.0)
        if unit in _ANGLES:
            return math.radians(number * _ANGLES[unit])
        if unit not in _UNITS:
            raise _Unknown
        return number * (self._em if unit == "em" else _UNITS[unit])

    def result(self) -> float:
        value = self._sum()
        if self._at != len(self._tokens):
            raise _Unknown
        return 0.0 if math.isnan(value) else value

    def _next(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _sum(self, strength: int = 0) -> float:
        """Reads on, up to an operation that does not bind stronger than `strength`, and returns the value."""
        value = self._one()
        while (sign := self._next()) in _OPERATIONS and _OPERATIONS[sign][0] > strength:
            self._at += 1
            own, compute = _OPERATIONS[sign]
            value = compute(value, self._sum(own))
        return value

    def _one(self) -> float:
        kind, number = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return number
        if kind in ("-", "+"):
            return self._one() * (-1 if kind == "-" else 1)
        if kind in _FUNCTIONS:
            return self._called(kind)
        raise _Unknown

    def _called(self, kind: str) -> float:
        strategy = "nearest"
        if self._next() in _STRATEGIES:
            strategy = self._next()
            self._at += 2  # skips the comma too
        values = [self._sum()]
        while self._next() == ",":
            self._at += 1
            values.append(self._sum())
        if self._next() != ")":
            raise _Unknown
        self._at += 1
        try:
            return _rounded(strategy, *values) if kind == "round(" else _FUNCTIONS[kind](*values)
        except (TypeError, ValueError) as error:
            raise _Unknown from error


def _rounded(strategy: str, value: float, step: float = 1.0) -> float:
    parts = value / step
    if strategy == "up":
        return math.ceil(parts) * step
    if strategy == "down":
        return math.floor(parts) * step
    return math.trunc(parts) * step if strategy == "to-zero" else math.floor(parts + 0.5) * step


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "(": float, "calc(": float, "round(": float, "abs(": abs, "sign(": lambda value: float((value > 0) - (value < 0)),
    "min(": lambda *values: min(values), "max(": lambda *values: max(values),
    "clamp(": lambda least, value, most: max(least, min(value, most)),
    "sin(": math.sin, "cos(": math.cos, "tan(": math.tan, "sqrt(": math.sqrt, "pow(": math.pow, "exp(": math.exp,
    "progress(": lambda value, start, end: (value - start) / (end - start),
    "log(": math.log, "hypot(": math.hypot, "mod(": lambda value, step: value % step, "rem(": math.fmod,
}  # fmt: skip
