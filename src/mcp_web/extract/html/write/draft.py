"""The state of a writer while it walks the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_web.extract.html.write.links import Links, bare
from mcp_web.model.page import Link

if TYPE_CHECKING:
    from turbohtml import Element, Node

# Deeper than any page made for people; below it a subtree is written as flat text, so that
# recursion and repeated indenting stay bounded on hostile nesting.
MAX_DEPTH = 120
MAX_INDENTS = 10

Writer = Callable[["WriterState", "Element", list[str]], None]
Walk = Callable[["WriterState", "Node", list[str]], None]


@dataclass(slots=True)
class WriterState:
    """The state of one writer: its links, what it has found so far, and the depth in the tree."""

    links: Links
    walk: Walk  # the function that walks blocks, passed in so that writers need not import it
    include_images: bool = False
    roots: Sequence[Node] = ()
    special: dict[Element, Writer] = field(default_factory=dict)  # block writers chosen by class, not by tag
    inline_special: dict[Element, str] = field(default_factory=dict)  # ready Markdown for an inline element
    blocky: set[Element] = field(default_factory=set)  # inline elements that hold blocks
    notes: dict[Element, str] = field(default_factory=dict)  # definition of a footnote → its label
    headings: list[tuple[int, str, str | None]] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    indents: int = 0
    in_cell: bool = False
    in_heading: bool = False
    in_link: bool = False
    _worded: frozenset[str] | None = None

    def worded(self) -> frozenset[str]:
        """The targets, as the page writes them, of every link with words in it."""
        if self._worded is None:
            links = [link for root in self.roots for link in root.select("a[href]")]
            self._worded = frozenset([link.attr("href") or "" for link in links if not _is_blank(link.text)])
        return self._worded

    def blocks_of(self, node: Node) -> list[str]:
        """The content of a node as blocks."""
        found: list[str] = []
        self.walk(self, node, found)
        return found

    def image_links(self) -> tuple[Link, ...]:
        return tuple(Link(text, bare(url)) for url, text in self.images.items())


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def indented(text: str, by: str) -> str:
    """The text with every line but the first moved in; blank lines stay blank."""
    return text.replace("\n", "\n" + by).replace("\n" + by + "\n", "\n\n") if "\n" in text else text


def quoted(text: str) -> str:
    return "> " + text.replace("\n", "\n> ").replace("> \n", ">\n")
