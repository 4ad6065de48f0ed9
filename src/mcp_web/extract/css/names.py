"""The class names and ids of a page, read once: most rules are ruled out because their names do not occur."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Node


class PageNames:
    """The class names and ids of a page, also those of elements that are removed from the tree later."""

    def __init__(self, tree: Node) -> None:
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
