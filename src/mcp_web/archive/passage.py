"""The passage of a document that answers best, with its section, as unchanged Markdown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mcp_web.archive.highlight import Marker
from mcp_web.lru import LruDict
from mcp_web.text.bm25 import PASSAGES
from mcp_web.text.headings import contents_keys, is_contents, sections
from mcp_web.text.markdown import WHOLE, Block, pieces
from mcp_web.text.names import Name, definitions, described, heading_keys

_READ_MOST = 200_000  # characters: what is later in a text rarely answers
_ENOUGH = 600  # characters from which a passage is not continued with the next block
_LONG = 2 * _ENOUGH  # characters: of a longer list, table or code only the part that matches is the passage

Section = tuple[tuple[str, ...], Sequence[Block]]  # the headings above some blocks, and these
_Found = tuple[tuple[str, ...], int, int]  # the headings above a passage, its start and end

_PART = _ENOUGH // 2  # characters of a part of a long block, at least
_CACHED_BLOCKS = 1000  # of one text, which take 100 KB
_cached_sections: LruDict[tuple[int, int], Sequence[Section]] = LruDict(256)  # by hash and length of a text


@dataclass(frozen=True, slots=True)
class ArchivePassage:
    """A slice of the document: `text == markdown[start:end]`."""

    section_path: tuple[str, ...]
    text: str
    start: int
    end: int
    match: float = 0.0  # 0…1: how much of the question its words and the headings above it contain


def best_passage(marker: Marker, markdown: str) -> ArchivePassage | None:
    """The passage that defines a name in the question; else the blocks of one section that match the question best by
    words, or the first blocks if none does. None for a text without blocks."""
    read = markdown[:_READ_MOST]
    found = _sections(read)
    if (defined := _definition(marker.names, read, found)) is not None:
        return _passage(markdown, defined, 1.0)
    matched = _best_match(marker, read, found)
    return _passage(markdown, *matched) if matched else None


def with_announced(passage: ArchivePassage | None, markdown: str) -> ArchivePassage | None:
    """The passage as it is shown: after "for example:" with the next block. For ranking that made it too long."""
    if passage is None or not passage.text.endswith(":"):
        return passage
    found = (blocks for _, blocks in _sections(markdown[:_READ_MOST]))
    own = next((blocks for blocks in found if blocks[0].start <= passage.start <= blocks[-1].start), ())
    end = next((block.end for block in own if block.start >= passage.end), passage.end)
    return replace(passage, text=markdown[passage.start : end], end=end)


def _passage(markdown: str, found: _Found, match: float) -> ArchivePassage:
    path, start, end = found
    return ArchivePassage(path, markdown[start:end], start, end, match)


def _definition(asked: Sequence[Name], markdown: str, sections: Sequence[Section]) -> _Found | None:
    """The passage that defines a name of the question: the beginning of the section whose heading is the name, or what
    begins with a line such as `json.dumps(obj)`; else the list with an item that describes the name. None if the text
    has nothing of that for any of the names."""
    defined = list(definitions(markdown)) if asked else []
    for name in asked:
        starts = [start for start, key in defined if key == name.key]
        for path, found in sections:
            places = _places(found)
            if path and name.key in heading_keys(path[-1]):
                return path, *places[0]
            inside = [place for place in places if any(place[0] <= start < place[1] for start in starts)]
            if inside:
                first = min(start for start in starts if start >= inside[0][0])
                begin, end = max(place for place in inside if place[0] <= first)
                return path, begin, _entry_end(markdown, {start for start, _ in defined}, places, begin, end)
    for name in asked:
        first = next((start for start, key in described(markdown) if key == name.key), -1)
        for path, found in sections:
            if inside := [place for place in _places(found) if place[0] <= first < place[1]]:
                return path, *inside[-1]
    return None


def _entry_end(markdown: str, defined: Collection[int], places: Sequence[tuple[int, int]], begin: int, end: int) -> int:
    """The offset at which a passage, `begin` to `end`, that begins with the definition of a name should end: before a
    definition that follows a description, which is that of another name. `defined` are the offsets of all definitions,
    `places` the spans of all passages, one of which begins with each block."""
    described = False
    for start, following in pairwise([*(at for at, _ in places if begin <= at < end), end]):
        defines = any(start <= at < following for at in defined)
        if described and defines:
            return len(markdown[:start].rstrip())
        described = not defines or "\n: " in markdown[start:following]
    return end


def _best_match(marker: Marker, markdown: str, sections: Sequence[Section]) -> tuple[_Found, float] | None:
    """(the passage that matches the question best by words, its match 0…1); None for a text without blocks."""
    spans = marker.spans(markdown)
    starts = [start for start, _, _ in spans]
    words = [term for _, _, term in spans]
    best: tuple[_Found, float] | None = None
    for path, found in sections:
        best = best or ((path, found[0].start, _end(found, 0)), 0.0)
        if bisect_left(starts, found[0].start) == bisect_left(starts, found[-1].end):
            continue  # no word of the question
        above = dict.fromkeys((term for heading in path for _, _, term in marker.spans(heading)), 1)
        for start, end in _places(found):
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            # A word in the headings above says what the passage is about, but the passage should say something too.
            match = _match(marker, words[first:last], above, end - start) if first < last else 0.0
            if match > best[1]:
                best = ((path, start, end), match)
    return best


def _match(marker: Marker, words: Sequence[str], above: Mapping[str, int], length: int) -> float:
    """The BM25 score of a passage, as a share of the highest possible one: `words` are the words of the question in it,
    `above` those in the headings above it; its length is in characters."""
    counts = dict(above)
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    norm = PASSAGES.k1 * (1 - PASSAGES.b + PASSAGES.b * length / _ENOUGH)
    found = 0.0
    for word, count in counts.items():
        found += marker.rarities.get(word, 0.0) * count / (count + norm)
    return found / (marker.total or 1.0)


def _places(found: Sequence[Block]) -> tuple[tuple[int, int], ...]:
    """For each block the (start, end) of a passage that starts there: blocks are added while it stays short enough."""
    return tuple((block.start, _end(found, at)) for at, block in enumerate(found))


def _end(found: Sequence[Block], at: int) -> int:
    """The end offset of the passage that starts with block `at`: blocks are added while it stays short enough."""
    end = found[at].end
    for block in found[at + 1 :]:
        if block.end - found[at].start > _ENOUGH:
            break
        end = block.end
    return end


def _sections(markdown: str) -> Sequence[Section]:
    """The blocks under each heading, with the headings above them; without tables of contents, and with long lists,
    tables and code in parts. Cached, as the same documents are found again."""
    key = hash(markdown), len(markdown)
    found = _cached_sections.get(key)
    if found is None:
        every = list(sections(markdown))
        keys = contents_keys(heading for path, _ in every for heading in path)
        held = ((path, _parts(markdown, blocks, keys)) for path, blocks in every)
        found = [(path, blocks) for path, blocks in held if blocks]
        if sum(len(blocks) for _, blocks in found) <= _CACHED_BLOCKS:
            _cached_sections[key] = found
    return found


def _parts(markdown: str, found: Sequence[Block], keys: Collection[str]) -> list[Block]:
    """The blocks of a section without tables of contents; `keys` are those of the headings. A long list, table or code
    comes in parts of some items, rows or lines, code without its fences."""
    parts: list[Block] = []
    for at, block in enumerate(found):
        text = markdown[block.start : block.end]
        if block.kind == "list" and is_contents(text, keys, begins_section=at == 0):
            continue
        if block.kind not in WHOLE or len(text) <= _LONG:
            parts.append(block)
            continue
        lines = pieces(markdown, block)
        if block.kind == "code":  # without its fences; the last may be missing
            is_closed = not markdown[lines[-1][0] : lines[-1][1]].strip(" \t\n`~")
            lines = lines[1 : len(lines) - is_closed] or lines
        begin = lines[0][0]
        for _, end in lines:
            # Code ends at an empty line if there is one in time: a manual page is one block of code.
            least = _PART if block.kind != "code" or markdown.endswith("\n\n", begin, end) else _ENOUGH
            if end - begin >= least or end == lines[-1][1]:
                parts.append(replace(block, start=begin, end=begin + len(markdown[begin:end].rstrip())))
                begin = end
    return parts
