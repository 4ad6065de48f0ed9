"""The headings of a Markdown text, and the sections below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcp_web.model.page import Heading
from mcp_web.text.inline import inline_text
from mcp_web.text.markdown import HEADING_MARKS, Block, blocks

# The end of a heading that is not part of its text: the name of its anchor (`{#name}`, `{/*name*/}`) or a link to
# itself.
_PLACE = re.compile(r"(?<!\s)\s*+(?:\{[#/][^{}]*+\}|\[[¶§🔗#]+\]\([^()\s]*+\))\s*$")
_PERMALINK = re.compile(r"(?<!\s)(?:\s*+[¶§🔗]+|\s++#+)\s*$")


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
