"""Reading JSON that others write: every field may be absent or of another kind than yesterday."""

from __future__ import annotations

from typing import Any


def mapping(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """A string, or nothing."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The strings of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def number(value: Any) -> float:
    """A number, or zero."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
