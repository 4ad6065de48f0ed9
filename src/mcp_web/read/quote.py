"""Does the source really say that? Each quote is exact, normalised, fuzzy or absent."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_web.model.page import Heading
from mcp_web.read.fold import Folded, fold_markdown, fold_quote
from mcp_web.read.outline import outline, path_at

Verdict = Literal["exact", "normalised", "fuzzy", "absent"]

# The share of words that must agree, in order, for a quote to count as reworded rather than invented.
FUZZY_AT_LEAST = 0.7
MOST_DIFFERENCES = 12
# Characters that “[…]” may stand for: a few paragraphs; beyond that the parts no longer belong together.
LEFT_OUT = 2000

_WORD = re.compile(r"\w+(?:['.,]\w+)*")
_ELISION = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|…|\.{3,})\s*")


@dataclass(frozen=True, slots=True)
class Difference:
    """What the quote has, and what stands in the source instead; either may be empty."""

    quoted: str
    found: str


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The verdict on one quote; `markdown[start:end] == found`."""

    quote: str
    verdict: Verdict
    start: int | None = None
    end: int | None = None
    found: str = ""
    section_path: tuple[str, ...] = ()
    similarity: float = 0.0
    differences: tuple[Difference, ...] = ()


def verify(markdown: str, quotes: Sequence[str], headings: Sequence[Heading] | None = None) -> list[QuoteCheck]:
    """Check each quote against a document."""
    headings = outline(markdown) if headings is None else headings
    source = _Source(markdown, headings)
    return [source.check(quote) for quote in quotes]


class _Source:
    """A document prepared for many quotes: folded once, its words counted once."""

    def __init__(self, markdown: str, headings: Sequence[Heading]) -> None:
        self.markdown = markdown
        self.headings = headings
        self.folded: Folded = fold_markdown(markdown)
        self._words: list[re.Match[str]] | None = None
        self._places: dict[str, list[int]] = {}

    def check(self, quote: str) -> QuoteCheck:
        wanted = fold_quote(quote)
        if not wanted:
            return QuoteCheck(quote, "absent")
        place = _find(self.markdown, quote.strip())
        if place is not None:
            return self._found(quote, "exact", place, place + len(quote.strip()))
        if (span := self._normalised(quote, wanted)) is not None:
            return self._found(quote, "normalised", *self.folded.source_span(*span))
        return self._fuzzy(quote, wanted)

    def _normalised(self, quote: str, wanted: str) -> tuple[int, int] | None:
        place = _find(self.folded.text, wanted)
        if place is not None:
            return place, place + len(wanted)
        return self._elided(quote)

    def _elided(self, quote: str) -> tuple[int, int] | None:
        """A quote with […] in it: every part stands there, in order, and not far apart."""
        parts = [part for part in map(fold_quote, _ELISION.split(quote)) if part]
        if len(parts) < 2 or any(len(part.split()) < 2 for part in parts):
            return None
        first = _find(self.folded.text, parts[0])
        if first is None:
            return None
        end = first + len(parts[0])
        room = max(LEFT_OUT, 4 * sum(map(len, parts)))
        for part in parts[1:]:
            place = _find(self.folded.text, part, end)
            if place is None or place - end > room:
                return None
            end = place + len(part)
        return first, end

    def _fuzzy(self, quote: str, wanted: str) -> QuoteCheck:
        given = _WORD.findall(wanted)
        best: tuple[float, int, int, list[Difference]] | None = None
        for begin in self._likely_places(given):
            tried = self._align(given, begin)
            if tried and (best is None or tried[0] > best[0]):
                best = tried
        if best is None or best[0] < FUZZY_AT_LEAST:
            return QuoteCheck(quote, "absent", similarity=round(best[0], 3) if best else 0.0)
        ratio, start, end, differences = best
        return self._found(
            quote, "fuzzy", *self.folded.source_span(start, end), ratio, tuple(differences[:MOST_DIFFERENCES])
        )

    def _likely_places(self, given: list[str]) -> list[int]:
        """Word numbers where the quote may begin: each shared word votes for the start it implies."""
        words = self._all_words()
        votes: Counter[int] = Counter()
        for at, word in enumerate(given):
            places = self._places.get(word, ())
            # A word on every line says nothing about the place, and would make long pages slow.
            for place in places if len(places) <= 500 else ():
                votes[(place - at) // 4] += 1
        return [min(max(0, bucket * 4), max(0, len(words) - 1)) for bucket, _ in votes.most_common(5)]

    def _align(self, given: list[str], begin: int) -> tuple[float, int, int, list[Difference]] | None:
        words = self._all_words()
        slack = max(4, len(given) // 3)
        low = max(0, begin - slack)
        around = words[low : begin + len(given) + 2 * slack]
        texts = [word[0] for word in around]
        matcher = difflib.SequenceMatcher(None, given, texts, autojunk=False)
        same = [block for block in matcher.get_matching_blocks() if block.size]
        if not same:
            return None
        # Stray words shared far from the core would stretch the span: keep the runs near the densest one.
        core = max(same, key=lambda block: block.size)
        same = [block for block in same if abs((block.b - core.b) - (block.a - core.a)) <= slack]
        first, last = same[0].b, same[-1].b + same[-1].size
        matcher.set_seq2(texts[first:last])
        agreed = sum(block.size for block in matcher.get_matching_blocks())
        ratio = 2 * agreed / (len(given) + last - first)
        differences = [
            Difference(" ".join(given[a:b]), " ".join(texts[first + c : first + d]))
            for op, a, b, c, d in matcher.get_opcodes()
            if op != "equal"
        ]
        return ratio, around[first].start(), around[last - 1].end(), differences

    def _all_words(self) -> list[re.Match[str]]:
        if self._words is None:
            self._words = list(_WORD.finditer(self.folded.text))
            for at, word in enumerate(self._words):
                self._places.setdefault(word[0], []).append(at)
        return self._words

    def _found(
        self,
        quote: str,
        verdict: Verdict,
        start: int,
        end: int,
        similarity: float = 1.0,
        differences: tuple[Difference, ...] = (),
    ) -> QuoteCheck:
        path = path_at(self.headings, start)
        return QuoteCheck(quote, verdict, start, end, self.markdown[start:end], path, round(similarity, 3), differences)


def _find(text: str, wanted: str, begin: int = 0) -> int | None:
    """The first place where the words stand as whole words."""
    for _ in range(1000):
        place = text.find(wanted, begin)
        if place < 0:
            return None
        end = place + len(wanted)
        opens = place == 0 or not (wanted[0].isalnum() and text[place - 1].isalnum())
        closes = end >= len(text) or not (wanted[-1].isalnum() and text[end].isalnum())
        if opens and closes:
            return place
        begin = place + 1
    return None
