"""What can be said of a block without understanding it: figures for the learned scorer.

Grouped by what they belong to, so that a figure is computed once where it is shared: of the page, of a box, of a
box seen from the blocks some levels below it, of a block. All are generic: the words authors give to elements,
sizes, links, punctuation, place on the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mcp_web.extract.html.blocks import Block, Blocks, Box
from mcp_web.extract.html.vocabulary import AROUND_TAGS, ASIDE_NAMES, BOX_TAGS, NAME_WORDS, saying
from mcp_web.model.page import Kind

PAGE_FIGURES = (
    "chars", "prose_share", "prose_mean", "longest_share", "articles", "paragraphs", "items", "pres", "headings",
    "core_share", "core_links", "core_blocks", "declared",
)  # fmt: skip
BOX_FIGURES = (
    "tag", "depth", "lift", "inside", "story", "article", "own_names", "group_count", "group_mean", "group_links",
    "group_share", "parent_tag",
)  # fmt: skip
LEVELS = (0, 1, 2, 3, 6)  # the box itself, the one around it …
LEVEL_FIGURES = ("share", "links", "prose")
BLOCK_FIGURES = (
    "chars", "links", "ends", "digits", "upper", "text_place", "copies", "to_h1", "run", "title", "after_core",
    "last_prose", "tag-1", "chars+1", "tag+1",
)  # fmt: skip

_TAG_NUMBER = {tag: number for number, tag in enumerate(BOX_TAGS)}
_TAG_BIT = {tag: 1 << number for number, tag in enumerate(AROUND_TAGS)}
_ASIDE = sum(1 << NAME_WORDS.index(word) for word in ASIDE_NAMES)
# What a page declares itself to be, in an order the trees can split: sentences first, lines last.
_KINDS = ("article", "documentation", "forum", "service", "product", "listing", "collection")
_BY_START: dict[str, list[tuple[str, int]]] = {}  # a word is looked for only where its first three letters stand
for _number, _word in enumerate(NAME_WORDS):
    _BY_START.setdefault(_word[:3], []).append((_word, 1 << _number))
_NUMBERS = re.compile(r"\d+")
_DIGITS = b"0123456789"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDS = '.!?…:;"”。！？»)'


@lru_cache(maxsize=50_000)
def _token_mask(token: str) -> int:
    mask = 0
    for at in range(len(token) - 2):
        for word, bit in _BY_START.get(token[at : at + 3], ()):
            if token.startswith(word, at):
                mask |= bit
    return mask


def name_mask(name: str) -> int:
    """Which of NAME_WORDS stand in a box's name, one bit each."""
    mask = 0
    for token in name.split():
        mask |= _token_mask(token)
    return mask


_known_mask = lru_cache(maxsize=20_000)(name_mask)


@lru_cache(maxsize=20_000)
def _look(name: str) -> str:
    """A name without its numbers: post-17 looks like post-18."""
    return _NUMBERS.sub("", name)


@dataclass(slots=True)
class BoxFacts:
    """What a box inherits from the boxes around it."""

    above: int  # names of every box around it and its own, body excluded
    own: int
    near: int  # names of the box and the one around it
    tags: int
    lift: int  # levels from here up to where the text's core branches off; 0 inside the core
    inside: int  # levels below the core, or -1 outside it
    group: list[int]  # count, chars, links of all boxes that look the same
    story: int  # levels below the box that holds title and text, or -1 outside it
    article: int  # which article element of the page, counted from 1; 0 in none


