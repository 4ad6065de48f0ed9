"""A plain search engine over the pages: BM25 over title and text, with a snippet. None of it is the product's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import log

_STOP_WORDS = (
    "a an and are as at be by can did do does for from has have how i if in is it its may much must my of on or "
    "should that the their them there they this to was what when where which who why will with you your"
)
_STOP = frozenset(re.findall(r"\w+", _STOP_WORDS))
_SNIPPET_WORDS = 28


@dataclass(frozen=True, slots=True)
class Result:
    url: str
    title: str
    snippet: str


class PlainEngine:
    def __init__(self, pages: Mapping[str, tuple[str, str]]) -> None:
        """Pages by address, each with its title and its text."""
        self._pages = pages
        self._counts = {url: Counter(_terms(f"{title} {title} {text}")) for url, (title, text) in pages.items()}
        self._lengths = {url: sum(counts.values()) for url, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(pages))
        self._holding = Counter(term for counts in self._counts.values() for term in counts)

    def search(self, query: str, count: int = 10) -> list[Result]:
        terms = set(_terms(query))
        scored = [(self._score(url, terms), url) for url in self._pages]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))[:count]
        return [Result(url, self._pages[url][0], _snippet(self._pages[url][1], terms)) for _, url in best]

    def _score(self, url: str, terms: set[str]) -> float:
        counts, share = self._counts[url], self._lengths[url] / self._mean
        return sum(
            self._rarity(term) * counts[term] * 2.2 / (counts[term] + 1.2 * (0.25 + 0.75 * share))
            for term in terms
            if term in counts
        )

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return log(1 + (len(self._pages) - holding + 0.5) / (holding + 0.5))


def _terms(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", text.lower())
    return [word.removesuffix("s") if len(word) > 3 else word for word in words if word not in _STOP]


def _snippet(text: str, terms: set[str]) -> str:
    """The window of words that holds most of the query."""
    words = re.sub(r"[#|*`>-]+", " ", text).split()
    step = _SNIPPET_WORDS // 2
    windows = [words[at : at + _SNIPPET_WORDS] for at in range(0, max(1, len(words) - step), step)]
    best = max(windows, key=lambda window: len(terms & set(_terms(" ".join(window)))))
    return " ".join(best) + " …"
