"""The class names and ids of a page, read once: most rules are ruled out because their names do not occur."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Element, Node


class PageNames:
    """The class names and ids of a page, also those of elements that are removed from the tree later."""

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self.classes = frozenset(" ".join({element.attr("class") or "" for element in tree.select("[class]")}).split())
        self.ids = frozenset([element.attr("id") or "" for element in tree.select("[id]")])

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names as selectors ask for them (".class", "#id"), lower case."""
        classes = [f".{name.lower()}" for name in self.classes]
        return frozenset((*classes, *(f"#{name.lower()}" for name in self.ids)))

    @cached_property
    def lowered(self) -> frozenset[str]:
        """Classes and ids, lower case."""
        return frozenset("\n".join((*self.classes, *self.ids)).lower().split("\n"))

    def with_name(self, name: str) -> list[Element]:
        """The elements with a name as selectors ask for it, in any case of its letters; of the tree at first use."""
        return [element for each in self._elements.get(name.lower(), ()) for element in each]

    @cached_property
    def _elements(self) -> dict[str, list[list[Element]]]:
        by_classes: dict[str, list[Element]] = {}  # by the whole attribute: a page repeats few of them
        for element in self._tree.select("[class]"):
            by_classes.setdefault(element.attr("class") or "", []).append(element)
        found: dict[str, list[list[Element]]] = {}
        for classes, elements in by_classes.items():
            for name in classes.lower().split():
                found.setdefault(f".{name}", []).append(elements)
        for element in self._tree.select("[id]"):
            found.setdefault(f"#{(element.attr('id') or '').lower()}", []).append([element])
        return found
