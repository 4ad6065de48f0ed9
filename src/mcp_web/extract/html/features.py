"""What can be said of a block without understanding it: figures for the learned scorer.

Grouped by what they belong to, so that a figure is computed once where it is shared: of the page, of a box, of a
box seen from the blocks some levels below it, of a block. All are generic: the words authors give to elements,
sizes, links, punctuation, place on the page.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mcp_web.extract.html.blocks import Block, Blocks, Box
from mcp_web.extract.html.vocabulary import AROUND_TAGS, ASIDE_NAMES, BOX_TAGS, DATE, MONEY, NAME_WORDS, saying
from mcp_web.model.page import Kind

PAGE_FIGURES = (
    "blocks", "chars", "link_share", "prose_share", "prose_mean", "longest_share", "articles", "paragraphs", "items",
    "pres", "headings", "short_share", "dates", "money", "groups", "core_share", "core_links", "core_blocks",
    "declared",
)  # fmt: skip
BOX_FIGURES = (
    "tag", "depth", "lift", "inside", "story", "article", "own_names", "group_count", "group_mean", "group_links",
    "group_share", "parent_tag",
)  # fmt: skip
LEVELS = (0, 1, 2, 3, 4, 6)  # the box itself, the one around it …
LEVEL_FIGURES = ("share", "links", "blocks", "prose")
BLOCK_FIGURES = (
    "chars", "words", "links", "ends", "digits", "upper", "place", "text_place", "copies", "to_h1", "run", "title",
    "date", "since_head", "head_level", "head_says", "after_core", "first_prose", "last_prose", "chars-1", "links-1",
    "tag-1", "chars+1", "links+1", "tag+1", "chars-3..-1", "chars+1..+3",
)  # fmt: skip

_TAG_NUMBER = {tag: number for number, tag in enumerate(BOX_TAGS)}
_TAG_BIT = {tag: 1 << number for number, tag in enumerate(AROUND_TAGS)}
_ASIDE = sum(1 << NAME_WORDS.index(word) for word in ASIDE_NAMES)
_HEADS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
# What a page declares itself to be, in an order the trees can split: sentences first, lines last.
_KINDS = ("article", "documentation", "forum", "service", "product", "listing", "collection")
_BY_START: dict[str, list[tuple[str, int]]] = {}  # a word is looked for only where its first three letters stand
for _number, _word in enumerate(NAME_WORDS):
    _BY_START.setdefault(_word[:3], []).append((_word, 1 << _number))
_NUMBERS = re.compile(r"\d+")
_DIGITS = b"0123456789"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDS = '.!?…:;"”。！？»)'
_SHORT = 120  # characters: a date or a price in a longer text is no sign


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
        self.says = [saying(block.text) if len(block.text) <= 90 else 0 for block in read.blocks]
        self.core = _core(read)
        self.story = self._story()
        self._articles = 0
        self.facts: dict[Box, BoxFacts] = {}
        self._measure_boxes()
        self._digits = [_digit_share(block.text) for block in read.blocks]
        self._dated = self._short_with(DATE)
        self._priced = self._short_with(MONEY)
        self.page = self._page_figures()

    def _short_with(self, pattern: re.Pattern[str]) -> list[bool]:
        return [
            share > 0 and len(block.text) < _SHORT and pattern.search(block.text) is not None
            for block, share in zip(self.read.blocks, self._digits, strict=True)
        ]

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
        path: set[Box] = set()
        at: Box | None = self.core
        while at is not None:
            path.add(at)
            at = at.parent
        groups: dict[tuple[str, str, str], list[int]] = {}
        root = self.read.boxes[0]
        lift = self.core.depth
        self.facts[root] = BoxFacts(
            0, 0, 0, 0, lift, -1 if lift else 0, [1, root.chars, root.links], 0 if root is self.story else -1, 0
        )
        for box in self.read.boxes[1:]:
            self.facts[box] = self._facts(box, path, groups)

    def _facts(self, box: Box, path: set[Box], groups: dict[tuple[str, str, str], list[int]]) -> BoxFacts:
        parent = box.parent
        assert parent is not None
        above = self.facts[parent]
        own = _known_mask(box.name) if box.name else 0
        if box in path:
            lift, inside = self.core.depth - box.depth, (0 if box is self.core else -1)
        else:
            lift, inside = above.lift, (above.inside + 1 if above.inside >= 0 else -1)
        look = (box.tag, _look(box.name), _look(parent.name))
        group = groups.get(look)
        if group is None:
            group = groups[look] = [0, 0, 0]
        group[0] += 1
        group[1] += box.chars
        group[2] += box.links
        story = 0 if box is self.story else above.story + 1 if above.story >= 0 else -1
        article = above.article
        if box.tag == "article" and not article:
            self._articles += 1
            article = self._articles
        tags = above.tags | _TAG_BIT.get(box.tag, 0)
        return BoxFacts(above.above | own, own, above.own | own, tags, lift, inside, group, story, article)

    def box_figures(self, box: Box) -> list[float]:
        facts = self.facts[box]
        count, chars, links = facts.group
        number = _TAG_NUMBER.get
        return [
            number(box.tag, 40), box.depth, facts.lift, facts.inside, facts.story, facts.article, facts.own.bit_count(),
            count, chars / count, links / (chars or 1), chars / (self.read.boxes[0].chars or 1),
            number((box.parent or box).tag, 40),
        ]  # fmt: skip

    def level_figures(self, box: Box) -> list[float]:
        chars = box.chars or 1
        return [box.chars / (self.read.boxes[0].chars or 1), box.links / chars, box.count, box.prose / chars]

    def _page_figures(self) -> list[float]:
        blocks, root, core = self.read.blocks, self.read.boxes[0], self.core
        total = root.chars or 1
        tags: dict[str, int] = {}
        for box in self.read.boxes:
            tags[box.tag] = tags.get(box.tag, 0) + 1
        sizes = [len(block.text) for block in blocks]
        prose = [size for size in map(_prose, blocks) if size]
        count = tags.get
        return [
            len(blocks), total, root.links / total, root.prose / total, sum(prose) / (len(prose) or 1),
            max(sizes, default=0) / total, count("article", 0), count("p", 0), count("li", 0), count("pre", 0),
            count("h2", 0) + count("h3", 0), sum(size for size in sizes if size < 40) / total,
            sum(self._dated), sum(self._priced), max(facts.group[0] for facts in self.facts.values()),
            core.chars / total, core.links / (core.chars or 1), core.count,
            _KINDS.index(self.declared) if self.declared in _KINDS else -1,
        ]  # fmt: skip

    def block_figures(self, left_out: Container[int] = ()) -> Iterator[tuple[int, list[float]]]:
        """One row per block with its place, in reading order."""
        blocks = self.read.blocks
        count = len(blocks)
        total = self.read.boxes[0].chars or 1
        sizes = [len(block.text) for block in blocks]
        # Two blocks of nothing on both sides spare the loop its edges.
        wide = [-1, -1, -1, *sizes, -1, -1, -1]
        links = [-1.0, *(block.links / len(block.text) for block in blocks), -1.0]
        tags = [41, *(_TAG_NUMBER.get(block.box.tag, 40) for block in blocks), 41]
        copies: dict[str, int] = {}
        for block in blocks:
            copies[block.text] = copies.get(block.text, 0) + 1
        h1, core_last, first, last = self._landmarks()
        before, head_at, head_level, head_says = 0, -1, 0, 0
        for at, block in enumerate(blocks):
            text, size = block.text, sizes[at]
            if at not in left_out:
                raw = text[:200].encode("ascii", "replace")
                yield at, [
                    size, text.count(" ") + 1, links[at + 1], text[-1] in _ENDS, self._digits[at],
                    1 - len(raw.translate(None, _UPPER)) / len(raw), at / count, before / total, copies[text],
                    at - h1 if h1 >= 0 else -999, bool(block.nodes), _title_match(text, self.title), self._dated[at],
                    at - head_at if head_at >= 0 else -1, head_level, head_says, at - core_last, at - first, last - at,
                    wide[at + 2], links[at], tags[at], wide[at + 4], links[at + 2], tags[at + 2],
                    wide[at] + wide[at + 1] + wide[at + 2], wide[at + 4] + wide[at + 5] + wide[at + 6],
                ]  # fmt: skip
            before += size
            level = _HEADS.get(block.box.tag)
            if level:
                head_at, head_level, head_says = at, level, self.says[at].bit_length()

    def _landmarks(self) -> tuple[int, int, int, int]:
        """Where the first h1 stands, where the core ends, and where its prose begins and ends."""
        blocks, facts = self.read.blocks, self.facts
        h1 = next((at for at, block in enumerate(blocks) if block.box.tag == "h1"), -1)
        core = [at for at, block in enumerate(blocks) if facts[block.box].inside >= 0]
        prose = [at for at in core if _prose(blocks[at])]
        core_last = core[-1] if core else len(blocks)
        first, last = (prose[0], prose[-1]) if prose else (0, len(blocks))
        return h1, core_last, first, last


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


def _digit_share(text: str) -> float:
    raw = text[:200].encode("ascii", "replace")
    return 1 - len(raw.translate(None, _DIGITS)) / len(raw)


def _title_match(text: str, title: str) -> int:
    """2 where the line is the page's title, 1 where the title holds it."""
    if not title or len(text) > 300 or len(text) < 8:
        return 0
    line = text.lower()
    if title.startswith(line) or line.startswith(title):
        return 2
    return 1 if line in title else 0
