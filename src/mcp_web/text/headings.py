"""The headings of a Markdown text, and the sections below them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from mcp_web.model.page import Heading
from mcp_web.text.inline import inline_text
from mcp_web.text.markdown import BULLET, HEADING_MARKS, Block, blocks

# The end of a heading that is not part of its text: the name of its anchor (`{#name}`, `{/*name*/}`) or a link to
# itself.
_PLACE = re.compile(r"(?<!\s)\s*+(?:\{[#/][^{}]*+\}|\[[¶§🔗#]+\]\([^()\s]*+\))\s*$")
_PERMALINK = re.compile(r"(?<!\s)(?:\s*+[¶§🔗]+|\s++#+)\s*$")
_ITEM = re.compile(rf"[ \t]*{BULLET}[ \t]+(\S.*)")
_WORD = re.compile(r"\w+")
_LEAST_LISTED, _LISTED_SHARE = 3, 0.8  # headings in a table of contents, and their share of its lines
_MOST_SHARE = 2 / 3  # of the page's headings: other lists of headings in 19 manuals have at most .4


def read_headings(markdown: str) -> tuple[Heading, ...]:
    """The headings in order; `markdown[heading.start:]` begins with the heading. Code has none."""
    found = []
    for block in blocks(markdown):
        if block.kind == "heading" and (text := heading_text(markdown[block.start : block.end])):
            found.append(Heading(block.level, text, block.start))
    return tuple(found)


def heading_text(source: str) -> str:
    """The words of a heading, from its Markdown: without markup, the name of its anchor and a link to itself."""
    return _PERMALINK.sub("", inline_text(_PLACE.sub("", HEADING_MARKS.sub("", source))))


def below_title(path: Sequence[str], title: str) -> Sequence[str]:
    """The headings above a passage, without the first one if it only repeats the page's title."""
    return path[1:] if path and path[0] == title else path


def sections(markdown: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The blocks under each heading, preceded by the headings above them, outermost first. A heading without a text of
    its own yields nothing."""
    path: list[tuple[int, str]] = []
    held: list[Block] = []
    for block in blocks(markdown):
        if block.kind != "heading":
            held.append(block)
            continue
        if held:
            yield tuple(name for _, name in path), held
        held = []
        name = heading_text(markdown[block.start : block.end])
        path = [*(one for one in path if one[0] < block.level), (block.level, name)]
    if held:
        yield tuple(name for _, name in path), held


def contents_keys(headings: Iterable[str]) -> frozenset[str]:
    """The texts of headings as `is_contents` compares them: without case and punctuation."""
    return frozenset(map(_key, headings)) - {""}


def is_contents(text: str, keys: Collection[str], *, begins_section: bool) -> bool:
    """Whether a list is a table of contents: its items are headings of the page, and the list begins a section or has
    most headings; a list of some after "These commands are global:" tells more. `keys` are those of the page's
    headings, by `contents_keys`."""
    lines = [line for line in text.splitlines() if line.strip()]
    items = [_key(inline_text(item[1])) for line in lines if (item := _ITEM.match(line))]
    listed = sum(item in keys for item in items)
    # An item may be missing among the headings, as one whose section is not part of the content.
    is_list = listed >= _LEAST_LISTED and listed >= _LISTED_SHARE * len(lines)
    return is_list and (begins_section or listed >= _MOST_SHARE * len(keys))


def _key(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
