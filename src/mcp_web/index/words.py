"""Words: BM25 over a page's own passages.

The page is the collection: a word that stands in every passage of it tells nothing, however rare it is elsewhere.
Measured on 100 to 200 word passages; the same code on every store.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

# Term frequency saturates early and length hardly counts: passages are cut to one size.
K1, B = 1.2, 0.5
# Words of the headings above a passage count like this many of its own.
HEADING_SHARE = 0.5
# What two neighbouring words of the question add where they stand together: hit@1 .64 → .68 on chunking_eval.
PAIR_SHARE = 0.6

_STOP_WORDS = """
    a about after all also am an and any are as at be because been before being between both but by can could did
    do does down during each few for from further had has have he her here his how i if in into is it its just may me
    might more most must my no nor not now of off on once only or other our out over own same shall she should so some
    such than that the their them then there these they this those through to too under until up upon us very was we
    were what when where whether which while who whom whose why will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_IDEOGRAPH}]+|[^\W_{_IDEOGRAPH}]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TARGET = re.compile(r"\]\([^()\[\]\n]*+(?:\([^()\[\]\n]*+\)[^()\[\]\n]*+)?\)|https?://\S+")
_STEMMED = re.compile(r"^[a-z]{3,}$")


class PageWords:
    """The words of a page's passages, ready for questions."""

    def __init__(self, texts: Sequence[str], headings: Sequence[Sequence[str]] = ()) -> None:
        import numpy as np

        postings: dict[str, dict[int, float]] = defaultdict(dict)
        # Words in their order, for pairs. The strings are shared, a word costs eight bytes.
        self._said = [terms(text) for text in texts]
        for number, said in enumerate(self._said):
            for term, count in Counter(said).items():
                postings[term][number] = count
            for term in set(terms(" ".join(headings[number]))) if headings else ():
                postings[term][number] = postings[term].get(number, 0) + HEADING_SHARE
        self.size = len(texts)
        lengths = np.array([len(said) for said in self._said], float)
        self._norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean()) if len(texts) else 1.0))
        self._postings = {
            term: (np.fromiter(found, np.int64), np.fromiter(found.values(), np.float64))
            for term, found in postings.items()
        }

    def scores(self, query: str) -> Scores:
        """The BM25 score of every passage, with a share for words that stand together as in the question."""
        import numpy as np

        total = np.zeros(self.size)
        for term, weight in self._weights(query).items():
            if term in self._postings:
                self._add(total, *self._postings[term], weight)
        asked = terms(query)
        for first, second in dict.fromkeys(pairwise(asked)):
            for pair, share in (((first, second), PAIR_SHARE), ((second, first), PAIR_SHARE / 2)):
                at, near = self._pairs(*pair)
                if len(at):
                    self._add(total, at, near, share * self._rarity(len(at)))
        return total

    def coverage(self, query: str) -> Scores:
        """For every passage the share of the question's words it has, rare words counting more."""
        import numpy as np

        covered = np.zeros(self.size)
        weights = self._weights(query)
        for term, weight in weights.items():
            if term in self._postings:
                covered[self._postings[term][0]] += weight
        return covered / (sum(weights.values()) or 1.0)

    def _add(self, total: Scores, at: NDArray[np.int64], count: Scores, weight: float) -> None:
        total[at] += weight * count * (K1 + 1) / (count + self._norm[at])

    def _weights(self, query: str) -> dict[str, float]:
        """Rarity on the page times how often the question says it."""
        said = Counter(terms(query)) or Counter(terms(query, keep_all=True))
        held = {term: len(self._postings[term][0]) if term in self._postings else 0 for term in said}
        return {term: count * self._rarity(held[term]) for term, count in said.items()}

    def _rarity(self, held: int) -> float:
        return log(1 + (self.size - held + 0.5) / (held + 0.5))

    def _pairs(self, first: str, second: str) -> tuple[NDArray[np.int64], Scores]:
        """The passages where the second word follows the first, at once or after one other, and how often."""
        import numpy as np

        found: dict[int, float] = {}
        if first != second and first in self._postings and second in self._postings:
            for number in np.intersect1d(self._postings[first][0], self._postings[second][0], assume_unique=True):
                said = self._said[number]
                near = sum(_nearness(said, at, second) for at, term in enumerate(said) if term == first)
                if near:
                    found[int(number)] = near
        return np.fromiter(found, np.int64), np.fromiter(found.values(), np.float64)


def _nearness(said: Sequence[str], at: int, second: str) -> float:
    if at + 1 < len(said) and said[at + 1] == second:
        return 1.0
    return 0.5 if at + 2 < len(said) and said[at + 2] == second else 0.0


def terms(text: str, *, keep_all: bool = False) -> list[str]:
    """The words that count: folded, stemmed, stop words out; ideographs in pairs; parts of camelCase too."""
    found: list[str] = []
    for token in _TOKEN.findall(_TARGET.sub(" ", text)):
        if token.isascii() or token[0] < "\u3040":
            folded = token.lower()
            if keep_all or folded not in _STOP:
                found.append(_stem(folded))
            if folded != token and not token[1:].islower() and not token.isupper():
                found += [_stem(part.lower()) for part in _CAMEL.findall(token) if len(part) > 2]
        elif len(token) == 1:
            found.append(token)
        else:
            found += [token[at : at + 2] for at in range(len(token) - 1)]
    return found


_stemmer = threading.local()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if not _STEMMED.match(word):
        return word
    if not hasattr(_stemmer, "english"):
        from Stemmer import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

        _stemmer.english = Stemmer("english")
    stemmed: str = _stemmer.english.stemWord(word)
    return stemmed
