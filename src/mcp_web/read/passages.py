"""Cuts a document into passages, the units that are ranked, shown and cited.

A section is divided into sentences, which are joined to passages of 85–130 words: on a fixed budget of tokens, short
passages answer more questions than long ones. Code, tables, lists and formulas stay whole. Each cut depends only on the
text near it, so that a change of the page leaves the digests of other passages as they are.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from mcp_web.model.page import Heading
from mcp_web.model.passage import Passage
from mcp_web.read.outline import paths
from mcp_web.text.headings import contents_keys, is_contents, read_headings
from mcp_web.text.markdown import WHOLE, Block, blocks, pieces
from mcp_web.text.sentences import sentences
from mcp_web.text.sizes import CHARS_PER_WORD, count_words

WORDS_PER_TOKEN = 0.75

# One paragraph in so many, chosen by its checksum, always ends a passage. If passages were only filled up, all cuts
# would move when one paragraph grows; so a change affects a few passages, and the rest keep their vectors.
LANDMARK = 7

# A paragraph that belongs to the next one: an API signature (`name(…)`), a term in bold, a question.
_LEAD = re.compile(r"`[^`\n]+`$|`[^`\n]*\([^\n]*[`)*]$|\*\*[^*\n]+\*\*:?$|[^\n]*\?$")
_LEAD_WORDS = 40
_LONGEST_NAME = 80  # characters; a longer text is not a name, and would be repeated with each passage
# The name of an entry in a reference: it has parentheses, has no spaces, is a flag, or follows a word such as `class`.
_SIGNATURE = re.compile(r"@?[^\s`]+$|.*\(|-|(?:class|exception|property|classmethod|staticmethod|type|const|var) ")

_WORD = re.compile(r"\S+")
_PAUSES = ("; ", ", ", "\n", " ", "，", "、", "；")


@dataclass(frozen=True, slots=True)
class Size:
    """How a text is cut into passages: counts are in words, the others are factors of them."""

    least: int = 85  # a passage may end once it has this many words
    most: int = 130
    overlap: float = 0.12  # the share of the size that is repeated from the passage before
    overlap_sentences: bool = False  # the overlap may reach over several sentences; otherwise it is part of one
    far_above: float = 3.0  # a block of more than `most` times this is cut at its lines, rows or items
    stretch: float = 1.2  # a passage may grow to `most` times this, to avoid a very short passage after it
    small_section: int = 25  # a section shorter than this is joined with the next

    @property
    def name(self) -> str:
        """A name for this size, under which vectors are stored; empty for the default size."""
        return "" if self == Size() else f"words={self.most}"

    @classmethod
    def capped(cls, tokens: int | None) -> Size:
        """The default size; a smaller one if its passages exceed the `tokens` that a model takes (None: no limit)."""
        usual = cls()
        if tokens is None or tokens * WORDS_PER_TOKEN >= usual.most * (usual.stretch + usual.overlap):
            return usual
        return cls.of_tokens(tokens)

    @classmethod
    def of_tokens(cls, tokens: int) -> Size:
        """A size whose passages, overlap included, have at most about `tokens` tokens."""
        overlap = 0.14  # of the text that is new; of the whole passage 12 %
        most = max(10, int(tokens * WORDS_PER_TOKEN * (1 - overlap)))
        return cls(
            least=most * 85 // 130,
            most=most,
            overlap=overlap,
            overlap_sentences=True,
            stretch=1.0,
            small_section=min(25, most // 5),
        )


@dataclass(frozen=True, slots=True)
class _Unit:
    """A span that no passage splits: a sentence, heading, code block, table, list, or a part of a very long one."""

    start: int
    end: int
    words: int
    prose: bool
    closes: bool  # it is the last unit of its paragraph
    leads: bool = False  # a signature, a term or a question, which belongs to the next unit
    is_heading: bool = False


def passages(markdown: str, headings: Sequence[Heading] | None = None, size: Size | None = None) -> list[Passage]:
    """All passages of a document, in order, none empty; `headings` are by default those in the Markdown. They cover the
    text but for its tables of contents."""
    size = size or Size()
    headings = read_headings(markdown) if headings is None else headings
    cuts: list[tuple[int, int, tuple[str, ...], str]] = []
    found_sections = (one for run in _runs(markdown, headings) for one in _sections(markdown, run, headings, size))
    for path, found in found_sections:
        units = [unit for block in found for unit in _units(markdown, block, size)]
        cuts += [(start, end, path, entry) for start, end, entry in _merge(markdown, units, size)]
    return [
        Passage(number, markdown[start:end], start, end, path, _digest((*path, entry), markdown[start:end]), entry)
        for number, (start, end, path, entry) in enumerate(cuts)
    ]


def _digest(above: Sequence[str], text: str) -> str:
    """A digest of a passage's headings and text, under which its vector is stored."""
    return hashlib.sha256("\x1f".join([*filter(None, above), text]).encode("utf-8", "surrogatepass")).hexdigest()


