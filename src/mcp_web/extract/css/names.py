"""The class names and ids of a page, collected once: most rules cannot match because their names do not occur."""

from __future__ import annotations

from functools import cached_property

from turbohtml import Element, Node


class PageNames:
    """The class names and ids of a page, including those of elements that are removed later."""

    def __init__(self, tree: Node) -> None:
        self.classes = frozenset(" ".join({element.attr("class") or "" for element in tree.select("[class]")}).split())
        self.ids = frozenset([element.attr("id") or "" for element in tree.select("[id]")])

    @cached_property
    def as_selectors(self) -> frozenset[str]:
        """The names as selectors (".class", "#id"), in lower case."""
        classes = [f".{name.lower()}" for name in self.classes]
        return frozenset((*classes, *(f"#{name.lower()}" for name in self.ids)))

    @cached_property
    def lowered(self) -> frozenset[str]:
        """The classes and ids in lower case, without "." and "#"."""
        return frozenset("\n".join((*self.classes, *self.ids)).lower().split("\n"))


def names_of(element: Element) -> list[str]:
    """The classes and the id of an element as selectors (".class", "#id"), in lower case."""
    classes = [f".{name}" for name in (element.attr("class") or "").lower().split()]
    identity = element.attr("id")
    return [*classes, f"#{identity.lower()}"] if identity else classes
