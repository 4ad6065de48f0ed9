"""Features of blocks for the scorer, none of which depends on the meaning of the text.

A shared feature is computed once: those of the page, of a box, of a box seen from blocks below it, and of a block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from itertools import accumulate

from mcp_web.extract.html.blocks import Blocks, Box
from mcp_web.extract.html.vocabulary import (
    ALL_WORDS,
    AROUND_TAGS,
    ASIDE_NAMES,
    BOX_TAGS,
    CHROME_WORDS,
    CONTENT_WORDS,
    NAME_PATTERN,
    NAME_WORDS,
    says_aside,
)
from mcp_web.model.page import PageKind

PAGE_FEATURES = (
    "chars", "prose_share", "prose_mean", "longest_share", "articles", "paragraphs", "items", "pres", "headings",
    "core_share", "core_links", "core_blocks", "declared", "mains", "titles",
)  # fmt: skip
BOX_FEATURES = (
    "tag", "depth", "lift", "inside", "story", "article", "own_names", "group_count", "group_mean", "group_links",
    "group_share", "parent_tag", "own_chrome", "chrome", "own_content", "content",
)  # fmt: skip
LEVELS = (0, 1, 3)  # the box itself, the one around it …
LEVEL_FEATURES = ("share", "links", "prose")
BLOCK_FEATURES = (
    "chars", "links", "ends", "digits", "upper", "text_place", "copies", "to_h1", "run", "after_core", "last_prose",
    "tag-1", "chars+1", "tag+1", "chars-1", "links-1", "links+1", "near_prose", "near_links", "commas", "stops",
    "aside", "head_aside", "head_links", "to_head",
)  # fmt: skip

# The bits of each word, including those of shorter words inside it.
_NAME_BIT = {word: sum(1 << at for at, part in enumerate(ALL_WORDS) if part in word) for word in ALL_WORDS}
_CHROME = sum(1 << ALL_WORDS.index(word) for word in CHROME_WORDS)
_CONTENT = sum(1 << ALL_WORDS.index(word) for word in CONTENT_WORDS)
_BITS = (1 << len(NAME_WORDS)) - 1
_TAG_NUMBER = {tag: number for number, tag in enumerate(BOX_TAGS)}
_TAG_BIT = {tag: 1 << number for number, tag in enumerate(AROUND_TAGS)}
_ASIDE = sum(1 << ALL_WORDS.index(word) for word in ASIDE_NAMES)
# The declared kinds of pages, from those with the most sentences to those with the fewest, so that a tree can split
# them.
_KINDS = ("article", "documentation", "forum", "service", "product", "listing", "collection")
_NEAR = 3  # blocks
_REPEATED = 4  # boxes that look alike are items of the page
_COMMAS, _STOPS = ",，、،", ".。।"
_HEADS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DIGITS = b"0123456789"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDS = '.!?…:;"”。！？»)'

Names = dict[str, tuple[int, bytes]]


def read_names(boxes: list[Box]) -> Names:
    """For each distinct name (class, id, role, itemprop) of the boxes, a pair: which of ALL_WORDS are in it, one bit
    each, and the name without digits in UTF-8."""
    names = list({box.name: None for box in boxes})
    text = "\0".join(names)  # no page can bring one
    looks = text.encode("utf-8", "replace").translate(None, _DIGITS).split(b"\0")  # post-17 looks like post-18
    found = {}
    for name, look in zip(names, looks, strict=True):
        mask = 0
        for word in NAME_PATTERN.findall(name):
            mask |= _NAME_BIT[word]
        found[name] = mask, look
    return found


class PageFeatures:
    """The features (numbers) of one page, its boxes and its blocks, from which the scorer computes what is content."""

    def __init__(self, read: Blocks, title: str = "", declared: PageKind | None = None) -> None:
        self.read = read
        self.declared = declared
        self.title = title.lower()
        self._total = read.boxes[0].chars or 1
        self._sizes = [len(block.text) for block in read.blocks]
        self._prose = [block.prose for block in read.blocks]
        self._names = read_names(read.boxes)
        self._discount()
        self.core = read.boxes[0]  # then the smallest box that contains most of the page's prose
        least = 0.55 * self.core.prose
        for box in read.boxes:
            if box.parent is self.core and box.prose >= least and box.prose > 0:
                self.core = box
        self.is_story = False  # whether the page is declared an article, and its title is the heading of `story`
        self.story = self._story()
        self._measure_boxes()
        self.prose_share = read.boxes[0].prose / self._total
        self.page = self._page_features()

    def _discount(self) -> None:
        """Subtract the sentences of comments, sidebars and teasers from the `prose` of the boxes around them, unless
        these are nearly all: they are not to influence which box is the core, the one with most of the page's
        sentences."""
        boxes, blocks = self.read.boxes, self.read.blocks
        named = {name for name, (mask, _) in self._names.items() if mask & _ASIDE}
        aside: set[Box] = set()
        for box in boxes[1:]:
            if box.name in named or box.tag == "aside" or box.parent in aside:
                aside.add(box)
        if not aside:
            return
        lost = [
            (block.box, size) for block, size in zip(blocks, self._prose, strict=True) if size and block.box in aside
        ]
        if sum([size for _, size in lost]) >= 0.9 * boxes[0].prose:
            return
        for box, size in lost:
            for around in around_box(box):
                around.prose -= size

    def _story(self) -> Box | None:
        """The smallest box around the page's heading with a good part of the core's sentences; None if there is none.
        The heading: an `h1` with the page's title, else the first `h1`, else an `h2` with it. Sets `is_story` too."""
        heads = [block for block in self.read.blocks if block.box.tag in ("h1", "h2")]
        lines = [(block, block.text.lower()) for block in heads if self.title and 8 <= len(block.text) <= 300]
        named = [block for block, line in lines if line in self.title or line.startswith(self.title)]
        first = next((block for block in heads if block.box.tag == "h1"), named[0] if named else None)
        chosen = next((block for block in named if block.box.tag == "h1"), first)
        least = max(300.0, 0.2 * self.core.prose)
        box = next((each for each in around_box(chosen.box if chosen else None) if each.prose >= least), None)
        self.is_story = self.declared == "article" and any(
            around is box for block in named for around in around_box(block.box)
        )
        return box

    def _measure_boxes(self) -> None:
        """Set the attributes that `Box` declares for each box with text: words in its names, place beside core and
        title, group."""
        core, story_box, names = self.core, self.story, self._names
        path = set(around_box(core))
        root = self.read.boxes[0]
        root.own = root.above = root.tags = root.article = root.chrome = root.content = articles = 0
        root.lift, root.inside = core.depth, -1 if core.depth else 0
        root.group, root.story = [1, root.chars, root.links], 0 if root is story_box else -1
        groups: dict[tuple[str, bytes, bytes], list[int]] = {}
        for box in self.read.boxes:
            parent = box.parent
            if parent is None or not box.count:
                continue
            tag = box.tag
            box.own, look = names[box.name]
            own = box.own
            box.above = parent.above | (own & _BITS)
            box.chrome = parent.chrome + (own & _CHROME).bit_count()
            box.content = parent.content + (own & _CONTENT).bit_count()
            box.tags = parent.tags | _TAG_BIT.get(tag, 0)
            inside, story, article = parent.inside, parent.story, parent.article
            if box in path:
                box.lift, box.inside = core.depth - box.depth, 0 if box is core else -1
            else:
                box.lift, box.inside = parent.lift, inside + 1 if inside >= 0 else -1
            box.story = 0 if box is story_box else story + 1 if story >= 0 else -1
            if tag == "article" and not article:
                articles += 1
                article = articles
            box.article = article
            key = (tag, look, names[parent.name][1])
            group = box.group = groups.setdefault(key, [0, 0, 0])
            group[0] += 1
            group[1] += box.chars
            group[2] += box.links

    def box_features(self, box: Box) -> list[float]:
        count, chars, links = box.group
        number, parent = _TAG_NUMBER.get, box.parent or box
        return [
            number(box.tag, 40), box.depth, box.lift, box.inside, box.story, box.article, (box.own & _BITS).bit_count(),
            count, chars / count, links / (chars or 1), chars / self._total, number(parent.tag, 40),
            box.chrome - parent.chrome, box.chrome, box.content - parent.content, box.content,
        ]  # fmt: skip

    def level_features(self, box: Box) -> tuple[float, ...]:
        chars = box.chars or 1
        return box.chars / self._total, box.links / chars, box.prose / chars

    def _page_features(self) -> list[float]:
        core, total = self.core, self._total
        tags = Counter([box.tag for box in self.read.boxes])
        prose = [size for size in self._prose if size]
        return [
            total, self.prose_share, sum(prose) / (len(prose) or 1), max(self._sizes, default=0) / total,
            tags["article"], tags["p"], tags["li"], tags["pre"], tags["h2"] + tags["h3"], core.chars / total,
            core.links / (core.chars or 1), core.count, _KINDS.index(self.declared) if self.declared in _KINDS else -1,
            tags["main"], tags["h1"],
        ]  # fmt: skip

    def block_features(self, left_out: Container[int] = ()) -> Iterator[tuple[int, list[float]]]:
        """The index and the features (BLOCK_FEATURES) of each block that is not in `left_out`, in reading order."""
        blocks, total = self.read.blocks, self._total
        sizes = [*self._sizes, -1]  # nothing comes before the first block and after the last
        links = [*[block.links / size for block, size in zip(blocks, sizes, strict=False)], -1]
        tags = [*[_TAG_NUMBER.get(block.box.tag, 40) for block in blocks], 41]
        copies = Counter([block.text for block in blocks])
        h1 = next((at for at, block in enumerate(blocks) if block.box.tag == "h1"), -1)
        core = [at for at, block in enumerate(blocks) if block.box.inside >= 0]
        core_last = core[-1] if core else len(blocks)
        last = next((at for at in reversed(core) if self._prose[at]), len(blocks))  # of its prose
        heads = self._heads(left_out)
        # The characters before each block (all, in sentences, in links), padded at both ends.
        counts = (self._sizes, self._prose, [block.links for block in blocks])
        sums = (list(accumulate(each, initial=0)) for each in counts)
        chars, prose, linked = ([*[0] * _NEAR, *each, *[each[-1]] * _NEAR] for each in sums)
        before = 0
        for at, block in enumerate(blocks):
            text, size = block.text, sizes[at]
            if at not in left_out:
                raw = text[:200].encode("ascii", "replace")
                length = len(raw)
                plain = text.isascii()
                end = at + 2 * _NEAR + 1
                near = chars[end] - chars[at]  # of the block and three on either side
                yield at, [
                    size, links[at], text[-1] in _ENDS, 1 - len(raw.translate(None, _DIGITS)) / length,
                    1 - len(raw.translate(None, _UPPER)) / length, before / total, copies[text],
                    at - h1 if h1 >= 0 else -999, bool(block.nodes),
                    at - core_last, last - at, tags[at - 1], sizes[at + 1], tags[at + 1], sizes[at - 1], links[at - 1],
                    links[at + 1], (prose[end] - prose[at]) / near, (linked[end] - linked[at]) / near,
                    text.count(",", 0, 300) if plain else _count(text, _COMMAS),
                    text.count(".", 0, 300) if plain else _count(text, _STOPS), *heads[at],
                ]  # fmt: skip
            before += size

    def _heads(self, left_out: Container[int]) -> list[tuple[bool, bool, float, int]]:
        """For each block: whether it and the heading above it have phrases such as "Related" (`says_aside`), the share
        of that heading in links, and how many blocks it is away; -1 for both without a heading."""
        found = []
        head_aside, head_links, since = False, -1.0, -1
        for at, block in enumerate(self.read.blocks):
            is_head = block.box.tag in _HEADS
            aside = (is_head or at not in left_out) and says_aside(block.text)
            since += since >= 0
            if is_head:
                head_aside, head_links, since = aside, block.links / len(block.text), 0
            found.append((aside, head_aside, head_links, since))
        return found


def around_box(box: Box | None) -> Iterator[Box]:
    """The box and its ancestors, from the inside out; nothing for None."""
    while box is not None:
        yield box
        box = box.parent


def is_item(box: Box) -> bool:
    """Whether a box is an item, such as a card: it has several blocks, and at least three other boxes look like it."""
    return box.count > 1 and box.group[0] >= _REPEATED and box.parent is not None


def _count(text: str, signs: str) -> int:
    return sum([text.count(sign, 0, 300) for sign in signs])
