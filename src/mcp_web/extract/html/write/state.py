"""The state of the Markdown writer, and a survey of the elements that need special treatment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from turbohtml import Element, Node

from mcp_web.extract.html.write.links import Links, bare
from mcp_web.extract.tabs import LABEL
from mcp_web.model.page import Link

# Deeper than any ordinary page. Below it a subtree is written as plain text, so that recursion and indentation are
# limited on hostile pages.
MAX_DEPTH = 120
MAX_INDENTS = 10

Writer = Callable[["WriterState", "Element", list[str]], None]
Walk = Callable[["WriterState", Iterable[Node], list[str]], None]


@dataclass
class WriterState:
    """The state of one writer: links, elements that are written in a special way, and where in the tree it is."""

    links: Links
    walk: Walk  # the function that walks blocks, passed in so that writers need not import it
    include_images: bool = False
    roots: Sequence[Node] = ()
    special: dict[Element, Writer] = field(default_factory=dict)  # writers of blocks that are not chosen by tag
    inline_special: dict[Element, str] = field(default_factory=dict)  # the Markdown of inline elements, already written
    blocky: set[Element] = field(default_factory=set)  # inline elements that contain blocks
    notes: dict[Element, str] = field(default_factory=dict)  # definition of a footnote → its label
    headings: list[tuple[int, str, str | None]] = field(default_factory=list)  # level, text, anchor
    images: dict[str, str] = field(default_factory=dict)  # URL → alternative text
    depth: int = 0  # of nested elements
    indents: int = 0  # lists and quotes around the element
    marks: frozenset[str] = frozenset()  # of the emphasis around the element, such as "**"
    in_cell: bool = False
    in_heading: bool = False
    in_link: bool = False

    @cached_property
    def text_link_targets(self) -> frozenset[str]:
        """The `href` values of all links that have text."""
        links = [link for root in self.roots for link in root.select("a[href]")]
        return frozenset([link.attr("href") or "" for link in links if link.text.strip()])

    def blocks_of(self, nodes: Iterable[Node]) -> list[str]:
        """The child nodes of a node, or the given nodes, as blocks of Markdown."""
        found: list[str] = []
        self.walk(self, nodes, found)
        return found

    def image_links(self) -> tuple[Link, ...]:
        """The images, with their alternative text as the text of a link."""
        return tuple(Link(text, bare(url)) for url, text in self.images.items())


def integer(element: Element, name: str, default: int) -> int:
    """The number in an attribute that is one to nine digits and nothing else; `default` for any other or none."""
    value = element.attr(name) or ""
    return int(value) if value.isdecimal() and len(value) < 10 else default


def first_element(nodes: Iterable[Node]) -> Element | None:
    """The first of some nodes that is an element; None if there is none."""
    return next((node for node in nodes if isinstance(node, Element)), None)


def indented(text: str, by: str) -> str:
    """The text with `by` before every line but the first; blank lines stay empty."""
    return text.replace("\n", "\n" + by).replace("\n" + by + "\n", "\n\n") if "\n" in text else text


def block_quote(text: str) -> str:
    """The text as a Markdown quote."""
    return "> " + text.replace("\n", "\n> ").replace("> \n", ">\n")


# Elements that are recognised by tag or attribute are found by one search; those by class in a second one.
_BY_TAG = (
    "math,mjx-container,script,sup,img,table,tex-math,la-tex,d-math,katex,"
    f"[{LABEL}],[role=table],[role=grid],[role=treegrid],[data-latex],[data-tex],[data-math],[data-callout]"
)


@dataclass
class Survey:
    """Finds the elements under a root that may need special treatment, and class names; each search is done once."""

    root: Node
    page_classes: frozenset[str] | None = None  # the class names of the whole page, if they are known

    @cached_property
    def tagged(self) -> list[Element]:
        """The root and the elements under it with a tag or attribute that may need special treatment when written."""
        own = [self.root] if isinstance(self.root, Element) and self.root.matches(_BY_TAG) else []
        return [*own, *self.root.select(_BY_TAG)]

    @cached_property
    def classes(self) -> frozenset[str]:
        """The class names of the whole page if they are known, else those under the root."""
        if self.page_classes is not None:
            return self.page_classes
        texts = {element.attr("class") or "" for element in self.root.select("[class]")}
        return frozenset(" ".join(texts).split())

    @cached_property
    def class_text(self) -> str:
        """All class names in one string, to search for parts of them."""
        return " ".join(self.classes)

    def with_classes(self, names: frozenset[str]) -> list[Element]:
        """The elements under the root that have one of the class names."""
        present = names & self.classes
        return self.root.select(",".join(f'[class~="{name}"]' for name in sorted(present))) if present else []
