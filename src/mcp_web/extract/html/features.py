"""What can be said of a block without understanding it: figures for the learned scorer.

Three groups, so that a figure is computed once where it is shared: of the page, of a box, of a block.
All are generic: words authors give to elements, sizes, links, punctuation, place on the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mcp_web.extract.html.blocks import Block, Blocks, Box
from mcp_web.extract.html.vocabulary import AROUND_TAGS, ASIDE_NAMES, BOX_TAGS, DATE, MONEY, NAME_WORDS, PHRASES

_TAG_NUMBER = {tag: number for number, tag in enumerate(BOX_TAGS)}
_TAG_BIT = {tag: 1 << number for number, tag in enumerate(AROUND_TAGS)}
_PHRASE = [re.compile(pattern, re.I) for _, pattern in PHRASES]
_ANY_PHRASE = re.compile("|".join(f"(?:{pattern})" for _, pattern in PHRASES), re.I)
_DIGITS = re.compile(r"\d+")
_ENDS = '.!?…:;"”。！？»)'


@lru_cache(maxsize=20_000)
def name_mask(name: str) -> int:
    """Which of NAME_WORDS stand in a box's name, one bit each."""
    mask = 0
    for number, word in enumerate(NAME_WORDS):
        if word in name:
            mask |= 1 << number
    return mask


@dataclass(slots=True)
class BoxFacts:
    """What a box inherits from the boxes around it."""

    above: int  # names of every box around it and its own, body excluded
    near: int  # names of the box and the one around it
    own: int
    tags: int
    lift: int  # levels from here up to where the text's core branches off; 0 inside the core
    inside: int  # levels below the core, or -1 outside it
    group: list[int]  # count, chars, links of all boxes that look the same
    story: int  # levels below the box that holds title and text, or -1 outside it
    article: int  # which article element of the page, counted from 1; 0 in none


PAGE_FIGURES = (
    "blocks", "chars", "link_share", "prose_share", "prose_mean", "longest_share", "articles", "mains", "paragraphs",
    "items", "pres", "tables", "headings", "h1s", "short_share", "dates", "money", "groups", "phrases", "core_share",
    "core_links", "core_blocks", "code_share",
)  # fmt: skip
BOX_FIGURES = (
    "tag", "depth", "lift", "inside", "story", "article", "article_prose", "main_core",
    "own_names", "group_count", "group_mean", "group_links", "group_share",
    *(f"{what}{level}" for level in (0, 1, 2, 3, 4, 6) for what in ("share", "links", "blocks", "prose")),
    "parent_tag", "grand_tag", "heads_text",
)  # fmt: skip
BLOCK_FIGURES = (
    "chars", "words", "links", "commas", "stops", "ends", "digits", "upper", "word_size", "place", "text_place",
    "copies", "to_h1", "run", "title", "date", "money", "bars", "since_head", "head_level", "head_phrase",
    "before_core", "after_core", "first_prose", "last_prose",
    *(f"{what}{step:+d}" for step in (-2, -1, 1, 2) for what in ("chars", "links", "tag")),
    "chars-3..-1", "chars+1..+3",
)  # fmt: skip