def _runs(markdown: str, headings: Sequence[Heading]) -> Iterator[list[Block]]:
    """The blocks before, between and after the tables of contents. These are left out with their headings: they match
    any question that has the words of a section's heading, and answer none."""
    keys = contents_keys(heading.text for heading in headings)
    run: list[Block] = []
    for block in blocks(markdown):
        begins_section = not run or run[-1].kind == "heading"
        text = markdown[block.start : block.end]
        if block.kind != "list" or not is_contents(text, keys, begins_section=begins_section):
            run.append(block)
            continue
        yield run[:-1] if run and begins_section else run
        run = []
    yield run


def _sections(
    markdown: str, run: Sequence[Block], headings: Sequence[Heading], size: Size
) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The path (headings, outermost first) and the blocks of each section of a run; a short one is joined with the
    next."""
    starts = [heading.start for heading in headings]
    names = [(), *paths(headings)]
    held: list[Block] = []
    held_paths: list[tuple[str, ...]] = []
    shown = (block for block in run if block.kind != "rule")
    for section, group in groupby(shown, lambda block: bisect_right(starts, block.start)):
        found = list(group)
        words = count_words(markdown[found[0].start : found[-1].end])
        room = size.most - sum(count_words(markdown[block.start : block.end]) for block in held)
        if held and words > room:
            yield _common(held_paths), held
            held, held_paths = [], []
        held = held + found
        held_paths.append(names[section])
        if words >= size.small_section:
            yield _common(held_paths), held
            held, held_paths = [], []
    if held:
        yield _common(held_paths), held


def _common(found: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings above joined sections: those of the last if it is below all others, else those that all share."""
    deepest = found[-1]
    if all(deepest[: len(path)] == path for path in found):
        return deepest
    shared = 0
    while all(len(path) > shared and path[shared] == found[0][shared] for path in found):
        shared += 1
    return found[0][:shared]


def _units(markdown: str, block: Block, size: Size) -> Iterator[_Unit]:
    """The units of a block: prose as sentences, in parts if longer than `size.most` words; other blocks whole, or in
    parts if very long."""
    words = count_words(markdown[block.start : block.end])
    if block.kind in WHOLE or block.kind == "heading":
        is_whole = words <= size.most * size.far_above
        is_heading = is_whole and block.kind == "heading"
        spans = [(block.start, block.end)] if is_whole else list(_fill(markdown, pieces(markdown, block), size))
        for start, end in spans:
            yield _Unit(start, end, count_words(markdown[start:end]), False, not is_heading, is_heading=is_heading)
        return
    leads = words <= _LEAD_WORDS and _LEAD.match(markdown[block.start : block.end]) is not None
    spans = sentences(markdown[block.start : block.end], block.start)
    for number, (start, end) in enumerate(spans):
        parts = list(_shorten(markdown, start, end, size))
        for part, (begin, stop) in enumerate(parts):
            closes = number == len(spans) - 1 and part == len(parts) - 1
            yield _Unit(begin, stop, count_words(markdown[begin:stop]), True, closes, leads)


def _fill(markdown: str, spans: Sequence[tuple[int, int]], size: Size) -> Iterator[tuple[int, int]]:
    """Spans of lines, rows or items of a very long block, joined as long as they have at most `size.most` words."""
    begin, words = spans[0][0], 0
    for start, end in spans:
        more = count_words(markdown[start:end])
        if words and words + more > size.most:
            yield begin, start
            begin, words = start, 0
        words += more
    yield begin, spans[-1][1]


