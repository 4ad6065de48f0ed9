"""Which elements and classes a tree contains: a few cheap passes that decide which of the costly ones are needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_web.extract.tabs import LABEL

if TYPE_CHECKING:
    from turbohtml import Element, Node

# One select for everything that is recognised by tag or attribute; classes are read in a second one.
_BY_TAG = (
    "math,mjx-container,script,sup,img,table,tex-math,la-tex,d-math,katex,"
    f"[{LABEL}],[data-latex],[data-tex],[data-math],[data-callout],[data-definition]"
)


@dataclass
class Survey:
    """The elements of interest under a root and the class names that occur."""

    root: Node
    of_page: frozenset[str] | None = None  # class names, where they were read before

    @cached_property
    def tagged(self) -> list[Element]:
        return self.root.select(_BY_TAG)

    @cached_property
    def tags(self) -> frozenset[str]:
        return frozenset(element.tag for element in self.tagged)

    @cached_property
    def classes(self) -> frozenset[str]:
        """Every class name under the root, and perhaps some more."""
        if self.of_page is not None:
            return self.of_page
        texts = {element.attr("class") or "" for element in self.root.select("[class]")}
        return frozenset(" ".join(texts).split())

    @cached_property
    def class_text(self) -> str:
        return " ".join(self.classes)

    def with_classes(self, names: frozenset[str]) -> list[Element]:
        """The elements that have one of the names."""
        present = names & self.classes
        return self.root.select(",".join(f'[class~="{name}"]' for name in sorted(present))) if present else []
