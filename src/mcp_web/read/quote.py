"""Checks quotes against a document: each is exact, normalised, fuzzy or absent."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mcp_web.model.page import Heading
from mcp_web.model.passage import Span
from mcp_web.read.outline import path_at
from mcp_web.read.plain import fold_markdown, fold_markdown_quote, fold_quote
from mcp_web.text.headings import read_headings
from mcp_web.text.sentences import OWN_STOPS, STOPS
from mcp_web.text.words import MARKS, UNSPACED

QuoteVerdict = Literal["exact", "normalised", "fuzzy", "absent"]

# The share of words that must agree, in order, for a quote to count as reworded rather than invented.
FUZZY_AT_LEAST = 0.7
MOST_DIFFERENCES = 12
# Characters that “[…]” may stand for: a few paragraphs; beyond that the parts no longer belong together.
LEFT_OUT = 2000
MOST_CHAINS = 50  # chains of the parts of a quote with […] that are compared

# The units of fuzzy comparison: words, single characters of unspaced scripts, and signs that change a statement:
# percent, currency, comparison, the minus of a number and the dash of a range.
_WORD = re.compile(
    rf"[{UNSPACED}]|[^\W{UNSPACED}](?:[^\W{UNSPACED}]|[{MARKS}])*+(?:['.,][^\W{UNSPACED}]++)*+"
    r"|[%‰°$€£¥₹±<>≤≥=≠×÷+]|-(?=\d)"
)
_BETWEEN_UNSPACED = re.compile(f"(?<=[{UNSPACED}]) (?=[{UNSPACED}])")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Between two words of the Markdown: the end of a sentence, of a block, of a list item or of a table cell.
_SENTENCE_END = re.compile(rf"[{STOPS}]+(?=[\s\"'”’»)\]*_]|$)|[{OWN_STOPS}]|\n\s*(?:\n|[-*+#>]\s|\d+[.)]\s)|\|")
_SENTENCE_STOP = re.compile(rf"[.!?;:]\s|[.!?]$|[{OWN_STOPS}]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|hardly|barely|scarcely|unless|except|\w+n't"
    r"|nicht|nichts|nie|niemals|kaum|ohne|kein\w{0,2}|ne|n|pas|jamais|sans|aucune?|ni|sin|nunca|jamás|ningún|ninguna?"
    r"|não|nem|sem|nenhuma?|non|mai|senza|nessun\w?|niet|geen|nooit|zonder|inte|ej|aldrig|utan|ikke|uten|uden|ei|eivät|nu"
    r"|nici|fără|nem|ne|nie|bez|není|değil|không|chưa|tidak|bukan|не|нет|ни|без|никогда|δεν|μη|μην|χωρίς|ποτέ"
    r"|لا|لم|لن|ليس|غير|دون|नहीं|न|मत|बिना|לא|אין|בלי)\b|[不没沒无無未非]|ない|ません|ไม่|않|못|없",
    re.IGNORECASE,
)
# Inside a number, or before the end of a negation: `$1` is not in `$1,000`, and `we can` is not in `we can't`.
_INSIDE = re.compile(r"(?<=\d)[.,]\d|(?<=\d[.,])\d|(?<=\w)['’]t\b")
_ELISION = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|…|\.{3,})\s*")


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the quote, and the words of the source in their place; either may be empty."""

    quoted: str
    found: str


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The result for one quote: `markdown[start:end] == found`; `start` and `end` are None if it is absent."""

    quote: str
    verdict: QuoteVerdict
    start: int | None = None
    end: int | None = None
    found: str = ""
    section_path: tuple[str, ...] = ()
    similarity: float = 0.0
    differences: tuple[Difference, ...] = ()

    @property
    def spans(self) -> list[Span]:
        """The span of the quote in the source; empty if it is not there."""
        return [] if self.start is None or self.end is None else [(self.start, self.end)]


@dataclass(frozen=True, slots=True)
class _WordMatch:
    """The source words from index `first` to `end`, which resemble a quote; `ratio`: how well, 0 to 1. The quote has
    `before` words before those that match, and `after` words after them."""

    ratio: float
    first: int
    end: int
    before: int
    after: int


def verify(markdown: str, quotes: Sequence[str], headings: Sequence[Heading] | None = None) -> list[QuoteCheck]:
    """Check each quote against a document, one result each; `headings` are by default those in `markdown`."""
    headings = read_headings(markdown) if headings is None else headings
    source = _Source(markdown, headings)
    return [source.check(quote) for quote in quotes]


def word_for_word(markdown: str, quotes: Sequence[str]) -> list[str]:
    """The quotes that are in a document, exactly or apart from markup, spacing, punctuation forms and case."""
    source = _Source(markdown, ())
    return [quote for quote in quotes if source.place(quote) is not None]


class _Source:
    """A document prepared for many quotes: folded and divided into words once."""

    def __init__(self, markdown: str, headings: Sequence[Heading]) -> None:
        self.markdown = markdown
        self.headings = headings
        self.folded = fold_markdown(markdown)
        self._words: list[re.Match[str]] | None = None
        self._places: dict[str, list[int]] = {}

    def check(self, quote: str) -> QuoteCheck:
        """The result for one quote: word for word, also with parts left out ([…]), else reworded or absent."""
        if (place := self.place(quote)) is not None:
            return self._found(quote, *place)
        for parts in _folded_forms(*_ELISION.split(quote)):
            if all(len(_WORD.findall(part)) > 1 for part in parts) and (places := self._chain(parts)) is not None:
                return self._elided(quote, places)
        checks = [self._fuzzy(quote, wanted) for (wanted,) in _folded_forms(quote)]
        return max(checks, key=lambda check: check.similarity, default=QuoteCheck(quote, "absent"))

    def place(self, quote: str) -> tuple[QuoteVerdict, int, int] | None:
        """The verdict "exact" or "normalised" on a quote, and its span in `markdown`; None if it is neither."""
        place = _find(self.markdown, quote.strip()) if quote.strip() else None
        if place is not None:
            return "exact", place, place + len(quote.strip())
        for (wanted,) in _folded_forms(quote):
            place = _find(self.folded.text, wanted)
            if place is not None:
                return "normalised", *self.folded.source_span(place, place + len(wanted))
        return None

    def _elided(self, quote: str, places: Sequence[tuple[int, int]]) -> QuoteCheck:
        """The result for a quote with its parts at `places` in the folded text: "fuzzy" if […] hides a negation, which
        may reverse the statement, else "normalised"."""
        span = self.folded.source_span(places[0][0], places[-1][1])
        gaps = [self.folded.text[before[1] - 1 : after[0]] for before, after in pairwise(places)]
        hidden = [Difference("[…]", found) for gap in gaps for found in _negations(gap)]
        if not hidden:
            return self._found(quote, "normalised", *span)
        words = len(_WORD.findall(quote))
        similarity = words / (words + len(hidden))
        return self._found(quote, "fuzzy", *span, similarity, tuple(hidden[:MOST_DIFFERENCES]))

    def _chain(self, parts: Sequence[str]) -> list[tuple[int, int]] | None:
        """The spans in the folded text of a quote's parts, in order and as near each other as possible, or None."""
        room = max(LEFT_OUT, 4 * sum(map(len, parts)))
        best: list[tuple[int, int]] | None = None
        begin = 0
        for _ in range(MOST_CHAINS):
            chain = self._next_chain(parts, begin)
            if chain is None:
                break
            near = all(after[0] - before[1] <= room for before, after in pairwise(chain))
            if near and (best is None or chain[-1][1] - chain[0][0] < best[-1][1] - best[0][0]):
                best = chain
            begin = chain[0][0] + 1
        return best

    def _next_chain(self, parts: Sequence[str], begin: int) -> list[tuple[int, int]] | None:
        """The spans in the folded text where the parts of a quote first follow each other at or after `begin`, or None.

        Each part is taken at its last occurrence before the next part.
        """
        at = begin
        for part in parts:
            place = _find(self.folded.text, part, at)
            if place is None:
                return None
            at = place + len(part)
        chain = [(at - len(parts[-1]), at)]
        for part in reversed(parts[:-1]):
            place = _find_last(self.folded.text, part, begin, chain[0][0])
            if place is None:
                return None
            chain.insert(0, (place, place + len(part)))
        return chain

    def _fuzzy(self, quote: str, wanted: str) -> QuoteCheck:
        """The result for a quote (`wanted`: folded) not found as is: "fuzzy" if enough words agree, else "absent"."""
        given = _WORD.findall(wanted)
        tried = [found for place in self._likely_places(given) if (found := self._align(given, place))]
        best = max(tried, key=lambda one: one.ratio, default=None)
        if best is None or best.ratio < FUZZY_AT_LEAST:
            return QuoteCheck(quote, "absent", similarity=round(best.ratio, 3) if best else 0.0)
        first = best.first - self._words_in_sentence(best.first, best.before, -1)
        end = best.end + self._words_in_sentence(best.end - 1, best.after, 1)
        words = self._all_words()[first:end]
        span = self.folded.source_span(words[0].start(), words[-1].end())
        texts = [word[0] for word in words]
        matcher = difflib.SequenceMatcher(None, given, texts, autojunk=False)
        differences = [
            Difference(_joined(given[a:b]), _joined(texts[c:d]))
            for op, a, b, c, d in matcher.get_opcodes()
            if op != "equal"
        ]
        return self._found(quote, "fuzzy", *span, best.ratio, tuple(differences[:MOST_DIFFERENCES]))

    def _words_in_sentence(self, word: int, count: int, step: Literal[-1, 1]) -> int:
        """How many of the `count` source words just before (`step` -1) or after (1) the word at index `word` are in its
        sentence: they stand in place of the first or last words of a quote, which did not match."""
        for taken in range(count):
            near = word + taken * step
            far = near + step
            if not 0 <= far < len(self._all_words()):
                return taken
            pair = self._all_words()[min(near, far) : max(near, far) + 1]
            left, right = (self.folded.source_span(*one.span()) for one in pair)
            if _SENTENCE_END.search(self.markdown, left[1], right[0]):
                return taken
        return count

    def _likely_places(self, given: list[str]) -> list[int]:
        """Indices of at most five source words near which a quote of these words may begin, the likeliest first."""
        words = self._all_words()
        votes: Counter[int] = Counter()
        for at, word in enumerate(given):
            places = self._places.get(word, ())
            # A word on every line gives no evidence of the place, and would make long pages slow.
            for place in places if len(places) <= 500 else ():
                votes[(place - at) // 4] += 1
        return [min(max(0, bucket * 4), max(0, len(words) - 1)) for bucket, _ in votes.most_common(5)]

    def _align(self, given: list[str], begin: int) -> _WordMatch | None:
        """The range of source words near word `begin` that matches the words of a quote; None if they share none."""
        words = self._all_words()
        slack = max(4, len(given) // 3)
        low = max(0, begin - slack)
        texts = [word[0] for word in words[low : begin + len(given) + 2 * slack]]
        matcher = difflib.SequenceMatcher(None, given, texts, autojunk=False)
        same = [block for block in matcher.get_matching_blocks() if block.size]
        if not same:
            return None
        # Stray words shared far from the core would stretch the span: keep the runs near the densest one.
        core = max(same, key=lambda block: block.size)
        same = [block for block in same if abs((block.b - core.b) - (block.a - core.a)) <= slack]
        first, end = same[0].b, same[-1].b + same[-1].size
        matcher.set_seq2(texts[first:end])
        matching = sum(block.size for block in matcher.get_matching_blocks())
        ratio = 2 * matching / (len(given) + end - first)
        return _WordMatch(ratio, low + first, low + end, same[0].a, len(given) - same[-1].a - same[-1].size)

    def _all_words(self) -> list[re.Match[str]]:
        """The words of the folded source, found when first needed."""
        if self._words is None:
            self._words = list(_WORD.finditer(self.folded.text))
            for at, word in enumerate(self._words):
                self._places.setdefault(word[0], []).append(at)
        return self._words

    def _found(
        self,
        quote: str,
        verdict: QuoteVerdict,
        start: int,
        end: int,
        similarity: float = 1.0,
        differences: tuple[Difference, ...] = (),
    ) -> QuoteCheck:
        """The result for a quote that is in the source at `start` to `end`, with the text and the section there."""
        path = path_at(self.headings, start)
        return QuoteCheck(quote, verdict, start, end, self.markdown[start:end], path, round(similarity, 3), differences)


def _folded_forms(*parts: str) -> list[tuple[str, ...]]:
    """The non-empty parts of a quote folded as plain text and, if different, as Markdown: `__init__` may be bold."""
    readings = (tuple(filter(None, map(fold, parts))) for fold in (fold_quote, fold_markdown_quote))
    return list(dict.fromkeys(reading for reading in readings if reading))


def _negations(gap: str) -> list[str]:
    """The negations in parts of sentences that an elision leaves out; those in sentences left out whole do not count.

    `gap` is the text that was left out, with the character before it, which may end a sentence.
    """
    stops = list(_SENTENCE_STOP.finditer(gap))
    pieces = [gap] if not stops else [gap[: stops[0].start()], gap[stops[-1].end() :]]
    return [found[0] for piece in pieces for found in _NEGATION.finditer(piece)]


def _joined(words: Sequence[str]) -> str:
    return _BETWEEN_UNSPACED.sub("", " ".join(words))


def _find(text: str, wanted: str, begin: int = 0) -> int | None:
    """The offset of the first occurrence of `wanted` as whole words at or after `begin`; None if there is none."""
    for _ in range(1000):
        place = text.find(wanted, begin)
        if place < 0:
            return None
        if not (_inside_word(text, place) or _inside_word(text, place + len(wanted))):
            return place
        begin = place + 1
    return None


def _inside_word(text: str, at: int) -> bool:
    """Whether an offset is inside a word or number; in unspaced scripts a quote may begin at any character."""
    around = text[max(0, at - 1) : at + 1]
    return _INSIDE.match(text, at) is not None or (
        len(around) == 2 and around.isalnum() and at > 0 and not _UNSPACED.search(around)
    )


def _find_last(text: str, wanted: str, begin: int, end: int) -> int | None:
    """The offset of the last occurrence of `wanted` as whole words inside `text[begin:end]`; None if there is none."""
    for _ in range(1000):
        place = text.rfind(wanted, begin, end)
        if place < 0:
            return None
        if _find(text, wanted, place) == place:
            return place
        end = place + len(wanted) - 1
    return None
