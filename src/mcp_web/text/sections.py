"""The sections of a Markdown text."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_web.text.headings import heading_text
from mcp_web.text.markdown import Block, blocks


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
        name = heading_text(markdown[block.start : block.end])
        path = [*(one for one in path if one[0] < block.level), (block.level, name)]
    if held:
        yield tuple(name for _, name in path), held
