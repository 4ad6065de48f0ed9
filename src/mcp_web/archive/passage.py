"""The passage of a document that answers best, with its section, as unchanged Markdown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mcp_web.archive.highlight import Marker
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import Block, blocks

_READ_MOST = 200_000  # characters: what is later in a text rarely answers
_ENOUGH = 600  # characters from which a passage is not continued with the next block
_KNOWN_MOST = 30_000  # characters of a text whose sections are remembered

Section = tuple[tuple[str, ...], tuple[tuple[int, int], ...]]

_ANCHOR = re.compile(r"\s*\{[#/][^{}]*\}$")  # `{#name}` after a heading: the name of a place, no words


@dataclass(frozen=True, slots=True)
class ArchivePassage:
    """A slice of the document: `text == markdown[start:end]`."""

    section_path: tuple[str, ...]
    text: str
    start: int
    end: int


def best_passage(marker: Marker, markdown: str) -> ArchivePassage | None:
    """The blocks of one section that contain the most words of the question; the first blocks if none does."""
    read = markdown[:_READ_MOST]
    language = language_of(read)
    spans = marker.spans(read, language)
    starts = [start for start, _, _ in spans]
    best: tuple[float, int, int, tuple[str, ...]] | None = None
    for path, places in _known_sections(read) if len(read) <= _KNOWN_MOST else _sections(read):
        above = {term for _, _, term in marker.spans(" ".join(path), language)}
        for start, end in places:
            held = {term for _, _, term in spans[bisect_left(starts, start) : bisect_left(starts, end)]}
            # A word in the headings above says what the passage is about, but the passage should say something too.
            worth = len(held) + 0.5 * len(above - held) if held else 0.0
            if best is None or worth > best[0]:
                best = (worth, start, end, path)
    return ArchivePassage(best[3], markdown[best[1] : best[2]], best[1], best[2]) if best else None


def _places(found: Sequence[Block]) -> tuple[tuple[int, int], ...]:
    """For each block the span of a passage that starts there: blocks are added until it is long enough."""
    return tuple((block.start, _end(found, at)) for at, block in enumerate(found))


def _end(found: Sequence[Block], at: int) -> int:
    end = found[at].end
    for block in found[at + 1 :]:
        if block.end - found[at].start > _ENOUGH:
            break
        end = block.end
    return end


def _sections(markdown: str) -> tuple[Section, ...]:
    """The spans in each section that can be a passage, with the headings above them."""
    return tuple((path, _places(found)) for path, found in _blocks(markdown))


_known_sections = lru_cache(maxsize=64)(_sections)  # the same documents are found by question after question


def _blocks(markdown: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
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
