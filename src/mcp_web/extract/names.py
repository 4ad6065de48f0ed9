"""The class names and ids of a page, read once: most rules are ruled out because their names do not occur."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Element, Node


class PageNames:
    """The class names and ids of a page, also those of elements that are removed from the tree later."""

    def __init__(self, tree: Node) -> None:
        self._by_classes: dict[str, list[Element]] = {}  # by the whole attribute: a page repeats few of them
        known = self._by_classes
        for element in tree.select("[class]"):
            known.setdefault(element.attr("class") or "", []).append(element)
        self._by_id: dict[str, list[Element]] = {}
        for element in tree.select("[id]"):
            self._by_id.setdefault(element.attr("id") or "", []).append(element)
        self.classes = frozenset(" ".join(known).split())
        self.ids = frozenset(self._by_id)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names as selectors ask for them (".class", "#id"), lower case."""
        return frozenset(self._elements)

    @cached_property
    def lowered(self) -> frozenset[str]:
        """Classes and ids, lower case."""
        return frozenset("\n".join((*self.classes, *self.ids)).lower().split("\n"))

    def with_name(self, name: str) -> list[Element]:
        """The elements with a name as selectors ask for it, in any case of its letters."""
        return [element for each in self._elements.get(name.lower(), ()) for element in each]

    @cached_property
    def _elements(self) -> dict[str, list[list[Element]]]:
        found: dict[str, list[list[Element]]] = {}
        for classes, elements in self._by_classes.items():
            for name in classes.lower().split():
                found.setdefault(f".{name}", []).append(elements)
        for identity, elements in self._by_id.items():
            found.setdefault(f"#{identity.lower()}", []).append(elements)
        return found
