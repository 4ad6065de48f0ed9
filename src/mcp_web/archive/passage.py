"""The passage of a document that answers best, with its section: Markdown as it is kept, code intact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_web.archive.highlight import Marker
from mcp_web.text.blocks import Block, blocks
from mcp_web.text.languages import language_of

_READ_MOST = 200_000  # characters: what is later in a text rarely answers
_ENOUGH = 600  # characters from which a passage is not continued with the next block

_ANCHOR = re.compile(r"\s*\{[#/][^{}]*\}$")  # `{#name}` after a heading: the name of a place, no words


@dataclass(frozen=True, slots=True)
class ArchivePassage:
    """A run of the document: `text == markdown[start:end]`."""

    section_path: tuple[str, ...]
    text: str
    start: int
    end: int


def best_passage(marker: Marker, markdown: str) -> ArchivePassage | None:
    """The blocks of one section that hold the most words of the question; the beginning where none holds one."""
    read = markdown[:_READ_MOST]
    language = language_of(read)
    best: tuple[float, list[Block], tuple[str, ...]] | None = None
    for path, found in _sections(read):
        above = _terms(marker, " ".join(path), language)
        for at, block in enumerate(found):
            taken = _taken(found[at:])
            held = _terms(marker, read[block.start : taken[-1].end], language)
            # A word in the headings above says what the passage is about, but the passage should say something too.
            worth = len(held) + 0.5 * len(above - held) if held else 0.0
            if best is None or worth > best[0]:
                best = (worth, taken, path)
    if best is None:
        return None
    start, end = best[1][0].start, best[1][-1].end
    return ArchivePassage(best[2], markdown[start:end], start, end)


def _taken(found: list[Block]) -> list[Block]:
    """The first block, and further ones until there is enough to read."""
    taken = [found[0]]
    for block in found[1:]:
        if block.end - taken[0].start > _ENOUGH:
            break
        taken.append(block)
    return taken


def _sections(markdown: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The blocks under each heading, with the headings above them."""
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


def _terms(marker: Marker, text: str, language: str) -> set[str]:
    return {term for _, _, term in marker.spans(text, language)}
