"""Decides which blocks of a page are kept, from the chance of each to be content."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from operator import mul

from mcp_web.extract.html.blocks import Blocks, Box, HtmlBlock
from mcp_web.extract.html.features import PageFeatures, around_box, is_item
from mcp_web.extract.html.footnotes import footnotes_of
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
_CODE_LEVELS = 4  # levels above a line in which its code block is looked for
_LINK_LEVELS = 8  # levels above a line in which a link around it is looked for
_LINKED = 0.9  # share of links in a line of the table of contents
_LINES = 3  # blocks of a list or table from which on it is kept or removed as a whole
_STORY = 300  # characters of sentences
# A copy has at least so many different sentences and so much of the kept ones: the parts of a reference repeat less.
_COPIED, _COPIED_SHARE = 3, 0.1
_PRICE = re.compile(
    r"(?:[€$£¥₹₽₩]|\b(?:EUR|USD|GBP|CHF|Rs\.?|kr\.?)) ?\d|\d ?(?:[€$£¥₽₩円元]|(?:EUR|USD|CHF|kr|zł|Kč|руб)\b)"
)
_PRICE_LINES, _PRICE_SIZE = 8, 60  # lines below the title in which the price is looked for; characters of its line
_SPECIFICATIONS = re.compile(
    r"(?:technical |product )?(?:specifications?|specs|details|data|dimensions)\W*\Z|technische daten|produktdaten|"
    r"caractéristiques|fiche technique|especificaciones|características|especificações|specifiche|specificaties|"
    r"характеристики|规格|規格|仕様|製品仕様|사양|المواصفات|מפרט|ข้อมูลจำเพาะ|dane techniczne|specifikace",
    re.I,
)
_COMMENTS = re.compile(r"(?:^|[\s_-])comments(?:$|[\s_-])")
_BACK = "a[href^='#'],a[href*='#'][href*=toc]"
_STOPS = ".!?…。！？"
_WRAPPERS = ("li", "ul", "ol", "dd", "dl", "blockquote", "pre", "figure", "table", "tbody", "tr", "td")
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
    for at in footnotes_of(read, kept):
        kept[at] = True
    _drop_contents(read.blocks, kept)
    _keep_tables(read.blocks, units, data, kept, features.declared == "product")
    is_article = features.declared == "article"
    _settle_headings(read.blocks, kept, chances, is_article)
    _keep_summaries(read.blocks, kept)
    if not is_article:
        _keep_price(read.blocks, kept)
    if features.declared == "product":
        _keep_specifications(read.blocks, kept)
    if features.is_story:
        _drop_around_story(read.blocks, kept)
    if is_article:
        _drop_comments(read, kept)
        _drop_linked(read.blocks, kept)
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
        if keep and block.box.tag in ("p", "div", "h1", "h2", "h3"):
            is_short = block.box.tag in ("p", "div") and not block.prose and block.links < 0.5 * len(block.text)
            around[block.box.parent] = around.get(block.box.parent, 0) + is_short * len(block.text)
    in_units: Counter[Box | None] = Counter()  # the characters of the lists and tables in an element
    for unit, _ in units:
        in_units[unit.parent] += unit.chars
    for unit, members in units:
        if unit.parent not in around or unit.parent is None or unit.chrome != unit.parent.chrome:
            continue
        if unit.parent.prose + around[unit.parent] < _TEXT * (unit.parent.chars - in_units[unit.parent]):
            continue
        above = members[0] - 1
        head = above if above >= 0 and blocks[above].box.tag in _HEADS else None
        lines = members if head is None else [head, *members]
        if not any(says_aside(blocks[at].text) for at in lines):
            for at in lines:
                kept[at] = True


def _drop_contents(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """Remove the table of contents: lines that are links to headings further down the page, and the heading above."""
    headings = {block.text: at for at, block in enumerate(blocks) if block.box.tag in _HEADS}
    is_entry = [
        block.links >= _LINKED * len(block.text)
        and headings.get(block.text, -1) > at
        and block.box.element.select_one(_BACK) is not None
        for at, block in enumerate(blocks)
    ]
    end = 0
    for at, entry in enumerate(is_entry):
        if not entry or at < end:
            continue
        end = next((after for after in range(at, len(blocks)) if not is_entry[after]), len(blocks))
        if end - at >= _LINES:
            start = at - (at > 0 and _HEADS.get(blocks[at - 1].box.tag, 0) > 1)
            kept[start:end] = [False] * (end - start)


def _keep_tables(blocks: list[HtmlBlock], units: Units, data: set[Box], kept: list[bool], is_product: bool) -> None:
    """Keep data tables and code between kept blocks, and code after a kept block of the same element; on the page of a
    product all data tables, its specifications. Not a table if half of it is links, or if it has a phrase such as
    "Related". `data` are the units that are data tables."""
    tables: set[int] = set()
    for unit, members in units:
        if unit in data and unit.links < 0.5 * unit.chars and not any(says_aside(blocks[at].text) for at in members):
            tables.update(members)
    if is_product:
        for at in tables:
            kept[at] = True
    code = {at for at, keep in enumerate(kept) if not keep and _is_code(blocks[at])}
    end = 0
    while end < len(blocks):
        start = end
        while end < len(blocks) and not kept[end] and (end in tables or end in code):
            end += 1
        if start and end > start and kept[start - 1]:
            above = _container(blocks[start - 1].box)
            for at in range(start, end):
                is_beside = at in code and above is not None and at in _within(above)
                kept[at] = (end < len(blocks) and kept[end]) or is_beside
        end += end == start


def _keep_price(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """Keep the first price below the title of a page, unless it is in an item such as a card."""
    titles = [at for at, block in enumerate(blocks) if block.box.tag == "h1"]
    if len(titles) != 1:
        return
    for at in range(titles[0] + 1, min(titles[0] + _PRICE_LINES, len(blocks))):
        block = blocks[at]
        if len(block.text) <= _PRICE_SIZE and not block.links and _PRICE.search(block.text):
            kept[at] = kept[at] or not any(map(is_item, islice(around_box(block.box), _ITEM_LEVELS)))
            return


def _keep_specifications(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """Keep the headings such as "Specifications" of a product, with all lines of the same element below them up to the
    next heading, unless half of them is links."""
    for at, block in enumerate(blocks):
        level, parent = _HEADS.get(block.box.tag, 0), block.box.parent
        if level < 2 or parent is None or _SPECIFICATIONS.match(block.text) is None:
            continue
        end = at + 1
        while end < parent.first + parent.count and not 0 < _HEADS.get(blocks[end].box.tag, 0) <= level:
            end += 1
        lines = blocks[at + 1 : end]
        if lines and sum([line.links for line in lines]) < 0.5 * sum([len(line.text) for line in lines]):
            kept[at:end] = [True] * (end - at)


def _container(box: Box) -> Box | None:
    """The element that contains a paragraph, or the list or quote that the paragraph is in."""
    above = box.parent
    while above is not None and above.tag in _WRAPPERS:
        above = above.parent
    return above


def _is_code(block: HtmlBlock) -> bool:
    """Whether a block is in a code block and not a link, such as "Try it"."""
    boxes = islice(around_box(block.box), _CODE_LEVELS)
    return block.links < len(block.text) and any(box.tag == "pre" for box in boxes)


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


def _drop_linked(blocks: list[HtmlBlock], kept: list[bool]) -> None:
    """Remove sentences inside a link that is around several lines: teasers of other articles."""
    for at, block in enumerate(blocks):
        if block.prose and kept[at] and block.box.tag not in ("h1", "figcaption"):
            link = next((box for box in islice(around_box(block.box), _LINK_LEVELS) if box.tag == "a"), None)
            kept[at] = link is None or link.count < 2


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
    On a page that is not an article, and on small pages, titles stay too that are right above kept text or, for an h1,
    above a kept heading.
    """
    with_titles = not is_article or len(blocks) <= _SMALL
    following = False  # whether the block after is kept
    level_after = 0
    for at in range(len(blocks) - 1, -1, -1):
        block = blocks[at]
        level = _HEADS.get(block.box.tag, 0)
        if level > 1 or (level and with_titles):
            if not kept[at] and following and (not level_after or level == 1 < level_after):
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
