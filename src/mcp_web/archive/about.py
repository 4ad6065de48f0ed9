"""Ranks documents by what their title and URL say they are about: a page about a subject ranks before pages that only
mention it, and news and index pages rank behind the other pages of the same site."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Container, Mapping
from functools import lru_cache

from mcp_web.archive.fuse import TITLE, weight_of
from mcp_web.archive.highlight import beginnings
from mcp_web.archive.query import Question
from mcp_web.store.protocol import Headline
from mcp_web.text.stop_words import STOP_WORDS
from mcp_web.text.urls import host_of
from mcp_web.text.words import MARKS, fold, split_unit, terms, units

_MARKS = re.compile(f"[{MARKS}]")
_UMLAUT = re.compile("([aou])e")  # München and muenchen have the same stem
LOWER = 0.7  # of the score of news and index pages; .5 and .6 give nearly the same results
# A version may stand before or after the word: `3.0-announcement`, `release-15-2.html`.
_NEWS_OR_INDEX = re.compile(
    r"(?:^|/)(?:v?\d[\d.]*[-_])?(?:blog|news|posts?|releases?|release[-_]?(?:notes|log)|relnotes|changelogs?|changes"
    r"|history|announce(?:ments?)?|what-?s-?new|genindex|index-all|site-?map|tags?)(?:[-_]?v?\d[\w.-]*)?(?=/|$|\.)"
    r"|(?:^|[/-])(?:19|20)\d\d[-/]\d\d(?=[-/])",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:/(?:index|readme))?(?:\.[a-z]{2,5})?/?$", re.IGNORECASE)


class HeadlineMatcher:
    """Scores how well titles and URLs match a question, whose words have weights (`rarities`). Words are compared by
    their stems, in the language of the document or, where that is unknown, of the question."""

    def __init__(self, question: Question, rarities: Mapping[str, float]) -> None:
        self._language = question.language or "en"
        self._rarities = rarities
        self._total = sum(rarities.values())
        self._wanted: dict[str, list[tuple[frozenset[str], float]]] = {}  # terms and rarities, by language
        self._beginnings: dict[str, set[str]] = {}  # of the words of the question, by language

    def share(self, headline: Headline) -> float:
        """How well the title or the last part of the URL matches, 0…1, whichever matches better: the weighted share of
        the question's words that it contains, lowered for each of its words that the question does not have."""
        texts = (headline.title, last_part(headline))
        return max((self._share(text, headline.language or self._language) for text in texts if text), default=0.0)

    def _share(self, text: str, language: str) -> float:
        """How well one text, a title or the last part of a path, matches the question, 0…1."""
        if language not in self._wanted:
            given = self._rarities.items()
            self._wanted[language] = [(frozenset(terms(word, language)), rarity) for word, rarity in given]
            begins = (begin for word in self._rarities for begin in beginnings(word, language))
            self._beginnings[language] = {_plain(begin, language) for begin in begins}
        # Most titles have no word of the question, which takes a tenth of the time to see.
        plain = _plain(text, language)
        if not any(beginning in plain for beginning in self._beginnings[language]):
            return 0.0
        wanted = self._wanted[language]
        named, every = _named(text, language, self._language)
        total = sum(rarity for forms, rarity in wanted if not forms.isdisjoint(every))
        if not total:
            return 0.0
        matching = sum(any(not forms.isdisjoint(word) for forms, _ in wanted) for word in named)
        return float(total / self._total * (matching / len(named)) ** 0.5) if named else 0.0


def _plain(text: str, language: str) -> str:
    """A text in lower case, without accents, combining marks and the signs `-`, `_` and `.` that join words; in German
    without the "e" of "ae", "oe" and "ue"."""
    plain = fold(text).replace("-", "").replace("_", "").replace(".", "")
    if not plain.isascii():
        plain = _MARKS.sub("", plain)
    return _UMLAUT.sub(r"\1", plain) if language == "de" else plain


@lru_cache(maxsize=4096)  # the same titles are compared again for each question
def _named(text: str, language: str, asked: str) -> tuple[tuple[tuple[str, ...], ...], frozenset[str]]:
    """(the stems of each word of a title or path part, which may have two; all of these together with the stems of its
    names of several words, such as "use_state"). Without the stop words of `asked`, the language of the question."""
    found = [split_unit(unit) for unit in units(text)]
    words = {word for parts, _ in found for word in parts} - STOP_WORDS.get(asked, frozenset())
    named = tuple(terms(word, language) for word in words)
    compounds = (terms(name, language) for _, name in found if name)
    return named, frozenset(itertools.chain(*named, *compounds))


@lru_cache(maxsize=4096)
def last_part(headline: Headline) -> str:
    """The last part of a document's path or URL, without a file extension and without `index` or `readme`: `useEffect`
    of `reference/react/useEffect.md`."""
    return _ENDING.sub("", _place(headline)).rpartition("/")[2]


@lru_cache(maxsize=4096)
def is_news_or_index(headline: Headline) -> bool:
    """Whether the path or URL is that of a blog, news, release notes, index or tag page, or has a year and month."""
    return bool(_NEWS_OR_INDEX.search(_place(headline).partition("/")[2]))


def scores_with_headlines(
    scores: Mapping[str, float],
    headlines: Mapping[str, Headline],
    question: Question,
    rarities: Mapping[str, float],
    embedded: Container[str] = frozenset(),
) -> dict[str, float]:
    """The score (0…1) of each document, by key, mixed with how well its title and URL match the question. News and
    index pages get less if their site has other pages here. `rarities` are the weights of the question's words;
    `embedded` are the keys of documents whose score includes that by the embedding model."""
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
    """Those of the headlines that are news or index pages, if another page of the same site is among the headlines."""
    listed = {one for one in headlines if is_news_or_index(one)}
    if not listed:
        return listed
    sites = {_site(one) for one in headlines if one not in listed}
    return {one for one in listed if _site(one) in sites}


def _place(headline: Headline) -> str:
    """The path of a synced file, from the name of its folder on; else the URL without scheme, query and fragment."""
    return headline.path or headline.url.partition("://")[2].partition("?")[0].partition("#")[0]


def _site(headline: Headline) -> str:
    """The name of the synced folder, or the host, that a document belongs to."""
    return headline.path.partition("/")[0] if headline.path else host_of(headline.url)
