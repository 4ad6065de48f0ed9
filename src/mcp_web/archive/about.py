"""Ranks documents by what their title and URL say they are about: a page about a subject ranks before pages that only
mention it, and news and index pages rank behind the other pages of the same site."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
from functools import lru_cache
from string import ascii_lowercase, digits

from mcp_web.archive.fuse import TITLE, weight_of
from mcp_web.archive.query import Question
from mcp_web.store.protocol import Headline
from mcp_web.text.stop_words import STOP_WORDS
from mcp_web.text.urls import host_of
from mcp_web.text.words import fold, query_terms, split_unit, units

LOWER = 0.7  # of the score of news and index pages; .5 and .6 give nearly the same results
# A version may stand before or after the word: `3.0-announcement`, `release-15-2.html`.
_NEWS_OR_INDEX = re.compile(
    r"(?:^|/)(?:v?\d[\d.]*[-_])?(?:blog|news|posts?|releases?|release[-_]?(?:notes|log)|relnotes|changelogs?|changes"
    r"|history|announce(?:ments?)?|what-?s-?new|genindex|index-all|site-?map|tags?)(?:[-_]?v?\d[\w.-]*)?(?=/|$|\.)"
    r"|(?:^|[/-])(?:19|20)\d\d[-/]\d\d(?=[-/])",
    re.IGNORECASE,
)
_GREEK = "\u0370"  # the first letter after the Latin script
_PREFIXED = ("id", "nl")  # languages whose stemmer removes prefixes too
_ENDING = re.compile(r"(?:/(?:index|readme))?(?:\.[a-z]{2,5})?/?$", re.IGNORECASE)
# The first two letters of each word of an ASCII text, of camelCase too, or the one before the joint of a compound name.
_WORD_STARTS = re.compile(r"(?:(?<![A-Za-z])|(?=[A-Z0-9]))(?=([A-Za-z0-9]{2}|[A-Za-z0-9](?=[-._])))")


class HeadlineMatcher:
    """Compares titles and URLs with the weighted words of a question."""

    def __init__(self, question: Question, rarities: Mapping[str, float]) -> None:
        self._language = question.language or "en"
        self._wanted = [(frozenset(query_terms(word)), rarity) for word, rarity in rarities.items()]
        self._all: frozenset[str] = frozenset().union(*(terms for terms, _ in self._wanted))
        self._total = sum(rarities.values())
        starts = {_start(text) for text in (*rarities, *self._all)}
        self._starts = None if self._language in _PREFIXED else starts
        can_skip = self._starts is not None and all(len(start) == 2 for start in starts)
        self._written = starts.union(ascii_lowercase, digits) if can_skip else None
        self._known: dict[str, frozenset[str]] = {}  # what `_matching` returned: titles share words

    def share(self, headline: Headline) -> float:
        """0…1: how much of the question the title or the URL names, and how little else it names."""
        texts = (headline.title, last_part(headline))
        return max((self._share(text) for text in texts if text), default=0.0)

    def _share(self, text: str) -> float:
        """The share of one text: of a title, or of the last part of a path."""
        if self._cannot_match(text):
            return 0.0
        named, compound = _named(text, self._language)
        if not named or not self._total:
            return 0.0
        matching = [found for word in named if (found := self._matching(word))]
        terms = set().union(*matching, *map(self._matching, compound))
        if not terms:
            return 0.0
        total = sum(rarity for wanted, rarity in self._wanted if not wanted.isdisjoint(terms))
        return float(total / self._total * (len(matching) / len(named)) ** 0.5)

    def _cannot_match(self, text: str) -> bool:
        """Whether no word of a text begins like one of the question: true of most titles, and much faster to find out
        than to split them into words. False if it is not known."""
        if self._written is None or not text.isascii():
            return False
        return self._written.isdisjoint(map(str.lower, _WORD_STARTS.findall(text)))

    def _matching(self, word: str) -> frozenset[str]:
        """The terms of the question that a word of a title is a form of. Stemming it in every language takes 25 µs, so
        a word that begins with other letters than all words of the question is not stemmed."""
        known = self._known.get(word)
        if known is None:
            other = self._starts is not None and word[0] < _GREEK and _start(word) not in self._starts
            known = self._known[word] = frozenset() if other else self._all.intersection(query_terms(word))
        return known


def _start(word: str) -> str:
    """The first two letters of a word, folded."""
    return fold(word[:2])


@lru_cache(maxsize=1024)  # the same titles are compared again for each question
def _named(text: str, language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The distinct words of a title or path part without stop words, and its compound names."""
    found = [split_unit(unit) for unit in units(text)]
    named = frozenset(word for words, _ in found for word in words)
    return named - STOP_WORDS.get(language, frozenset()), tuple(name for _, name in found if name)


@lru_cache(maxsize=1024)
def last_part(headline: Headline) -> str:
    """The last part of a path that names something: `useEffect` of `reference/react/useEffect.md`."""
    return _ENDING.sub("", _place(headline)).rpartition("/")[2]


@lru_cache(maxsize=1024)
def is_news_or_index(headline: Headline) -> bool:
    """Whether the path is that of a blog, news, release notes, an index or tag page, or contains a date."""
    return bool(_NEWS_OR_INDEX.search(_place(headline).partition("/")[2]))


def scores_with_headlines(
    scores: Mapping[str, float],
    headlines: Mapping[str, Headline],
    question: Question,
    rarities: Mapping[str, float],
    embedded: Container[str] = frozenset(),
) -> dict[str, float]:
    """The scores adjusted by how well titles and URLs match the question, still between 0 and 1. `embedded` are the
    documents whose scores include the model's."""
    matcher = HeadlineMatcher(question, rarities)
    lower = _ranked_lower(headlines.values())
    found = {}
    for key, score in scores.items():
        headline = headlines.get(key)
        about = matcher.share(headline) if headline else 0.0
        weight = weight_of(key, embedded)
        whole = (weight * score + TITLE * about) / (weight + TITLE)
        found[key] = whole * LOWER if headline in lower else whole
    return found


def _ranked_lower(headlines: Collection[Headline]) -> set[Headline]:
    """The news and index pages of sites that have other pages among these."""
    listed = {one for one in headlines if is_news_or_index(one)}
    if not listed:
        return listed
    sites = {_site(one) for one in headlines if one not in listed}
    return {one for one in listed if _site(one) in sites}


def _place(headline: Headline) -> str:
    """The path inside its folder, or the URL without scheme, query and fragment."""
    return headline.path or re.split(r"[?#]", headline.url.partition("://")[2])[0]


def _site(headline: Headline) -> str:
    """The synced folder or the host that a document belongs to."""
    return headline.path.partition("/")[0] if headline.path else host_of(headline.url)