class PageFigures:
    """The figures of one page's blocks, ready for the scorer."""

    def __init__(self, read: Blocks, title: str = "", declared: Kind | None = None) -> None:
        self.read = read
        self.declared = declared
        self.title = title.lower()
        self._total = read.boxes[0].chars or 1
        self._sizes = [len(block.text) for block in read.blocks]
        self.core = _core(read)
        self.story = self._story()
        self.facts: dict[Box, BoxFacts] = {}
        self._measure_boxes()
        self.page = self._page_figures()

    def _story(self) -> Box | None:
        """The smallest box that holds the page's title as a heading and a good part of its prose."""
        heads = [block for block in self.read.blocks if block.box.tag in ("h1", "h2")]
        named = [block for block in heads if _title_match(block.text, self.title)]
        first = next((block for block in heads if block.box.tag == "h1"), named[0] if named else None)
        chosen = next((block for block in named if block.box.tag == "h1"), first)
        box = chosen.box if chosen else None
        least = max(300.0, 0.2 * self.core.prose)
        while box is not None and box.prose < least:
            box = box.parent
        return box

    def _measure_boxes(self) -> None:
        """Hand down to each box that holds text what the boxes around it are."""
        path: set[Box] = set()
        at: Box | None = self.core
        while at is not None:
            path.add(at)
            at = at.parent
        root, core, told, facts = self.read.boxes[0], self.core, self.story, self.facts
        lift, articles = core.depth, 0
        facts[root] = BoxFacts(
            0, 0, 0, 0, lift, -1 if lift else 0, [1, root.chars, root.links], 0 if root is told else -1, 0
        )
        groups: dict[tuple[str, str, str], list[int]] = {}
        for box in self.read.boxes:
            parent = box.parent
            if parent is None or not box.count:
                continue
            above = facts[parent]
            tag, name = box.tag, box.name
            own = _known_mask(name) if name else 0
            if box in path:
                lift, inside = core.depth - box.depth, (0 if box is core else -1)
            else:
                lift, inside = above.lift, (above.inside + 1 if above.inside >= 0 else -1)
            look = (tag, _look(name) if name else "", _look(parent.name))
            group = groups.get(look)
            if group is None:
                group = groups[look] = [0, 0, 0]
            group[0] += 1
            group[1] += box.chars
            group[2] += box.links
            story = 0 if box is told else above.story + 1 if above.story >= 0 else -1
            article = above.article
            if tag == "article" and not article:
                articles += 1
                article = articles
            tags = above.tags | _TAG_BIT.get(tag, 0)
            facts[box] = BoxFacts(above.above | own, own, above.own | own, tags, lift, inside, group, story, article)

    def box_figures(self, box: Box) -> list[float]:
        facts = self.facts[box]
        count, chars, links = facts.group
        number = _TAG_NUMBER.get
        return [
            number(box.tag, 40), box.depth, facts.lift, facts.inside, facts.story, facts.article, facts.own.bit_count(),
            count, chars / count, links / (chars or 1), chars / self._total,
            number((box.parent or box).tag, 40),
        ]  # fmt: skip

    def level_figures(self, box: Box) -> tuple[float, ...]:
        chars = box.chars or 1
        return box.chars / self._total, box.links / chars, box.prose / chars

    def _page_figures(self) -> list[float]:
        root, core, total = self.read.boxes[0], self.core, self._total
        tags = Counter([box.tag for box in self.read.boxes])
        prose = [size for size in map(_prose, self.read.blocks) if size]
        return [
            total, root.prose / total, sum(prose) / (len(prose) or 1), max(self._sizes, default=0) / total,
            tags["article"], tags["p"], tags["li"], tags["pre"], tags["h2"] + tags["h3"], core.chars / total,
            core.links / (core.chars or 1), core.count, _KINDS.index(self.declared) if self.declared in _KINDS else -1,
        ]  # fmt: skip

    def block_figures(self, left_out: Container[int] = ()) -> Iterator[tuple[int, list[float]]]:
        """One row per block with its place, in reading order."""
        blocks, total, title = self.read.blocks, self._total, self.title
        sizes = [*self._sizes, -1]  # nothing comes before the first block and after the last
        tags = [*(_TAG_NUMBER.get(block.box.tag, 40) for block in blocks), 41]
        copies = Counter([block.text for block in blocks])
        h1, core_last, last = self._landmarks()
        before = 0
        for at, block in enumerate(blocks):
            text, size = block.text, sizes[at]
            if at not in left_out:
                raw = text[:200].encode("ascii", "replace")
                length = len(raw)
                yield at, [
                    size, block.links / size, text[-1] in _ENDS, 1 - len(raw.translate(None, _DIGITS)) / length,
                    1 - len(raw.translate(None, _UPPER)) / length, before / total, copies[text],
                    at - h1 if h1 >= 0 else -999, bool(block.nodes), _title_match(text, title) if size <= 300 else 0,
                    at - core_last, last - at, tags[at - 1], sizes[at + 1], tags[at + 1],
                ]  # fmt: skip
            before += size

    def says(self, at: int) -> int:
        """Which kinds of sayings a block holds; a long text says more than that."""
        return saying(self.read.blocks[at].text) if self._sizes[at] <= 90 else 0

    def _landmarks(self) -> tuple[int, int, int]:
        """Where the first h1 stands, where the core ends, and where its prose ends."""
        blocks, facts = self.read.blocks, self.facts
        h1 = next((at for at, block in enumerate(blocks) if block.box.tag == "h1"), -1)
        core = [at for at, block in enumerate(blocks) if facts[block.box].inside >= 0]
        last = next((at for at in reversed(core) if _prose(blocks[at])), len(blocks))
        return h1, core[-1] if core else len(blocks), last


def _core(read: Blocks) -> Box:
    """The smallest box that still holds most of the page's own prose."""
    _discount(read)
    core = read.boxes[0]
    least = 0.55 * core.prose
    for box in read.boxes:
        if box.parent is core and box.prose >= least and box.prose > 0:
            core = box
    return core


def _discount(read: Blocks) -> None:
    """Take the prose of comments, sidebars and teasers out of the count, so that it does not pull the core."""
    aside: set[Box] = set()
    for box in read.boxes[1:]:
        if box.parent in aside or box.tag == "aside" or (box.name and _known_mask(box.name) & _ASIDE):
            aside.add(box)
    lost = [(block.box, _prose(block)) for block in read.blocks if block.box in aside]
    if sum(size for _, size in lost) >= 0.9 * read.boxes[0].prose:
        return
    for box, size in lost:
        around: Box | None = box if size else None
        while around is not None:
            around.prose -= size
            around = around.parent


def _prose(block: Block) -> int:
    size = len(block.text)
    return size if size >= 60 and block.links < 0.35 * size else 0


def _title_match(text: str, title: str) -> int:
    """2 where the line is the page's title, 1 where the title holds it."""
    if not title or len(text) > 300 or len(text) < 8:
        return 0
    line = text.lower()
    if title.startswith(line) or line.startswith(title):
        return 2
    return 1 if line in title else 0
