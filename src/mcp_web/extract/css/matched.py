"""Finds the elements that rules match. For most rules only elements with the required class or id are tested."""

from __future__ import annotations

from collections.abc import Iterable

from turbohtml import Element, Node

from mcp_web.extract.css.names import names_of
from mcp_web.extract.css.rules import Rules
from mcp_web.extract.css.search import Search
from mcp_web.extract.css.selectors import (
    index_keys,
    may_match,
    select_any,
    split_selectors,
    to_library_syntax,
)  # fmt: skip

_NAMES = frozenset(".#")
_FEW_NAMES = 100  # up to this number it is faster to search for the names than to visit all elements with a name


class Matched:
    """The elements that some rules match in one tree; each selector is searched for when it is first needed."""

    def __init__(self, tree: Node, search: Search, rules: Rules, places: Iterable[int], names: frozenset[str]) -> None:
        """`places` are the indexes of the rules; `names` are the classes and ids of the page, as ".class" and "#id"."""
        self._search = search
        self._selectors: dict[int, list[str]] = {}
        for at in places:
            found = split_selectors(to_library_syntax(rules.selectors[at])) if "::" not in rules.selectors[at] else []
            # `may_match` was true for the whole rule, so a rule with one selector needs no second test.
            self._selectors[at] = [each for each in found if len(found) == 1 or may_match(each, names)]
        every = {selector for found in self._selectors.values() for selector in found}
        self._keys = {selector: index_keys(selector) for selector in every}
        named = filter(_is_named, self._keys.values())
        self._named = _with_names(tree, {key for keys in named for key in keys})
        self._found: dict[str, list[Element]] = {}

    def by_rules(self, places: Iterable[int]) -> list[Element]:
        """The elements that any of the rules with these indexes matches, each once."""
        selectors = dict.fromkeys([selector for at in places for selector in self._selectors[at]])
        return list(dict.fromkeys([element for selector in selectors for element in self._by_selector(selector)]))

    def _by_selector(self, selector: str) -> list[Element]:
        found = self._found.get(selector)
        if found is None:
            found = self._found[selector] = self._searched(selector)
        return found

    def _searched(self, selector: str) -> list[Element]:
        keys = self._keys[selector]
        if not _is_named(keys):
            return list(self._search.select(selector))
        near = [element for key in keys for element in self._named[key]]
        return [element for element in near if self._search.matches(element, selector)]


def _is_named(keys: set[str]) -> bool:
    """Whether all keys (see `index_keys`) are classes or ids, so that every element that matches has one."""
    return _NAMES.issuperset(key[0] for key in keys)


def _with_names(tree: Node, names: set[str]) -> dict[str, list[Element]]:
    """For each name, such as ".class" or "#id", the elements that have it, ignoring case."""
    found: dict[str, list[Element]] = {name: [] for name in names}
    for element in select_any(tree, list(map(_as_selector, names)) if len(names) < _FEW_NAMES else ["[class],[id]"]):
        for name in names_of(element):
            if name in found:
                found[name].append(element)
    return found


def _as_selector(name: str) -> str:
    text = name[1:].replace("\\", "\\\\").replace('"', '\\"')
    return f'[class~="{text}" i]' if name[0] == "." else f'[id="{text}" i]'
