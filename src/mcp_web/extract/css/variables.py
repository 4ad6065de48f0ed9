"""CSS variables: all values that a variable may have on a page, whichever declaration wins for an element."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DECLARED = re.compile(r"(?:^|[;{\s])(--[\w-]+)\s*:([^;{}]*)")
USED = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*))?\)")
_MOST_VALUES = 20
_DEEPEST = 4


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
        """The value with its variables replaced, once for each of their possible values; itself if it has none."""
        if "var(" not in value:
            return [value]
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._filled(value, 0)
        return known

    def _filled(self, value: str, depth: int) -> list[str]:
        used = USED.search(value)
        if used is None or depth > _DEEPEST:
            return [value]
        own = list(self._values.get(used[1], ()))[:_MOST_VALUES] or [used[2] or ""]
        parts = (f"{value[: used.start()]}{each}{value[used.end() :]}"[:200] for each in own)
        return [filled for part in parts for filled in self._filled(part, depth + 1)][:_MOST_VALUES]


NO_VARIABLES = Variables(())
