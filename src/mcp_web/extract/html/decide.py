"""Decides which blocks of a page are kept, from the chance of each to be content."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from operator import mul

from mcp_web.extract.html.blocks import Blocks, Box, HtmlBlock
from mcp_web.extract.html.features import PageFeatures, around_box, is_item
from mcp_web.extract.html.vocabulary import says_aside

_HIGHEST = 0.5  # a block more likely content than not always stays
# A page with fewer than _WHOLE blocks is kept whole: there is little evidence, and little that could be removed. A
# title above kept text is kept whatever its chance; on an article only if it has at most _SMALL blocks, because the
# models were trained on the titles of articles.
_WHOLE, _SMALL = 6, 12
_SURE = 0.7  # chance of a heading that is a sentence to be the standfirst of an article, not a teaser
_ITEMS = 0.5  # share of sentences in a page's text; a page with less consists of items
_ITEM_LEVELS = 8  # levels above a line in which its item is looked for
_TEXT = 0.5  # share of sentences in an element without its list; with less the list is not part of a text
_LINES = 3  # blocks of a list or table from which on it is kept or removed as a whole
_STORY = 300  # characters of sentences
# A copy has at least so many different sentences and so much of the kept ones: the parts of a reference repeat less.
_COPIED, _COPIED_SHARE = 3, 0.1
_COMMENTS = re.compile(r"(?:^|[\s_-])comments(?:$|[\s_-])")
_BACK = "a[href^='#'],a[href*='#'][href*=toc]"
_STOPS = ".!?…。！？"
_HEADS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}

Units = list[tuple[Box, list[int]]]  # lists and tables, each with the indexes of its blocks


def decide(features: PageFeatures, chances: list[float]) -> tuple[list[bool], float]:
    """Whether to keep each block, given the chance of each to be content; and the chance that was required."""
    read = features.read
    if len(read.blocks) < _WHOLE:
        return [True] * len(read.blocks), 0.0
    sizes = [block.text.count(" ") + 1 for block in read.blocks]
    if features.declared != "article" and features.prose_share < _ITEMS:
        chances = _agreed(read.blocks, chances)
    data = read.data_tables()
    units = read.units(data)
    chances = _pooled(units, data, sizes, chances)
    least = threshold(chances, sizes)
    kept = [chance >= least for chance in chances]
    _keep_lists_in_text(read, units, kept)
    _keep_tables(read.blocks, units, data, kept, features.declared == "product")
    is_article = features.declared == "article"
    _settle_headings(read.blocks, kept, chances, is_article)
    _keep_summaries(read.blocks, kept)
    if features.is_story:
        _drop_around_story(read.blocks, kept)
    if is_article:
        _drop_comments(read, kept)
    _drop_copies(read, kept)
    return kept, least


def _agreed(blocks: list[HtmlBlock], chances: list[float]) -> list[float]:
    """The chances for a page of items (cards, rows), changed so that the same lines of all items stay or go together.

    Lines of items that look alike get their mean, which is then moved half way to the mean of all lines of these items.
    Not for a page of sentences, where a caption or a share line may be between paragraphs.
    """
    grids: dict[int, list[int]] = {}
    for at, block in enumerate(blocks):
        around = islice(around_box(block.box), _ITEM_LEVELS)
        if item := next((box for box in around if is_item(box)), None):
            grids.setdefault(id(item.group), []).append(at)
    found = list(chances)
    for members in grids.values():
        mean = sum([chances[at] for at in members]) / len(members)
        lines: dict[tuple[int, bool], list[int]] = {}
        for at in members:
            lines.setdefault((id(blocks[at].box.group), blocks[at].links > 0), []).append(at)
        for alike in lines.values():
            of_line = sum([chances[at] for at in alike]) / len(alike)
            for at in alike:
                found[at] = (of_line + mean) / 2
    return found


def _pooled(units: Units, data: set[Box], sizes: list[int], chances: list[float]) -> list[float]:
    """The chances, with one mean for all blocks of a list or table, so that it stays or goes as a whole: half a table
    is no use.

    A list or layout table that is more than half of the page is the page, and its lines are decided one by one. `data`
    are the data tables among the `units`; `sizes` are the words of each block.
    """
    found = list(chances)
    half = 0.5 * sum(sizes)
    for unit, members in units:
        size = sum([sizes[at] for at in members])
        if len(members) >= _LINES and (size <= half or unit in data):
            mean = sum([chances[at] * sizes[at] for at in members]) / size
            for at in members:
                found[at] = mean
    return found


def threshold(chances: list[float], sizes: list[int]) -> float:
    """The chance, at most 0.5, from which on blocks are kept, so that the expected F1 is highest; `sizes`: words of
    each block. On a page of short linked lines all chances are low; with a fixed threshold nothing of it would be kept.
    """
    expected = sum(map(mul, chances, sizes))
    best, least = -1.0, _HIGHEST
    right = taken = 0.0
    for chance, size in sorted(zip(chances, sizes, strict=True), reverse=True):
        right += chance * size
        taken += size
        value = right / (taken + expected)
        if value > best:
            best, least = value, chance
    return min(least, _HIGHEST)


def _keep_lists_in_text(read: Blocks, units: Units, kept: list[bool]) -> None:
    """Change `kept` (for each block, whether it stays) so that a list or table in the same element as kept paragraphs
    stays, with the heading above it. Not if it is likely part of the site's template: in an element of short lines, or
    with a typical name, heading or line."""
    blocks = read.blocks
    around: dict[Box | None, int] = {}  # with the characters of its paragraphs that are too short to be sentences
    for block, keep in zip(blocks, kept, strict=True):
        if keep and block.box.tag in ("p", "h1", "h2", "h3"):
            is_short = block.box.tag == "p" and not block.prose and block.links < 0.5 * len(block.text)
            around[block.box.parent] = around.get(block.box.parent, 0) + is_short * len(block.text)
    for unit, members in units:
        if unit.parent not in around or unit.parent is None or unit.chrome != unit.parent.chrome:
            continue
        if unit.parent.prose + around[unit.parent] < _TEXT * (unit.parent.chars - unit.chars):
            continue
        above = members[0] - 1
        head = above if above >= 0 and blocks[above].box.tag in _HEADS else None
        lines = members if head is None else [head, *members]
        if not any(says_aside(blocks[at].text) for at in lines):
            for at in lines:
                kept[at] = True


def _keep_tables(blocks: list[HtmlBlock], units: Units, data: set[Box], kept: list[bool], is_product: bool) -> None:
    """Change `kept` so that a data table between kept blocks stays; on the page of a product all data tables, its
    specifications. Not if half of it is links, or if it has a phrase such as "Related". `data`: the data tables."""
    for unit, members in units:
        before, after = members[0] - 1, members[-1] + 1
        if unit not in data or unit.links >= 0.5 * unit.chars or any(says_aside(blocks[at].text) for at in members):
            continue
        if is_product or (before >= 0 and after < len(blocks) and kept[before] and kept[after]):
            for at in members:
                kept[at] = True


def _keep_summaries(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """Change `kept` so that the summary of a `details` element stays if the text right after it stays."""
    for at in range(len(blocks) - 2, -1, -1):
        if kept[at] or not kept[at + 1]:
            continue
        summary = next((box for box in around_box(blocks[at].box) if box.tag == "summary"), None)
        if summary is not None and (details := summary.parent) is not None:
            kept[at] = at + 1 < details.first + details.count


def _drop_around_story(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """On a declared article, set `kept` to False for what is outside the element with its title and text, if that has
    enough sentences.

    Teasers and other stories look like the text itself; that they are not under its title is independent evidence.
    Elements of the same tag and name as the text stay.
    """
    inside = [block for block, keep in zip(blocks, kept, strict=True) if keep and block.box.story >= 0 and block.prose]
    if sum([block.prose for block in inside]) < _STORY:
        return
    # The parts of a text that is divided by advertisements have the same tag and name, and are one article.
    alike = {(id(block.box.group), block.box.article) for block in inside}
    for at, block in enumerate(blocks):
        box = block.box
        kept[at] = kept[at] and (box.story >= 0 or (id(box.group), box.article) in alike)


def _drop_comments(read: Blocks, kept: list[bool]) -> None:
    """Set `kept` to False in elements with "comments" in their names, unless they have half of the kept text, as in a
    forum."""
    named = [box for box in read.boxes if "comments" in box.name and _COMMENTS.search(box.name)]
    inside = {at for box in named for at in _within(box) if kept[at]}
    whole = sum([len(block.text) for block, keep in zip(read.blocks, kept, strict=True) if keep])
    if sum([len(read.blocks[at].text) for at in inside]) < 0.5 * whole:
        for at in inside:
            kept[at] = False


def _drop_copies(read: Blocks, kept: list[bool]) -> None:
    """Set `kept` to False in each large element (a tenth of the prose or more) with the text of an earlier one: a copy
    for narrow screens, or a preview of a post. Of the first one, the blocks stay that either of them kept."""
    blocks = read.blocks
    sentences = [block for block, keep in zip(blocks, kept, strict=True) if keep and block.prose]
    repeated = {text for text, count in Counter([block.text for block in sentences]).items() if count > 1}
    if len(repeated) < _COPIED:
        return
    least = _COPIED_SHARE * sum([block.prose for block in sentences])
    first: dict[tuple[int, int, int], Box] = {}
    end = 0  # of the last copy
    for box in read.boxes:
        if box.first < end or box.count < _COPIED or (box.parent is not None and box.parent.count == box.count):
            continue
        original = first.setdefault((box.count, box.chars, box.links), box)
        away = box.first - original.first
        if away < box.count or any(blocks[at].text != blocks[at - away].text for at in _within(box)):
            continue
        copied = repeated.intersection([blocks[at].text for at in _within(box) if kept[at]])
        if len(copied) >= _COPIED and sum(map(len, copied)) >= least:
            end = box.first + box.count
            for at in _within(box):
                kept[at - away] = kept[at - away] or kept[at]
                kept[at] = False


def _within(box: Box) -> range:
    """The indexes of the blocks in a box."""
    return range(box.first, box.first + box.count)


def _settle_headings(blocks: list[HtmlBlock], kept: list[bool], chances: list[float], is_article: bool) -> None:
    """Change `kept` so that headings above kept text stay, and headings without kept text below go.

    A heading that is a sentence counts as text; in an article, where it may be a teaser, only if the models are sure.
    On a page that is not an article, and on small pages, titles right above kept text stay too.
    """
    with_titles = not is_article or len(blocks) <= _SMALL
    following = False  # whether the block after is kept
    level_after = 0
    for at in range(len(blocks) - 1, -1, -1):
        block = blocks[at]
        level = _HEADS.get(block.box.tag, 0)
        if level > 1 or (level and with_titles):
            if not kept[at] and following and not level_after:
                # A heading that leads elsewhere is a teaser; one may be linked to its place on the page or in a list.
                is_teaser = block.links >= 0.5 * len(block.text) and block.box.element.select_one(_BACK) is None
                is_title = with_titles and _is_title_of(blocks[at + 1], block)
                kept[at] = not is_teaser and (is_title or any(kept[max(0, at - 3) : at]))
            elif level > 1 and kept[at] and not following and not level_after:
                # a list of cards may consist of headings only
                is_sentence = block.prose > 0 and block.text[-1] in _STOPS
                is_text = is_sentence and (not is_article or chances[at] >= _SURE)
                kept[at] = is_text or (at + 1 >= len(blocks) and at > 0 and kept[at - 1])
        following, level_after = kept[at], level


def _is_title_of(text: HtmlBlock, heading: HtmlBlock) -> bool:
    """Whether an h1, h2 or h3 is in the same element as the text below it, or as the list that contains the text."""
    box = text.box
    around = [box, box.parent, box.parent.parent if box.tag == "li" and box.parent else box]
    return heading.box.tag in ("h1", "h2", "h3") and heading.box.parent in around
