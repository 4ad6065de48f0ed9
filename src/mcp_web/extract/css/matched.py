"""Which elements of a page its rules match. For most rules few elements are tested: those with a name they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.selectors import (
    index_keys,
    matches,
    may_match,
    required_names,
    select_any,
    split_selectors,
    usable,
)  # fmt: skip

if TYPE_CHECKING:
    from turbohtml import Element, Node

_NAMES = frozenset(".#")
_FEW_NAMES = 100  # so many are looked for at once faster than all elements with a name are looked at
_FEW_AROUND = 8  # elements that are searched one by one instead of the tree: they may lie inside each other


class Matched:
    """What some rules match in one tree, each looked for when it is asked for."""

    def __init__(self, tree: Node, rules: Rules, places: Iterable[int], names: frozenset[str]) -> None:
        """`places` are those of the rules, `names` the classes and ids of the page as selectors ask for them."""
        self._tree = tree
        self._selectors: dict[int, list[str]] = {}
        for at in places:
            found = split_selectors(usable(rules.selectors[at])) if "::" not in rules.selectors[at] else []
            # A rule with one selector is known to match perhaps: else it would not be among the rules.
            self._selectors[at] = [each for each in found if len(found) == 1 or may_match(each, names)]
        every = {selector for found in self._selectors.values() for selector in found}
        self._keys = {selector: index_keys(selector) for selector in every}
        unnamed = [selector for selector, keys in self._keys.items() if not _is_named(keys)]
        self._around = {selector: _name_around(selector) for selector in unnamed}
        asked = {key.lower() for keys in self._keys.values() if _is_named(keys) for key in keys}
        self._named = _with_names(tree, asked.union(filter(None, self._around.values())))
        self._found: dict[str, list[Element]] = {}

    def by_rules(self, places: Iterable[int]) -> list[Element]:
        """The elements that any of the rules matches."""
        selectors = dict.fromkeys([selector for at in places for selector in self._selectors[at]])
        return list(dict.fromkeys([element for selector in selectors for element in self._by_selector(selector)]))

    def _by_selector(self, selector: str) -> list[Element]:
        found = self._found.get(selector)
        if found is None:
            found = self._found[selector] = list(self._search(selector))
        return found

    def _search(self, selector: str) -> Iterator[Element]:
        keys, around = self._keys[selector], self._around.get(selector)
        if _is_named(keys):
            near = (element for key in keys for element in self._named[key.lower()])
            yield from (element for element in near if matches(element, selector))
        elif around is not None and len(self._named[around]) <= _FEW_AROUND:
            for element in self._named[around]:
                yield from select_any(element, [selector])
        else:
            yield from select_any(self._tree, [selector])


def _is_named(keys: set[str]) -> bool:
    """Whether all that a selector with these keys matches has a name."""
    return _NAMES.issuperset(key[0] for key in keys)


def _name_around(selector: str) -> str | None:
    """A class or id that something around all that the selector matches must have; the longest is likely the rarest."""
    return max(required_names(selector), key=len, default=None)


def _with_names(tree: Node, names: set[str]) -> dict[str, list[Element]]:
    """The elements with each of the names, in any case of their letters."""
    found: dict[str, list[Element]] = {name: [] for name in names}
    for element in select_any(tree, list(map(_as_selector, names)) if len(names) < _FEW_NAMES else ["[class],[id]"]):
        own = [f".{name}" for name in (element.attr("class") or "").lower().split()]
        for name in (f"#{(element.attr('id') or '').lower()}", *own):
            if name in found:
                found[name].append(element)
    return found


def _as_selector(name: str) -> str:
    text = name[1:].replace("\\", "\\\\").replace('"', '\\"')
    return f'[class~="{text}" i]' if name[0] == "." else f'[id="{text}" i]'
