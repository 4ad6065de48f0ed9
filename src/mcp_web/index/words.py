"""Ranking by words: BM25 over the passages of one page.

Word frequencies are those of the page: a word in every passage is no evidence, however rare it is elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mcp_web.text.bm25 import PASSAGES
from mcp_web.text.languages import language_of
from mcp_web.text.markdown import prose
from mcp_web.text.names import asked_names, definitions, described, heading_keys, is_name
from mcp_web.text.words import is_stop_word, split_unit, terms, units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]


# A word in the headings above a passage counts as this many in its text.
HEADING_SHARE = 0.5
# Weight of two neighbouring words of the question that are also neighbours in the passage: on chunking_eval it raises
# hit@1 from .64 to .68.
PAIR_SHARE = 0.6
# For coverage, the rarity of words is computed as if the page had at least this many passages: on a page of one
# passage, a word that it has would have a fifth of the weight of one that it lacks. Any value from 20 to 100 is as
# good.
_COVERAGE_SIZE = 100
_SAMPLE = 400  # characters of each passage from which the page's language is detected


# A passage that defines a name, in a signature, a definition list or the heading above it, has a term for that: this
# mark and the key of the name. One that describes it in an item of a list has another, which counts on pages that do
# not define the name.
_DEFINED, _DESCRIBED = "=", "~"
_PUNCTUATION = ".,;:?!\"'`()[]"
# Put between two passages, so that the last word of one is not followed by the first of the next.
_APART = (-1, -2)


class PageWords:
    """An index of the words of a page's passages, and of the headings above each, stemmed in the page's language."""

    def __init__(self, texts: Sequence[str], headings: Sequence[Sequence[str]] = ()) -> None:
        import numpy as np

        self.language = language_of("\n".join(text[:_SAMPLE] for text in texts[:20]))
        self.size = len(texts)
        self._numbers: dict[str, int] = {}  # of each term
        splitter = Splitter(self.language)
        order: list[int] = []  # the terms of all passages
        ends: list[int] = []
        held: list[list[int]] = [[], []]  # the terms that passages have in their text, and in the headings above
        sizes: list[list[int]] = [[], []]
        for number, text in enumerate(texts):
            sequence, names = splitter.split(text)
            path = headings[number] if headings else ()
            above = {_DEFINED + key for heading in path for key in heading_keys(heading)}
            above.update(splitter.split(" ".join(path))[0])
            terms = self._number(sequence)
            order += terms
            order += _APART
            ends.append(len(order))
            defined = {_DEFINED + key for _, key in definitions(text)}
            defined.update(_DESCRIBED + key for _, key in described(text))
            for at, found in enumerate((terms + self._number(names) + self._number(defined), self._number(above))):
                held[at] += found
                sizes[at].append(len(found))
        self._order, self._ends = np.array(order, np.int32), np.array(ends, np.int64)
        lengths = np.diff(self._ends, prepend=0) - float(len(_APART))
        self._norms = PASSAGES.norms(lengths, float(lengths.mean()) if len(texts) else 1.0)
        # Sorted by term, then by passage: of each pair how often the passage has the term.
        passages = np.concatenate([np.repeat(np.arange(self.size), one) for one in sizes])
        pairs = np.array(held[0] + held[1], np.int64) * self.size + passages
        pairs, places = np.unique(pairs, return_inverse=True)
        weights = np.repeat((1.0, HEADING_SHARE), [len(one) for one in held])
        self._counts: Scores = np.bincount(places, weights, minlength=len(pairs)).astype(np.float64)
        of_terms, self._passages = np.divmod(pairs, max(1, self.size))
        self._starts = np.searchsorted(of_terms, np.arange(len(self._numbers) + 1))

    def scores(self, query: str) -> Scores:
        """The BM25 score of every passage, with an addition for words that are neighbours as in the question."""
        import numpy as np

        total = np.zeros(self.size)
        for term, weight in self._weights(query).items():
            self._add(total, *self._postings(term), weight)
        for first, second in dict.fromkeys(pairwise(_question_terms(query, self.language))):
            for pair, share in (((first, second), PAIR_SHARE), ((second, first), PAIR_SHARE / 2)):
                at, near = self._following(*pair)
                if len(at):
                    self._add(total, at, near, share * PASSAGES.rarity(len(at), self.size))
        return total

    def coverage(self, query: str) -> Scores:
        """For every passage, the share (0…1) of the question's words that it has; rare words count more."""
        import numpy as np

        covered = np.zeros(self.size)
        weights = self._weights(query, max(self.size, _COVERAGE_SIZE))
        for term, weight in weights.items():
            covered[self._postings(term)[0]] += weight
        return covered / (sum(weights.values()) or 1.0)

    def missing_names(self, question: str, about: str = "") -> tuple[str, ...]:
        """The names in a question (of a product, a place, a year …) that the page does not mention, and neither does
        `about`, text about the page whose first line is its title."""
        sequence, compounds = page_terms(about, self.language, stop=())
        known = {*sequence, *compounds}
        found = dict.fromkeys(names(question, self.language))
        title = about.partition("\n")[0]
        return tuple(name for name in found if not self._mentions(name, known) and not self._defines(name, title))

    def _defines(self, name: str, title: str) -> bool:
        """Whether the page defines the last part of a dotted name, and its title has the rest: `String.strip` is
        defined by a page `String` with an entry `strip`."""
        owner, _, member = name.rpartition(".")
        is_defined = any(_DEFINED + one.key in self._numbers for one in asked_names(member))
        return is_defined and bool(owner) and owner.lower() in map(str.lower, units(title))

    def _mentions(self, name: str, known: set[str]) -> bool:
        """Whether every term of a name is on the page or in `known`."""
        sequence, compounds = page_terms(name, self.language, stop=())
        # The parts of `2011-12` may be written with another dash; those of `4.2` would also match another version.
        wanted = sequence if "-" in name or not compounds else compounds
        return all(term in self._numbers or term in known for term in wanted)

    def _add(self, total: Scores, at: NDArray[np.int64], count: Scores, weight: float) -> None:
        """Add the BM25 score of a term to `total`; `at` are the numbers of the passages with it, `count` how often."""
        total[at] += weight * count / (count + self._norms[at])

    def _weights(self, query: str, size: int = 0) -> dict[str, float]:
        """The weight of each term of a question: its rarity, computed as if the page had `size` passages (0: those it
        has), times how often the question has it."""
        counts = Counter((*_question_terms(query, self.language), *self._names(query)))
        held = {term: len(self._postings(term)[0]) for term in counts}
        return {term: count * PASSAGES.rarity(held[term], size or self.size) for term, count in counts.items()}

    def _names(self, query: str) -> list[str]:
        """For each name in a question, the term to look up: of a name that the page defines, the term of the passages
        that do so; of others, that of the passages that mention it. A name that the page never has as one word counts
        by its parts alone, which are terms of the question."""
        found = []
        for name in _question_names(query, self.language):
            defined = [term for term in name.defined if term in self._numbers]
            found += defined[:1] or [term for term in name.mentioned if term in self._numbers]
        return found

    def _number(self, terms: Iterable[str]) -> list[int]:
        """The number of each term in this index; a new term gets the next one."""
        number = self._numbers.setdefault
        return [number(term, len(self._numbers)) for term in terms]

    def _postings(self, term: str) -> tuple[NDArray[np.int64], Scores]:
        """The numbers of the passages that have a term, and how often each has it; both empty for an unknown term."""
        number = self._numbers.get(term)
        held = slice(0, 0) if number is None else slice(self._starts[number], self._starts[number + 1])
        return self._passages[held], self._counts[held]

    def _following(self, first: str, second: str) -> tuple[NDArray[np.int64], Scores]:
        """The numbers of the passages in which the second term follows the first, directly or after one other term, and
        how often in each. With one term between them a pair counts half."""
        import numpy as np

        sought = self._numbers.get(second)
        if first == second or first not in self._numbers or sought is None:
            return np.empty(0, np.int64), np.empty(0)
        at = np.flatnonzero(self._order == self._numbers[first])
        near = np.where(self._order[at + 1] == sought, 1.0, 0.5 * (self._order[at + 2] == sought))
        counts: Scores = np.bincount(np.searchsorted(self._ends, at, side="right"), near).astype(np.float64)
        found: NDArray[np.int64] = np.flatnonzero(counts).astype(np.int64)
        return found, counts[found]


