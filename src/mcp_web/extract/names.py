"""The class names and ids of a page, read once: they tell most rules and marks that there is nothing for them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Node


class PageNames:
    """What the authors of a page called its elements. What is removed from the tree later stays named here."""

    def __init__(self, tree: Node) -> None:
        self.classes = frozenset(" ".join({element.attr("class") or "" for element in tree.select("[class]")}).split())
        self.ids = frozenset([element.attr("id") or "" for element in tree.select("[id]")])

    @cached_property
    def lowered(self) -> frozenset[str]:
        """Classes and ids, lower case."""
        return frozenset("\n".join((*self.classes, *self.ids)).lower().split("\n"))
