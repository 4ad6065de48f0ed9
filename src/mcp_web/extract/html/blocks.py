"""The tree as a list of text blocks: runs of inline content, each in the box that holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
_SAYS = re.compile(r"\w")  # a rule of dashes or a zero-width space says nothing
# A page with more boxes than this is a machine's list or an attack; the rules read it instead.
MOST_BOXES = 12_000


@dataclass(slots=True, eq=False)
class Box:
    """An element that holds blocks; its figures cover everything inside it."""

    element: Element
    tag: str
    parent: Box | None
    depth: int
    name: str  # class, id, role and itemprop, lower case: what the author called it
    chars: int = 0
    links: int = 0  # characters inside links
    prose: int = 0  # characters of paragraphs that read like sentences
    count: int = 0  # blocks
    kept: int = 0  # characters of the blocks that were kept


@dataclass(slots=True, eq=False)
class Block:
    """One run of text as a reader sees it. `nodes` is empty where the block is all its box holds."""

    box: Box
    text: str
    links: int
    nodes: tuple[Node, ...] = ()


@dataclass(slots=True, eq=False)
class Blocks:
    boxes: list[Box] = field(default_factory=list)  # in document order: a box comes before its content
    blocks: list[Block] = field(default_factory=list)

    def names(self) -> frozenset[str]:
        """Every class, id, role and itemprop of a box, lower case."""
        return frozenset(" ".join(box.name for box in self.boxes).split())

    def units(self) -> list[tuple[Box, list[int]]]:
        """Each list and each table with the places of its blocks: what is judged and kept as a whole."""
        found: dict[Box, list[int]] = {}
        for at, block in enumerate(self.blocks):
            if (unit := _unit(block.box)) is not None:
                found.setdefault(unit, []).append(at)
        return list(found.items())


def _unit(box: Box) -> Box | None:
    """The innermost list or table around a box."""
    at: Box | None = box
    for _ in range(6):
        if at is None or at.tag in _UNITS:
            return at
        at = at.parent
    return None


def read_blocks(body: Element) -> Blocks | None:
    """The blocks of a page in reading order; None where there are too many boxes to weigh one by one."""
    holders = _holders(body)
    return None if holders is None else _Reading(body, holders).run()


def _holders(body: Element) -> set[Node] | None:
    """Every element with a block inside it, inline elements around blocks included."""
    holders: set[Node] = {body}
    for count, element in enumerate(body.iter_elements(BLOCK_TAGS)):
        if count > MOST_BOXES:
            return None
        above = element.parent
        while above is not None and above not in holders:
            holders.add(above)
            above = above.parent
            if len(holders) > MOST_BOXES:
                return None
    return holders


class _Reading:
    """One walk over a body, deep pages included: an explicit stack instead of recursion."""

    def __init__(self, body: Element, holders: set[Node]) -> None:
        from turbohtml import Element, Text

        self._element, self._text = Element, Text
        self._holders = holders
        self._result = Blocks()
        self._stack: list[tuple[Box, Iterator[Node]]] = []
        self._nodes: list[Node] = []
        self._pieces: list[str] = []
        self._links = 0
        self._open(body, body.tag, None)

    def run(self) -> Blocks:
        while self._stack:
            box, rest = self._stack[-1]
            if not self._read_children(box, rest):
                self._end_run(box)
                self._stack.pop()
        _sum_up(self._result.boxes)
        return self._result

    def _read_children(self, box: Box, rest: Iterator[Node]) -> bool:
        """Read on until a child holds blocks itself; False at the end of the box."""
        for node in rest:
            if isinstance(node, self._text):
                data = node.data
                if self._pieces or not data.isspace():  # blanks between boxes are no run
                    self._pieces.append(data)
                    self._nodes.append(node)
            elif isinstance(node, self._element):
                tag = node.tag
                if node in self._holders:
                    self._end_run(box)
                    self._open(node, tag, box)
                    return True
                if tag in BLOCK_TAGS:
                    self._end_run(box)
                    self._leaf(node, tag, box)
                else:
                    self._inline(node, tag)
        return False

    def _open(self, element: Element, tag: str, parent: Box | None) -> None:
        box = self._box(element, tag, parent)
        self._stack.append((box, iter(element.children)))

    def _box(self, element: Element, tag: str, parent: Box | None) -> Box:
        attr = element.attr
        name = f"{attr('class') or ''} {attr('id') or ''} {attr('role') or ''} {attr('itemprop') or ''}".lower()
        box = Box(element, tag, parent, parent.depth + 1 if parent else 0, name if len(name) > 3 else "")
        self._result.boxes.append(box)
        return box

    def _leaf(self, element: Element, tag: str, parent: Box) -> None:
        text = " ".join(element.text.split())
        if _SAYS.search(text):
            links = sum(len(link.text) for link in element.find_all("a"))
            self._add(Block(self._box(element, tag, parent), text, min(links, len(text))))

    def _inline(self, element: Element, tag: str) -> None:
        text = element.text if tag != "br" else " "
        if not text:
            return
        self._pieces.append(text)
        self._nodes.append(element)
        if tag == "a":
            self._links += len(text)
        elif tag != "br":
            self._links += sum(len(link.text) for link in element.find_all("a"))

    def _end_run(self, box: Box) -> None:
        if not self._pieces:
            return
        text = " ".join("".join(self._pieces).split())
        if _SAYS.search(text):
            self._add(Block(box, text, min(self._links, len(text)), tuple(self._nodes)))
        self._pieces.clear()
        self._nodes.clear()
        self._links = 0

    def _add(self, block: Block) -> None:
        box, size = block.box, len(block.text)
        box.chars += size
        box.links += block.links
        box.count += 1
        if size >= 60 and block.links < 0.35 * size:
            box.prose += size
        self._result.blocks.append(block)


def _sum_up(boxes: list[Box]) -> None:
    """Add each box's figures to the box around it, innermost first."""
    for box in reversed(boxes):
        above = box.parent
        if above is not None:
            above.chars += box.chars
            above.links += box.links
            above.count += box.count
            above.prose += box.prose
