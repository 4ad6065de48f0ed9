"""Reads JSON from other systems: every field may be absent or of another type than expected."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

JsonObject = dict[str, Any]
_MOST_LEVELS = 100  # far more than any API sends; a function that calls itself for each level may go this deep


def read_json(source: str | bytes, **options: Any) -> Any:
    """The value of a JSON text; what is nested more than 100 levels deep is left out.

    `options` are those of `json.loads`. Raises ValueError if the text is not JSON, or nested too deeply to be parsed.
    """
    try:
        value = json.loads(source, **options)
    except RecursionError as error:
        raise ValueError("It is nested too deeply.") from error
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [item for outer in level for item in _values(outer) if isinstance(item, dict | list)]
    for outer in level:
        outer.clear()
    return value


def _values(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a dict (a JSON object), else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The dicts (JSON objects) in the value if it is a list; else an empty list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def at(value: Any, names: Iterable[str]) -> Any:
    """The value at a path of names in nested objects; None if one is missing."""
    for name in names:
        value = mapping(value).get(name)
    return value


def text(value: Any) -> str:
    """The value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The strings in the value if it is a list; else an empty list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def number(value: Any) -> float:
    """The value if it is a finite number, else zero."""
    try:
        found = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
    except OverflowError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def count(value: Any) -> int | None:
    """A number without its decimals, or a string of digits, as an integer; None if it is invalid or the number 0."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:18])
    return int(number(value)) or None


def seconds(value: Any) -> float | None:
    """The value if it is a number above zero, as seconds; else None."""
    return number(value) if number(value) > 0 else None
