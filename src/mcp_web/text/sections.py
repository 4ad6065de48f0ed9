"""The sections of a Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp_web.text.markdown import Block, blocks

_ANCHOR = re.compile(r"\s*\{[#/][^{}]*\}$")  # `{#name}` after a heading: the name of a place, no words


def sections(markdown: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The blocks under each heading, with the headings above them; headings without text of their own have none."""
    path: list[tuple[int, str]] = []
    held: list[Block] = []
    for block in blocks(markdown):
        if block.kind != "heading":
            held.append(block)
            continue
        if held:
            yield tuple(name for _, name in path), held
        held = []
        name = _ANCHOR.sub("", markdown[block.start : block.end].strip().strip("#=-").strip())
        path = [*(one for one in path if one[0] < block.level), (block.level, name)]
    if held:
        yield tuple(name for _, name in path), held