def _shorten(markdown: str, start: int, end: int, size: Size) -> Iterator[tuple[int, int]]:
    """The spans of the parts of a sentence that has more words than `size.most`; one span for a shorter sentence."""
    # The length is checked first: counting the words of all that remains at each step would be quadratic.
    while end - start > size.most * CHARS_PER_WORD or count_words(markdown[start:end]) > size.most:
        sample = min(end - start, size.most * 5)
        words = count_words(markdown[start : start + sample])
        limit = start + (sample if words <= size.most else max(1, sample * size.most // words))
        space = max(markdown.rfind(mark, start + (limit - start) // 2, limit) for mark in _PAUSES)
        cut = space + 1 if space > start else limit
        if cut >= end:
            break
        yield start, cut
        start = cut
    yield start, end


def _merge(markdown: str, units: Sequence[_Unit], size: Size) -> Iterator[tuple[int, int, str]]:
    """Join units to passages: yields start, end, and the name of the API entry that the passage continues, else "".

    An entry is a signature with the text below it. Prose after prose begins with the last words of the passage before.
    """
    first, entry = 0, ""
    while first < len(units):
        last = _last_unit(markdown, units, first, size)
        begin = units[first].start
        if first and units[first].prose and units[first - 1].prose:
            begin = _overlap(markdown, units, first, last, size)
        end = units[last].end
        text = markdown[begin:end]
        begin += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        if end > begin:
            begins_itself = units[first].is_heading or _entry(markdown, units[first])
            yield begin, end, "" if begins_itself else entry
        for unit in units[first : last + 1]:
            entry = "" if unit.is_heading else _entry(markdown, unit) or entry
        first = last + 1


def _entry(markdown: str, unit: _Unit) -> str:
    """The name in a unit that is an API signature, such as "os.walk" for `os.walk(top)`; "" for other units."""
    text = markdown[unit.start : unit.end]
    signature = " ".join(text.replace("`", "").split())
    name = signature.partition("(")[0].strip()
    is_entry = unit.leads and text.startswith("`") and len(name) <= _LONGEST_NAME and _SIGNATURE.match(signature)
    return name if is_entry else ""


def _last_unit(markdown: str, units: Sequence[_Unit], first: int, size: Size) -> int:
    """The index of the last unit of the passage that begins with unit `first`: before a unit that leads (a signature,
    term or question), else at the end of a paragraph, else of a sentence. Among equal choices a checksum of the text
    decides, so that soon after a changed paragraph the cuts are as before."""
    words = 0
    choices: list[tuple[int, int, int]] = []
    for at in range(first, len(units)):
        unit = units[at]
        # A heading or a lead-in ("For example:") goes with what it introduces, however large that is.
        if words >= size.small_section and words + unit.words > size.most:
            break
        words += unit.words
        if words >= size.least // 2 and (unit.closes or words >= size.least) and not unit.leads:
            key = zlib.crc32(markdown[unit.start : unit.end].encode("utf-8", "surrogatepass"))
            entry_follows = at + 1 < len(units) and units[at + 1].leads
            if unit.closes and key % LANDMARK == 0 and not _entry_ends_soon(markdown, units, first, at + 1, size):
                return at
            if words >= size.least or entry_follows:
                choices.append((0 if entry_follows else 1 if unit.closes else 2, key, at))
    else:
        return len(units) - 1
    # A short remainder of the entry or of the section is added to this passage.
    rest = _rest(units, at, size)
    fits = words + sum(unit.words for unit in rest) <= size.most * size.stretch
    if fits and rest and units[at].prose:
        return at + len(rest) - 1
    return min(choices)[2] if choices else at - 1


def _rest(units: Sequence[_Unit], at: int, size: Size) -> Sequence[_Unit]:
    """The units from index `at` up to the next that leads (a signature, term or question); at most `size.most`."""
    ahead = units[at : at + size.most]
    return ahead[: next((number for number, unit in enumerate(ahead) if unit.leads), len(ahead))]


def _entry_ends_soon(markdown: str, units: Sequence[_Unit], first: int, at: int, size: Size) -> bool:
    """Whether some words, but fewer than `size.small_section`, are left from unit `at` to the next unit that leads, and
    the passage, which begins with unit `first`, has an API entry, or the unit that leads begins one."""
    rest = _rest(units, at, size)
    few = 0 < sum(unit.words for unit in rest) < size.small_section
    after = at + len(rest)
    return few and any(_entry(markdown, unit) for unit in (*units[after : after + 1], *units[first:at]))


def _overlap(markdown: str, units: Sequence[_Unit], first: int, last: int, size: Size) -> int:
    """The offset at which the passage of units `first` to `last` begins: some words before them, as `size` says."""
    whole = sum(unit.words for unit in units[first : last + 1]) if size.overlap_sentences else size.most
    wanted = max(1, round(whole * size.overlap))
    at, words = first - 1, units[first - 1].words
    while size.overlap_sentences and words < wanted and at > 0 and units[at - 1].prose:
        at -= 1
        words += units[at].words
    start, end = units[at].start, units[first - 1].end
    starts = [found.start() for found in _WORD.finditer(markdown, start, end)]
    if len(starts) * 2 < words > wanted:  # an unspaced script
        return end - (end - start) * wanted // words
    return starts[-wanted] if len(starts) > wanted else units[at].start
