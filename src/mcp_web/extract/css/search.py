"""Finds the elements that selectors match, each in time proportional to the size of the page.

turbohtml searches a tree in such time, but tests a single element for `:nth-last-child()` or `~` by walking through its
siblings, and tests `:has()` again for each element to the right of it. So selectors that look at siblings are searched
for in the whole tree, once, and those with `:has()` are evaluated here, from one set of elements to the next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from turbohtml import Element, Node

from mcp_web.extract.css.effort import Effort, TooComplex
from mcp_web.extract.css.selectors import LONGEST, matches, select_any, split_selectors
from mcp_web.extract.css.syntax import closing, found_outside

_OFTEN = 30  # tests of single elements that take about as long as a search through the tree
_LOOKS_AROUND = re.compile(r"[~+]|-child|-of-type|:empty|:has\(", re.I)
_PER_STEP = 30  # elements that turbohtml visits in the time of one step
_PER_FOUND = 2  # elements of results that count as one step: all together stay below some hundred megabytes
_COMBINATOR = r"\s*[>+~]\s*|\s+"
_FUNCTION = re.compile(r":(has|not|is|where)\(", re.I)

Found = dict[Element, None]  # in the order of the page


class _Part(NamedTuple):
    """A compound selector, and how its element is related to that of the part before it."""

    combinator: str  # " ", ">", "+" or "~"
    compound: str


class Search:
    """Finds the elements of one tree that selectors match, and remembers what it found."""

    def __init__(self, tree: Node, effort: Effort) -> None:
        self._tree = tree
        self._effort = effort
        self._times: Counter[str] = Counter()
        self._found: dict[str, Found] = {}

    def matches(self, element: Element, selector: str) -> bool:
        """Whether a selector list matches the element; False if it is not valid."""
        found = self._found.get(selector)
        if found is None:
            times = self._times[selector] = self._times[selector] + 1
            if times < _OFTEN and (times > 1 or not _LOOKS_AROUND.search(selector)):
                self._effort.spend(1)
                return matches(element, selector)
            found = self.select(selector)
        return element in found

    def select(self, selector: str) -> Found:
        """The elements that a selector list matches, as the keys of a dict; none if it is not valid."""
        found = self._found.get(selector)
        if found is None:
            found = self._found[selector] = self._searched(selector)
            self._effort.spend(len(found) / _PER_FOUND)
        return found

    def _searched(self, selector: str) -> Found:
        if len(selector) > LONGEST:
            raise TooComplex
        if ":has(" in selector.lower():
            return {element: None for each in split_selectors(selector) for element in self._by_parts(each)}
        self._effort.spend(1 + self._size / _PER_STEP)
        return dict.fromkeys(select_any(self._tree, [selector]))

    @cached_property
    def _size(self) -> int:
        return len(self._tree.select("*"))

    def _by_parts(self, selector: str) -> Iterable[Element]:
        """The elements that a selector without commas matches, found from its first part to its last."""
        first, *others = _parts(selector)
        found: Iterable[Element] = self._by_compound(first.compound)
        for part in others:
            candidates = self._by_compound(part.compound)
            self._effort.spend(len(candidates))
            found = self._related(set(found), part.combinator, candidates)
        return found

    def _by_compound(self, compound: str) -> Found:
        """The elements that a compound selector matches. Functions with `:has()` in them are evaluated on their own."""
        plain, functions = _functions(compound)
        found = self.select(plain)
        for name, argument in functions:
            if name == "has":
                inside = {each for one in split_selectors(argument) for each in self._having(one)}
            else:
                inside = set(self.select(argument))
            self._effort.spend(len(found))
            found = {element: None for element in found if (element in inside) != (name == "not")}
        return found

    def _having(self, relative: str) -> set[Element]:
        """The elements that `:has()` with this argument, one without commas, matches. They are found from the
        argument's last part to its first."""
        parts = _parts(relative)
        found: set[Element] = set()
        for at in range(len(parts) - 1, -1, -1):
            targets = self._by_compound(parts[at].compound)
            found = self._origins(
                [each for each in targets if at == len(parts) - 1 or each in found], parts[at].combinator
            )
        return found

    def _related(self, sources: set[Element], combinator: str, candidates: Found) -> list[Element]:
        """The candidates that a combinator leads to from one of the sources: for ">" the children of a source."""
        if combinator == ">":
            return [each for each in candidates if each.parent in sources]
        if combinator == " ":
            inside: dict[Node, bool] = {}
            return [each for each in candidates if self._is_inside(each, sources, inside)]
        parents = dict.fromkeys(each.parent for each in candidates if each.parent is not None)
        return [
            each for parent in parents for each in self._following(parent, sources, combinator) if each in candidates
        ]

    def _is_inside(self, element: Element, sources: set[Element], known: dict[Node, bool]) -> bool:
        path: list[Node] = []
        node = element.parent
        while node is not None and node not in known and node not in sources:
            path.append(node)
            node = node.parent
        is_inside = node is not None and (node in sources or known[node])
        known.update(dict.fromkeys(path, is_inside))
        self._effort.spend(len(path))
        return is_inside

    def _following(self, parent: Node, sources: set[Element], combinator: str) -> Iterator[Element]:
        """The children of a parent that come after one of the sources: for "~" all of them, for "+" only the next."""
        follows = False
        for child in _elements(parent):
            self._effort.spend(1)
            if follows:
                yield child
            follows = child in sources or (follows and combinator == "~")

    def _origins(self, targets: Iterable[Element], combinator: str) -> set[Element]:
        """The elements from which a combinator leads to one of the targets: for ">" the parent of a target."""
        found: set[Element] = set()
        for target in targets:
            nodes: Iterable[Node] = target.ancestors if combinator in " >" else target.previous_siblings
            for node in nodes:
                self._effort.spend(1)
                if not isinstance(node, Element):
                    continue
                if node in found:
                    break
                found.add(node)
                if combinator in ">+":
                    break
        return found


def _elements(parent: Node) -> Iterator[Element]:
    return (child for child in parent.children if isinstance(child, Element))


def _parts(selector: str) -> list[_Part]:
    """The compound selectors in a selector without commas, each with the combinator before it. Before the first one it
    is " ", or the one that the argument of `:has()` begins with."""
    parts: list[_Part] = []
    selector = selector.strip()
    combinator, start = " ", 0
    for found in found_outside(selector, _COMBINATOR):
        if found.start() > start:
            parts.append(_Part(combinator, selector[start : found.start()]))
        combinator, start = found[0].strip() or " ", found.end()
    return [*parts, _Part(combinator, selector[start:] or ":not(*)")]


def _functions(compound: str) -> tuple[str, list[tuple[str, str]]]:
    """A compound selector without `:has()` and functions that contain it, and the name and argument of each of these.
    "*" for a selector of which nothing is left."""
    functions: list[tuple[str, str]] = []
    plain = ""
    at = 0
    for found in _FUNCTION.finditer(compound):
        end = closing(compound, found.end()) if found.start() >= at else at
        argument = compound[found.end() : end]
        if found.start() >= at and (found[1].lower() == "has" or ":has(" in argument.lower()):
            functions.append((found[1].lower(), argument))
            plain += compound[at : found.start()]
            at = end + 1
    plain += compound[at:]
    return plain or "*", functions