class PageFigures:
    """The figures of one page's blocks, ready for the scorer."""

    def __init__(self, read: Blocks, title: str = "") -> None:
        self.read = read
        self.title = title.lower()
        self.page: list[float] = []
        self.phrases = [_phrases(block.text) for block in read.blocks]
        self.wide = _core(read.boxes, 0.55)
        _discount(read)
        self.core = _core(read.boxes, 0.55)
        self.story = self._story()
        self._articles: list[Box] = []
        self.facts: dict[Box, BoxFacts] = {}
        self._figures_of: dict[Box, list[float]] = {}
        self._measure_boxes()
        self._measure_page()

    # -- boxes
    def _measure_boxes(self) -> None:
        core_path: set[Box] = set()
        at: Box | None = self.core
        while at is not None:
            core_path.add(at)
            at = at.parent
        groups: dict[tuple[str, str, str], list[int]] = {}
        for box in self.read.boxes:
            above = self.facts.get(box.parent) if box.parent else None
            self.facts[box] = self._facts(box, above, core_path, groups)

    def _facts(
        self, box: Box, above: BoxFacts | None, path: set[Box], groups: dict[tuple[str, str, str], list[int]]
    ) -> BoxFacts:
        if above is None or box.parent is None:
            lift = self.core.depth - box.depth
            group = [1, box.chars, box.links]
            return BoxFacts(0, 0, 0, 0, lift, 0 if lift == 0 else -1, group, 0 if box is self.story else -1, 0)
        own = name_mask(box.name) if box.name else 0
        if box in path:
            lift, inside = self.core.depth - box.depth, (0 if box is self.core else -1)
        else:
            lift, inside = above.lift, (above.inside + 1 if above.inside >= 0 else -1)
        look = (box.tag, _DIGITS.sub("", box.name), _DIGITS.sub("", box.parent.name))
        group = groups.setdefault(look, [0, 0, 0])
        group[0] += 1
        group[1] += box.chars
        group[2] += box.links
        tags = above.tags | _TAG_BIT.get(box.tag, 0)
        story = 0 if box is self.story else above.story + 1 if above.story >= 0 else -1
        article = above.article
        if box.tag == "article" and not article:
            self._articles.append(box)
            article = len(self._articles)
        return BoxFacts(above.above | own, above.own | own, own, tags, lift, inside, group, story, article)

    def box_figures(self, box: Box) -> list[float]:
        known = self._figures_of.get(box)
        if known is None:
            known = self._figures_of[box] = self._box_figures(box)
        return known

    def _box_figures(self, box: Box) -> list[float]:
        facts = self.facts[box]
        total = max(1, self.read.boxes[0].chars)
        count, chars, links = facts.group
        row: list[float] = [
            _TAG_NUMBER.get(box.tag, 40), box.depth, facts.lift, facts.inside, facts.story, facts.article,
            self._articles[facts.article - 1].prose / max(1, self.read.boxes[0].prose) if facts.article else -1,
            self.core is self.wide, facts.own.bit_count(),
            count, chars / count, links / max(1, chars), chars / total,
        ]  # fmt: skip
        at: Box = box
        level = 0
        for wanted in (0, 1, 2, 3, 4, 6):
            while level < wanted and at.parent is not None:
                at = at.parent
                level += 1
            row += (at.chars / total, at.links / max(1, at.chars), at.count, at.prose / max(1, at.chars))
        parent = box.parent or box
        grand = parent.parent or parent
        row += (_TAG_NUMBER.get(parent.tag, 40), _TAG_NUMBER.get(grand.tag, 40), parent.chars)
        return row

    def _story(self) -> Box | None:
        """The smallest box that holds the page's title as a heading and a good part of its prose."""
        heads = [b for b in self.read.blocks if b.box.tag in ("h1", "h2")]
        named = [b for b in heads if _title_match(b.text, self.title)]
        chosen = next((b for b in named if b.box.tag == "h1"), None) or next(
            (b for b in heads if b.box.tag == "h1"), named[0] if named else None
        )
        box = chosen.box if chosen else None
        least = max(300.0, 0.2 * self.core.prose)
        while box is not None and box.prose < least:
            box = box.parent
        return box

    # -- page
    def _measure_page(self) -> None:
        blocks, root = self.read.blocks, self.read.boxes[0]
        total = max(1, root.chars)
        tags: dict[str, int] = {}
        for box in self.read.boxes:
            tags[box.tag] = tags.get(box.tag, 0) + 1
        sizes = [len(block.text) for block in blocks] or [0]
        prose = [len(b.text) for b in blocks if len(b.text) >= 60 and b.links < 0.35 * len(b.text)]
        code = sum(len(b.text) for b in blocks if b.box.tag == "pre")
        core = self.core
        self.page = [
            len(blocks), total, root.links / total, root.prose / total, sum(prose) / max(1, len(prose)),
            max(sizes) / total,
            tags.get("article", 0), tags.get("main", 0), tags.get("p", 0), tags.get("li", 0), tags.get("pre", 0),
            tags.get("table", 0), tags.get("h2", 0) + tags.get("h3", 0), tags.get("h1", 0),
            sum(size for size in sizes if size < 40) / total,
            sum(1 for b in blocks if len(b.text) < 80 and DATE.search(b.text)),
            sum(1 for b in blocks if len(b.text) < 80 and MONEY.search(b.text)),
            max(facts.group[0] for facts in self.facts.values()),
            sum(1 for mask in self.phrases if mask) / max(1, len(blocks)),
            core.chars / total, core.links / max(1, core.chars), core.count, code / total,
        ]  # fmt: skip

    # -- blocks
    def block_figures(self) -> list[list[float]]:
        blocks = self.read.blocks
        count = len(blocks)
        total = max(1, self.read.boxes[0].chars)
        sizes = [len(block.text) for block in blocks]
        shares = [block.links / size for block, size in zip(blocks, sizes, strict=True)]
        tags = [_TAG_NUMBER.get(block.box.tag, 40) for block in blocks]
        copies: dict[str, int] = {}
        for block in blocks:
            copies[block.text] = copies.get(block.text, 0) + 1
        h1 = next((at for at, block in enumerate(blocks) if block.box.tag == "h1"), -1)
        core = [at for at, block in enumerate(blocks) if self.facts[block.box].inside >= 0]
        core_first, core_last = (core[0], core[-1]) if core else (0, count)
        prose = [
            at
            for at, size in enumerate(sizes)
            if size >= 60 and shares[at] < 0.35 and self.facts[blocks[at].box].inside >= 0
        ]
        first, last = (prose[0], prose[-1]) if prose else (0, count)
        near = [-1.0, -1.0, 41.0]
        sides = [[sizes[at], shares[at], tags[at]] for at in range(count)]
        rows: list[list[float]] = []
        before = 0
        head_at, head_level, head_phrase = -1, 0, 0
        for at, block in enumerate(blocks):
            text, size = block.text, sizes[at]
            words = text.count(" ") + 1
            head = text[:200]
            tag = block.box.tag
            row: list[float] = [
                size, words, shares[at], text.count(","), text.count(". "), text[-1] in _ENDS,
                sum(map(str.isdigit, head)) / len(head), sum(map(str.isupper, head)) / len(head), size / words,
                at / count, before / total, copies[text], (at - h1) if h1 >= 0 else -999, bool(block.nodes),
                _title_match(text, self.title), size < 120 and DATE.search(text) is not None,
                size < 120 and MONEY.search(text) is not None, "|" in text or "»" in text or "›" in text,
                at - head_at if head_at >= 0 else -1, head_level, head_phrase,
                core_first - at, at - core_last, at - first, last - at,
            ]  # fmt: skip
            for step in (-2, -1, 1, 2):
                row += sides[at + step] if 0 <= at + step < count else near
            row += (sum(sizes[max(0, at - 3) : at]), sum(sizes[at + 1 : at + 4]))
            rows.append(row)
            before += size
            if tag in _HEADS:
                head_at, head_level, head_phrase = at, _HEADS[tag], self.phrases[at].bit_length()
        return rows


