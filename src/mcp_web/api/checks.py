"""Checks of what a program passes: types are not enforced at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_web.errors import InvalidInput


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise InvalidInput if the value is not one of the choices."""
    if value not in choices:
        raise InvalidInput(f"{name} is {value!r}, but it must be one of: {', '.join(choices)}.", parameter=name)


def check_least(name: str, value: Any, least: int) -> None:
    """Raise InvalidInput if the value is less than `least`."""
    if value < least:
        raise InvalidInput(f"{name} is {value!r}, but it must be at least {least}.", parameter=name)


def check_text(name: str, value: str) -> None:
    """Raise InvalidInput if the value is blank."""
    if not value.strip():
        raise InvalidInput(f"{name} is empty.", parameter=name)


def as_tuple(values: str | Sequence[str]) -> tuple[str, ...]:
    """The values as a tuple; a text, which Python takes for a sequence of letters, is one value."""
    return (values,) if isinstance(values, str) else tuple(values)
