"""Functions that stand for a value declared elsewhere: `var()`, `attr()`, `if()`, functions of the page's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mcp_web.extract.css.syntax import calls

_DECLARED = re.compile(r"(?:^|[;{\s])(--[\w-]+)\s*:([^;{}]*)")
_OPEN = re.compile(r"(?<![\w-])(var|attr|if|random|light-dark|sibling-index|sibling-count|--[\w-]+)\(", re.I)
_MOST_VALUES = 20
_DEEPEST = 4


def is_open(value: str) -> bool:
    """Whether a value, in lower case, has a function whose result depends on the element or on other declarations."""
    if "(" not in value:
        return False
    if "var(" in value:
        return True
    marked = "--" in value or "attr(" in value or "if(" in value or "sibling-" in value
    return (marked or "light-dark(" in value or "random(" in value) and _OPEN.search(value) is not None


def substituted(value: str, result: Callable[[str, str], str]) -> str:
    """The value with each function such as `var()` or `attr()` (all that `is_open` looks for) replaced. `result`
    returns what replaces one, for its name in lower case and its arguments."""
    parts: list[str] = []
    at = 0
    for call in calls(value, _OPEN):
        parts.extend((value[at : call.start], result(call.name.lower(), call.argument)))
        at = call.end
    return "".join((*parts, value[at:])) if parts else value


class Variables:
    """The variables of one page: all values that each may have, whichever declaration wins for an element."""

    def __init__(self, declarations: Iterable[str]) -> None:
        """`declarations` are the texts of style attributes and of the bodies of rules."""
        self._values: dict[str, dict[str, None]] = {}
        self._known: dict[str, list[str]] = {}  # sheets use a few values very often
        for text in declarations:
            for name, value in _DECLARED.findall(text) if "--" in text else ():
                self._values.setdefault(name, {})[" ".join(value.lower().split())] = None

    def possible_values(self, value: str) -> list[str]:
        """The value with its variables replaced, once for each of their possible values and fallbacks.

        The functions stay where a result depends on the element, or if there are more possible values than are tried.
        """
        if not is_open(value):
            return [value]
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._filled(value, 0)
        return known

    def _filled(self, value: str, depth: int) -> list[str]:
        used = next(calls(value, _OPEN), None)
        if used is None or used.name != "var" or depth > _DEEPEST:
            return [value]
        name, comma, fallback = used.argument.partition(",")
        own = [*self._values.get(name.strip(), ()), *([fallback.strip()] if comma else ())] or [""]
        if len(own) > _MOST_VALUES:
            return [value]
        parts = [f"{value[: used.start]}{each}{value[used.end :]}" for each in own]
        filled = [each for part in parts for each in self._filled(part, depth + 1)]
        return filled if len(filled) <= _MOST_VALUES else [value]


NO_VARIABLES = Variables(())
