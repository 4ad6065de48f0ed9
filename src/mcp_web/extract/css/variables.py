"""CSS variables: all values that a variable may have on a page, whichever declaration wins for an element."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mcp_web.extract.css.lengths import closing

_DECLARED = re.compile(r"(?:^|[;{\s])(--[\w-]+)\s*:([^;{}]*)")
_USED = re.compile(r"var\(\s*(--[\w-]+)\s*(,?)")
_MOST_VALUES = 20
_DEEPEST = 4


class _Use(NamedTuple):
    """A `var()` in a value."""

    start: int
    end: int
    name: str
    fallback: str


def _uses(value: str) -> Iterator[_Use]:
    """The `var()` of a value that are not inside others."""
    end = 0
    for found in _USED.finditer(value):
        if found.start() >= end:
            close = closing(value, found.end())
            end = close + 1
            yield _Use(found.start(), end, found[1], value[found.end() : close].strip() if found[2] else "")


def with_variables(value: str, replacement: Callable[[str, str], str]) -> str:
    """The value with each `var()` replaced by what `replacement` returns for its name and its fallback."""
    parts: list[str] = []
    at = 0
    for used in _uses(value):
        parts.extend((value[at : used.start], replacement(used.name, used.fallback)))
        at = used.end
    return "".join((*parts, value[at:]))


class Variables:
    """The variables of one page."""

    def __init__(self, declarations: Iterable[str]) -> None:
        """`declarations` are the texts of style attributes and of the bodies of rules."""
        self._values: dict[str, dict[str, None]] = {}
        self._known: dict[str, list[str]] = {}  # sheets use a few values very often
        for text in declarations:
            for name, value in _DECLARED.findall(text) if "--" in text else ():
                self._values.setdefault(name, {})[" ".join(value.lower().split())] = None

    def possible_values(self, value: str) -> list[str]:
        """The value with its variables replaced, once for each of their possible values.

        The value itself if it has no variables, or more possible values than are tried.
        """
        if "var(" not in value:
            return [value]
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._filled(value, 0)
        return known

    def _filled(self, value: str, depth: int) -> list[str]:
        used = next(_uses(value), None)
        if used is None or depth > _DEEPEST:
            return [value]
        own = self._values.get(used.name) or [used.fallback]
        if len(own) > _MOST_VALUES:
            return [value]
        parts = [f"{value[: used.start]}{each}{value[used.end :]}" for each in own]
        filled = [each for part in parts for each in self._filled(part, depth + 1)]
        return filled if len(filled) <= _MOST_VALUES else [value]


NO_VARIABLES = Variables(())