class Splitter:
    """Splits texts into terms (word stems) without stop words; a unit that was split before is looked up."""

    def __init__(self, language: str, stop: tuple[str, ...] | None = None) -> None:
        """`stop` are the languages whose stop words are left out, by default that of the text (English if unknown)."""
        self._language = language
        self._stop = (language or "en",) if stop is None else stop
        self._known: dict[str, tuple[list[str], str]] = {}

    def split(self, text: str) -> tuple[list[str], list[str]]:
        """The terms of a text in order, and the terms of the compound names in it, such as `read_timeout`."""
        sequence: list[str] = []
        names: list[str] = []
        known = self._known
        for unit in units(prose(text)):
            if unit not in known:
                known[unit] = self._terms(unit)
            found, name = known[unit]
            sequence += found
            if name:
                names.append(name)
        return sequence, names

    def _terms(self, unit: str) -> tuple[list[str], str]:
        """The terms of the words of a unit (text without spaces), and that of its compound name ("" for none)."""
        words, name = split_unit(unit)
        kept = [word for word in words if not any(is_stop_word(word, code) for code in self._stop)]
        return [terms(word, self._language)[0] for word in kept], terms(name, self._language)[0] if name else ""


def page_terms(text: str, language: str, stop: tuple[str, ...] | None = None) -> tuple[list[str], list[str]]:
    """The terms (word stems) of a text in order, without the stop words of the languages `stop` (None: of `language`),
    and the terms of the compound names in it."""
    return Splitter(language, stop).split(text)


