"""Reads a page as a list of text blocks: runs of inline content, each with the element that contains it (its box)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_web.text.spaces import fold_spaces

if TYPE_CHECKING:
    from turbohtml import Element, Node

BLOCK_TAGS = frozenset(
    re.findall(
        r"\w+",
        """
        address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
        footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol p pre section summary table tbody td tfoot th
        thead tr ul
        """,
    )
)
_UNITS = frozenset({"table", "ul", "ol", "dl"})
_GRID_TAGS = {"tr": 0, "td": 1, "th": 2}
_CELL = 120  # characters of a data table's cell, on average
_SENTENCE = 60  # characters
_CJK_STOPS = "。！？…」』）：；"
_WORD = re.compile(r"\w")  # a line of dashes or a zero-width space is not text
# A page with more boxes than this is generated data or an attack; its content is chosen by rules.py instead.
MOST_BOXES = 12_000


class Box:
    """An element that contains blocks; its counts include everything inside it."""

    __slots__ = (
        "above", "article", "chars", "chrome", "content", "count", "depth", "element", "first", "group", "inside",
        "kept", "lift", "links", "name", "own", "parent", "prose", "story", "tag", "tags",
    )  # fmt: skip
    # Set by `features`; most of it is inherited from the parent box.
    own: int  # words in its name, one bit each
    above: int  # words in the names of its ancestors and in its own, without body's
    chrome: int  # how many of those are words against content, counted for each name
    content: int  # … and how many are words for content
    tags: int  # its tag and those of its ancestors, one bit each
    lift: int  # levels from the nearest common ancestor with the core down to the core; 0 inside the core
    inside: int  # levels below the core, or -1 outside it
    story: int  # levels below the box that contains title and text, or -1 outside it
    article: int  # the number of the article element it is in, from 1; 0 if it is in none
    group: list[int]  # count, chars, links of all boxes with the same tag and name

    def __init__(self, element: Element, tag: str, parent: Box | None, name: str, first: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.name = name  # class, id, role and itemprop, in lower case
        self.first = first  # the index of its first block; the `count` blocks in it follow each other
        self.chars = self.links = self.prose = self.count = 0  # characters: all, in links, in sentences; blocks
        self.kept = 0  # characters of the blocks that were kept


class HtmlBlock:
    """One run of text. `nodes` is empty if the block is all that its box contains.

    `links` is the number of its characters in links; `prose` is its length if it is a sentence, else 0.
    """

    __slots__ = ("box", "links", "nodes", "prose", "text")

    def __init__(self, box: Box, text: str, links: int, nodes: tuple[Node, ...]) -> None:
        self.box = box
        self.text = text
        self.links = links
        self.nodes = nodes
        self.prose = _prose(text, links)


@dataclass(slots=True, eq=False)
class Blocks:
    boxes: list[Box] = field(default_factory=list)  # in document order: a box comes before its content
    blocks: list[HtmlBlock] = field(default_factory=list)

    def units(self, data: set[Box]) -> list[tuple[Box, list[int]]]:
        """Each list and each table with the indexes of its blocks: they are kept or removed as a whole.

        `data` are the data tables.
        """
        found: dict[Box, list[int]] = {}
        for at, block in enumerate(self.blocks):
            if (unit := _unit(block.box, data)) is not None:
                found.setdefault(unit, []).append(at)
        return list(found.items())

    def data_tables(self) -> set[Box]:
        """The tables that contain data: a grid of short cells, or with header cells. Other tables are layout."""
        if not any(box.tag == "table" for box in self.boxes):
            return set()
        grids: dict[Box, list[int]] = {}  # rows, cells, header cells, tables inside
        inner: dict[Box, Box | None] = {}
        for box in self.boxes:
            above = inner.get(box.parent) if box.parent else None
            if box.tag == "table":
                grids[box] = [0, 0, 0, 0]
                if above is not None:
                    grids[above][3] += 1
                inner[box] = box
                continue
            inner[box] = above
            if above is not None and (at := _GRID_TAGS.get(box.tag)) is not None:
                grids[above][at] += 1
        return {
            table
            for table, (rows, cells, heads, inside) in grids.items()
            if not inside and cells + heads >= 4 and table.chars < _CELL * (cells + heads) and (heads or rows > 2)
        }


def _unit(box: Box, data: set[Box]) -> Box | None:
    """The data table that a box is in or is, else its innermost list or table; None if there is none near."""
    at: Box | None = box
    nearest: Box | None = None
    for _ in range(12):
        if at is None or at in data:
            return at or nearest
        if nearest is None and at.tag in _UNITS:
            nearest = at
        at = at.parent
    return nearest


def read_blocks(body: Element) -> Blocks | None:
    """The blocks of a page in reading order; None if the page has too many boxes to score them."""
    holders = _holders(body)
    return None if holders is None else _Reading(body, holders).run()


def _holders(body: Element) -> set[Node] | None:
    """The body and every element, also inline, with a block element inside it.

    None if there are more than `MOST_BOXES` of them, or of block elements.
    """
    inside = list(body.iter_elements(BLOCK_TAGS))
    if len(inside) > MOST_BOXES:
        return None
    holders: set[Node] = {above for element in inside if (above := element.parent) is not None}
    # The parents of block elements are in the set already; the ancestors of inline elements are not.
    for holder in [each for each in holders if getattr(each, "tag", None) not in BLOCK_TAGS]:
        above = holder.parent
        while above is not None and above not in holders:
            holders.add(above)
            above = above.parent
    holders.add(body)
    return None if len(holders) > MOST_BOXES else holders


class _Reading:
    """One walk over a body, with an explicit stack instead of recursion, for deep pages."""

    def __init__(self, body: Element, holders: set[Node]) -> None:
        from turbohtml import Element, Text

        self._types = Element, Text
        self._body = body
        self._holders = holders
        self._result = Blocks()
        self._nodes: list[Node] = []
        self._pieces: list[str] = []
        self._links = 0

    def run(self) -> Blocks:
        element_type, text_type = self._types
        pieces, nodes, holders = self._pieces, self._nodes, self._holders
        boxes, blocks = self._result.boxes, self._result.blocks
        stack = [(self._box(self._body, self._body.tag, None), iter(self._body))]
        while stack:
            box, rest = stack[-1]
            for node in rest:
                kind = type(node)
                if kind is text_type:
                    data: str = node.data  # type: ignore[attr-defined]  # its type was checked
                    if pieces or not data.isspace():  # white space between boxes is not a run
                        pieces.append(data)
                        nodes.append(node)
                elif kind is element_type:
                    tag: str = node.tag  # type: ignore[attr-defined]
                    if node in holders:
                        if pieces:
                            self._end_run(box)
                        stack.append((self._box(node, tag, box), iter(node)))  # type: ignore[arg-type]
                        break
                    if tag not in BLOCK_TAGS:
                        self._inline(node, tag)  # type: ignore[arg-type]
                        continue
                    if pieces:
                        self._end_run(box)
                    text = fold_spaces(node.text)
                    if text and (text[0].isalnum() or _WORD.search(text)):
                        leaf = Box(node, tag, box, node.attr("class", "").lower(), len(blocks))  # type: ignore[arg-type, attr-defined]
                        boxes.append(leaf)
                        blocks.append(_block(leaf, text, _linked(node), ()))
            else:
                if pieces:
                    self._end_run(box)
                stack.pop()
        _sum_up(boxes)
        return self._result

    def _box(self, element: Element, tag: str, parent: Box | None) -> Box:
        attr = element.attr
        name = f"{attr('class', '')} {attr('id', '')} {attr('role', '')} {attr('itemprop', '')}"
        box = Box(element, tag, parent, name.lower() if len(name) > 3 else "", len(self._result.blocks))
        self._result.boxes.append(box)
        return box

    def _inline(self, element: Element, tag: str) -> None:
        if tag == "br":
            self._pieces.append(" ")
        elif text := element.text:
            self._pieces.append(text)
            self._links += len(text) if tag == "a" else _linked(element)
        else:
            return
        self._nodes.append(element)

    def _end_run(self, box: Box) -> None:
        text = fold_spaces("".join(self._pieces))
        if text and (text[0].isalnum() or _WORD.search(text)):
            self._result.blocks.append(_block(box, text, self._links, tuple(self._nodes)))
        self._pieces.clear()
        self._nodes.clear()
        self._links = 0


def _block(box: Box, text: str, links: int, nodes: tuple[Node, ...]) -> HtmlBlock:
    size = len(text)
    if links > size:
        links = size
    box.chars += size
    box.links += links
    box.count += 1
    block = HtmlBlock(box, text, links, nodes)
    box.prose += block.prose
    return block


def _prose(text: str, links: int) -> int:
    """The length of the text if it is a sentence, else 0. 30 characters of Chinese with a full stop are a sentence."""
    size = len(text)
    if size < _SENTENCE // 2 or links >= 0.35 * size:
        return 0
    if size >= _SENTENCE:
        return size
    return size if "\u2e80" <= text[size // 2] <= "\uffef" and text[-1] in _CJK_STOPS else 0


def _linked(element: Node) -> int:
    """How many characters are inside links."""
    found = element.find_all("a")
    return sum([len(link.text) for link in found]) if found else 0


def _sum_up(boxes: list[Box]) -> None:
    """Add the counts of each box to its parent, innermost first."""
    for box in reversed(boxes):
        above = box.parent
        if above is not None:
            above.chars += box.chars
            above.links += box.links
            above.count += box.count
            above.prose += box.prose