_HEADS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}


def _core(boxes: list[Box], share: float) -> Box:
    """The smallest box that still holds most of the page's prose."""
    core = boxes[0]
    least = share * core.prose
    for box in boxes:
        if box.parent is core and box.prose >= least and box.prose > 0:
            core = box
    return core


_ASIDE = sum(1 << NAME_WORDS.index(word) for word in ASIDE_NAMES)


def _discount(read: Blocks) -> None:
    """Take the prose of comments, sidebars and teasers out of the count, so that it does not pull the core."""
    aside: set[Box] = set()
    for box in read.boxes[1:]:
        if box.parent in aside or box.tag == "aside" or name_mask(box.name) & _ASIDE:
            aside.add(box)
    total = read.boxes[0].prose
    lost = sum(_prose(b) for b in read.blocks if b.box in aside)
    if lost >= 0.9 * total:
        return
    for block in read.blocks:
        if block.box in aside and (size := _prose(block)):
            around: Box | None = block.box
            while around is not None:
                around.prose -= size
                around = around.parent


def _prose(block: Block) -> int:
    size = len(block.text)
    return size if size >= 60 and block.links < 0.35 * size else 0


def _phrases(text: str) -> int:
    """Which kinds of PHRASES a short line holds, one bit each; long text says them in passing."""
    if len(text) > 90 or not _ANY_PHRASE.search(text):
        return 0
    mask = 0
    for number, pattern in enumerate(_PHRASE):
        if pattern.search(text):
            mask |= 1 << number
    return mask


def _title_match(text: str, title: str) -> int:
    """2 where the line is the page's title, 1 where the title holds it."""
    if not title or len(text) > 300 or len(text) < 8:
        return 0
    line = text.lower()
    if title.startswith(line) or line.startswith(title):
        return 2
    return 1 if line in title else 0