@lru_cache(64)  # each signal asks for them
def _question_terms(query: str, language: str) -> list[str]:
    """The terms (word stems) of a question about a page in `language`, in order, without the stop words of the page's
    and of the question's language; all of them if there are only stop words."""
    sequence, _ = page_terms(query, language, stop=(language or "en", language_of(query)))
    return sequence or page_terms(query, language, stop=())[0]


class _AskedName(NamedTuple):
    """A word of a question that may be a name, with the terms that a passage has if it defines or mentions it."""

    defined: list[str]  # of the whole name first, then of its last part; then as items of lists describe them
    mentioned: list[str]


@lru_cache(64)
def _question_names(query: str, language: str) -> list[_AskedName]:
    """The words of a question that may be names: those written as names, compound words, and a word that is alone. Each
    with the terms that it has in the index of a page in `language`."""
    words = query.split()
    found = []
    for word in words:
        name = word.strip(_PUNCTUATION) if len(words) == 1 or is_name(word) else ""
        last = name.rpartition(".")[2]
        # A page that defines `OrderedDict` or `v4` does not define `OrderedDict.popitem` or `v4.2`, and the S of a
        # glossary is not `U.S.`.
        keys = [one.key for part in (name, last if len(last) > 1 else "") for one in asked_names(part)[:1]]
        marked = [mark + key for mark in (_DEFINED, _DESCRIBED) for key in keys]
        found.append(_AskedName(marked, page_terms(word, language)[1]))
    return [name for name in found if any(name)]


# Letters of scripts that separate words by spaces; in the others a number is a word of its own.
_PART = r"(?:[^\W\u0e00-\uffff]|\.)"
_TOKEN = re.compile(rf"[^\W_\u0e00-\uffff]{_PART}*(?:[-'’]{_PART}+)*")
# Endings after an apostrophe: `Chopin's`; in Turkish those of every case, `Türkiye'de`, `1997'den`.
_POSSESSIVE = re.compile(r"['’][a-zçğıöşüâîû]{0,4}$")
_CAPITAL_NOUNS = frozenset({"de", "lb"})  # languages in which every noun is capitalised


def names(question: str, language: str = "") -> list[str]:
    """The names in a question: words with digits, identifiers and capitalised words, but these only if neither the
    page's `language` nor that of the question capitalises nouns. A page that never mentions one of the names rarely
    answers: it is about another product, version, year or place. Measured on short factual questions: a name is missing
    from 7 % of the articles that answer, from 49 % of those without the paragraph that answers, from 97 % of others.
    """
    tokens = [(one.start(), _POSSESSIVE.sub("", one[0].rstrip("."))) for one in _TOKEN.finditer(question)]
    capitals = sum(token[0].isupper() for _, token in tokens)
    # In a title in capitals, or in German, a capital letter does not mark a name.
    question_language = language_of(question) or "en"
    by_capital = 2 * capitals <= len(tokens) and _CAPITAL_NOUNS.isdisjoint((language, question_language))
    return [
        token
        for start, token in tokens
        if not is_stop_word(token.lower(), question_language)
        and (
            _is_identifier(token)
            or (by_capital and len(token) > 1 and token[0].isupper() and not _begins_sentence(question, start))
        )
    ]


def _is_identifier(token: str) -> bool:
    """Whether a word has a digit, or after its first character an underscore, dot or capital: `E07`, `useState`."""
    if not token.isupper() and all(len(part) == 1 and part.isalpha() for part in token.split(".")):
        return False  # `e.g`, `a.m`, `z.B`, but not `U.S`
    inside = token[1:]
    return any(one.isdigit() for one in token) or "_" in inside or "." in inside or any(map(str.isupper, inside))


def _begins_sentence(text: str, start: int) -> bool:
    """Whether a sentence, or a quotation, begins at this offset in the text."""
    before = text[:start].rstrip()
    return not before or before[-1] in ".?!:¿¡\"'‘“„«(…"
