"""Reads a page as a list of text blocks: runs of inline content, each with the element that contains it (its box)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from turbohtml import Element, Node, Text

from mcp_web.text.spaces import fold_spaces

BLOCK_TAGS = frozenset(re.findall(r"\w+", """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol p pre section summary table tbody td tfoot th
    thead tr ul
"""))  # fmt: skip
_GRID_TAGS = {"tr": 0, "td": 1, "th": 2}
_CELL = 120  # characters of a data table's cell, on average
_SENTENCE = 60  # characters
_CJK_STOPS = "。！？…」』）：；"
_WORD = re.compile(r"\w")  # a line of dashes or a zero-width space is not text
# A page with more boxes than this is generated data or an attack; its content is chosen by rules.py instead.
MOST_BOXES = 12_000


class Box:
    """An element that contains text blocks (`HtmlBlock`), with the sums of their characters, links and sentences."""

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
    """One run of inline text in an element, its `box`. `nodes` is empty if the run is all that the box contains.

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
    boxes: list[Box]  # in document order: a box comes before its content
    blocks: list[HtmlBlock]

    def units(self, data: set[Box]) -> list[tuple[Box, list[int]]]:
        """Each list and table, kept or removed as a whole, with the indexes of its blocks. `data`: the data tables."""
        found: dict[Box, list[int]] = {}
        for at, block in enumerate(self.blocks):
            if (unit := _unit(block.box, data)) is not None:
                found.setdefault(unit, []).append(at)
        return list(found.items())

    def data_tables(self) -> set[Box]:
        """The tables of data: four short cells or more, and header cells or over two rows. Others are layout."""
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
    """The data table that a box is or is in, else its innermost list or table; None without one in twelve levels."""
    at: Box | None = box
    nearest: Box | None = None
    for _ in range(12):
        if at is None or at in data:
            return at or nearest
        if nearest is None and at.tag in ("table", "ul", "ol", "dl"):
            nearest = at
        at = at.parent
    return nearest


def _holders(body: Element) -> set[Node] | None:
    """The body and every element, also inline, with a block element inside it; None if they are too many."""
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


def read_blocks(body: Element) -> Blocks | None:
    """The text blocks in the body of a page, in order, and the elements around them (boxes); None if too many."""
    holders = _holders(body)
    if holders is None:
        return None
    boxes: list[Box] = []
    blocks: list[HtmlBlock] = []
    pieces: list[str] = []  # the text of the run that is being read
    nodes: list[Node] = []
    links = 0

    def open_box(element: Element, parent: Box | None) -> Box:
        attr = element.attr
        name = f"{attr('class', '')} {attr('id', '')} {attr('role', '')} {attr('itemprop', '')}"
        box = Box(element, element.tag, parent, name.lower() if len(name) > 3 else "", len(blocks))
        boxes.append(box)
        return box

    def end_run(box: Box) -> None:
        nonlocal links
        text = fold_spaces("".join(pieces))
        if text and (text[0].isalnum() or _WORD.search(text)):
            blocks.append(_block(box, text, links, tuple(nodes)))
        pieces.clear()
        nodes.clear()
        links = 0

    stack = [(open_box(body, None), iter(body))]  # recursion would fail on deep pages
    while stack:
        box, rest = stack[-1]
        for node in rest:
            if type(node) is Text:
                if pieces or not node.data.isspace():  # white space between boxes is not a run
                    pieces.append(node.data)
                    nodes.append(node)
                continue
            if type(node) is not Element:
                continue
            is_holder = node in holders
            tag = node.tag
            if not is_holder and tag not in BLOCK_TAGS:
                if text := " " if tag == "br" else node.text:
                    pieces.append(text)
                    nodes.append(node)
                    links += len(text) if tag == "a" else _linked(node)
                continue
            if pieces:
                end_run(box)
            if is_holder:
                stack.append((open_box(node, box), iter(node)))
                break
            text = fold_spaces(node.text)
            if text and (text[0].isalnum() or _WORD.search(text)):
                leaf = Box(node, tag, box, (node.attr("class") or "").lower(), len(blocks))
                boxes.append(leaf)
                blocks.append(_block(leaf, text, _linked(node), ()))
        else:
            if pieces:
                end_run(box)
            stack.pop()
    for box in reversed(boxes):  # add its counts to its parent, innermost first
        if (above := box.parent) is not None:
            above.chars += box.chars
            above.links += box.links
            above.count += box.count
            above.prose += box.prose
    return Blocks(boxes, blocks)


def _block(box: Box, text: str, links: int, nodes: tuple[Node, ...]) -> HtmlBlock:
    links = min(links, len(text))
    box.chars += len(text)
    box.links += links
    box.count += 1
    block = HtmlBlock(box, text, links, nodes)
    box.prose += block.prose
    return block


def _prose(text: str, links: int) -> int:
    """The length of the text if it is a sentence, else 0. `links` is how many of its characters are in links. A
    sentence has 60 characters, or 30 of Chinese with a full stop, and less than 35 per cent of them in links."""
    size = len(text)
    if size < _SENTENCE // 2 or links >= 0.35 * size:
        return 0
    if size >= _SENTENCE:
        return size
    return size if "\u2e80" <= text[size // 2] <= "\uffef" and text[-1] in _CJK_STOPS else 0


def _linked(element: Node) -> int:
    """How many characters of an element are in links inside it."""
    found = element.find_all("a")
    return sum([len(link.text) for link in found]) if found else 0
