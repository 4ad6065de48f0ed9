"""Splits text into words, the same way for indexing, searching and highlighting, in every script.

Three forms of a word:
- folded: lower case without accents, of the same length, so that offsets stay valid;
- a word: as written, in lower case; a vocabulary contains folded words;
- a term: what an index contains. It is the stem in the language of the document, folded. Terms of other languages than
  English in the Latin script carry their language ("hous" and "haus/de"), because a stem in one language is often a
  word in another. The language of a query is unknown, so each of its words stands for its terms in every language.

Scripts without spaces between words have n-grams in place of words: two characters for ideographs, kana and Hangul,
three for Thai, Lao, Khmer and Burmese.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from mcp_web.text.stems import LATIN, stem, stemming_language
from mcp_web.text.stop_words import STOP_WORDS

# Cache size in words. A text repeats a few thousand; five times as many had no measurable effect on 400 pages, and
# would keep the rare words of all pages in memory.
KEPT_WORDS = 4096
LONGEST = 40  # longer words are hashes and base64, which nobody types
_PART = 200_000  # characters counted together: a list of all words of a large page takes ten times its size

_PAIRS = (
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f"
)
_TRIPLES = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ecd\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17dc\u17dd"
UNSPACED = _PAIRS + _TRIPLES  # inside brackets: characters of scripts without spaces between words
# Characters inside words that are not letters or digits to `re`: combining marks, vowel signs and joiners.
MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a4d\u0a51\u0a70\u0a71\u0a75"
    "\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7"
    "\u0c00-\u0c04\u0c3c-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d4d\u0d57"
    "\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84"
    "\u0f86\u0f87\u0f8d-\u0fbc\u135d-\u135f\u1dc0-\u1dff\u200c\u200d\u2060\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f"
)
_WORD = re.compile(rf"[{_PAIRS}]+|[{_TRIPLES}]+|[^\W_{_PAIRS}{_TRIPLES}](?:[^\W_{_PAIRS}{_TRIPLES}]|[{MARKS}])*")
# Words joined by the signs of names, versions and flags: read_timeout, sys.path, well-known, 3.11.2.
_REST = rf"[\w{MARKS}{UNSPACED}]*"
_UNIT = re.compile(rf"(?!_)[\w{UNSPACED}]{_REST}(?:[-.](?!_)[\w{UNSPACED}]{_REST})*")
_ASCII_UNIT = re.compile(r"[A-Za-z0-9]\w*(?:[-.][A-Za-z0-9]\w*)*", re.ASCII)
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HAS_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_DROPPED = re.compile(
    r"[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u200c\u200d\u2060]"
)
_ASCII = bytes(range(128))


class _Folds(dict[int, str]):
    """A table for `str.translate`, filled on demand: a character → its base letter, lower case, if one character."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        # The breve of й and the voicing marks of kana make other letters, not accents.
        accented = char not in "йЙ" and not "\u3040" <= char <= "\u30ff"
        parts = unicodedata.normalize("NFKD", char) if accented else char
        base = [part for part in parts if not unicodedata.combining(part)]
        lower = (base[0] if len(base) == 1 else char).lower()
        folded = "i" if char in "ıİ" else lower if len(lower) == 1 else char
        self[code] = folded
        return folded


_FOLDS = _Folds()


def fold(text: str) -> str:
    """The text in lower case without accents, of the same length."""
    lower = text.lower()
    if lower.isascii():
        return lower
    if len(lower) != len(text):  # a few letters, such as the Turkish İ, become two
        return text.translate(_FOLDS)
    # A page has few different non-ASCII characters: replacing each is five times faster than translating all.
    different = set(lower.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    if len(different) > 50:
        return text.translate(_FOLDS)
    for char in different:
        if (folded := _FOLDS[ord(char)]) != char:
            lower = lower.replace(char, folded)
    return lower


def words(text: str) -> list[str]:
    """The words of a text in order, in lower case; of camelCase only the parts. Scripts without spaces between words
    give n-grams. Words that are longer than LONGEST are left out."""
    found: list[str] = []
    for token in _WORD.findall(text):
        found += _cached_split(token) if len(token) <= LONGEST else _split(token)
    return [word for word in found if len(word) <= LONGEST]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """The (start, end) of each word of a text; consecutive characters of a script without spaces are one word."""
    return (match.span() for match in _WORD.finditer(text))


def compounds(text: str) -> list[str]:
    """The compound names in a text, each as one word in lower case: "readtimeout" for read_timeout, readTimeout and
    read-timeout, "3.11" for 3.11."""
    return [name for unit in units(text) if (name := split_unit(unit)[1])]


def units(text: str) -> list[str]:
    """The parts of a text without spaces and outer punctuation: `read_timeout`, a word, a sentence in Chinese."""
    return (_ASCII_UNIT if text.isascii() else _UNIT).findall(text)


def split_unit(unit: str) -> tuple[tuple[str, ...], str]:
    """(the words, the compound name in lower case) of a text without spaces: (("read", "timeout"), "readtimeout") for
    `read_timeout`. The name is "" for a single word."""
    return _split_unit(unit) if len(unit) <= LONGEST else (tuple(words(unit)), "")


def word_frequencies(text: str) -> Counter[str]:
    """How often each word and each compound name occurs in a text."""
    found: Counter[str] = Counter()
    for part in _parts(text):
        found.update(units(part))
    total: Counter[str] = Counter()
    for unit, count in found.items():
        parts, name = split_unit(unit)
        for word in (*parts, name) if name else parts:
            total[word] += count
    return total


def terms(word: str, language: str) -> tuple[str, ...]:
    """The terms (stems in the form of the index) that a document of this language is indexed under for a word: that of
    its stem and, for queries typed without accents, that of the stem of the word without accents if it differs."""
    return _cached_terms(word, stemming_language(word, language) if word else "")


# An entry takes up to two kilobytes, and the titles of documents add new words with every query: a larger cache would
# fill with words that are never used again.
@lru_cache(maxsize=2048)
def query_terms(word: str, languages: tuple[str, ...] = ("fa", *LATIN)) -> tuple[str, ...]:
    """The terms (stems as in the index) of a word of a query, in English and each language that documents may have."""
    stemmers = dict.fromkeys(stemming_language(word, language) for language in ("en", *languages)) if word else ("",)
    return tuple(dict.fromkeys(term for language in stemmers for term in _terms(word, language)))


def is_stop_word(word: str, language: str) -> bool:
    """Whether a word in lower case is a stop word of a language such as "en"; False for a language without a list."""
    return word in STOP_WORDS.get(language, ())


def is_unspaced(word: str) -> bool:
    """Whether a word is an n-gram of a script without spaces between words; it is recognised by its first character."""
    return bool(_UNSPACED.match(word))


_UNSPACED = re.compile(f"[{UNSPACED}]")
_TRIPLE = re.compile(f"[{_TRIPLES}]")


def ngrams(run: str) -> list[str]:
    """The overlapping n-grams (of 2 or 3 characters) of a text in a script without spaces; a shorter text is one."""
    size = 3 if _TRIPLE.match(run) else 2
    return [run[at : at + size] for at in range(max(1, len(run) - size + 1))]


def _terms(word: str, language: str) -> tuple[str, ...]:
    """The terms of a word, by the stemmer of a language: of the word as written and, if different, without accents."""
    tag = f"/{language}" if language in LATIN else ""
    written, typed = fold(stem(word, language or "en")) + tag, fold(word)
    return (written,) if typed == word else tuple(dict.fromkeys((written, stem(typed, language or "en") + tag)))


_cached_terms = lru_cache(maxsize=KEPT_WORDS)(_terms)


def _split(token: str) -> tuple[str, ...]:
    """A token as words in lower case; camel case is split into its words, and an unspaced script into n-grams.

    Marks that do not change a word are removed. Empty if the token has only such marks.
    """
    if token.isascii():
        has_hump = _HAS_HUMP.search(token) is not None
        return tuple(part.lower() for part in _CAMEL.findall(token)) if has_hump else (token.lower(),)
    if _UNSPACED.match(token):
        return tuple(ngrams(token))
    plain = _DROPPED.sub("", unicodedata.normalize("NFC", token).lower())
    return (plain,) if plain else ()


_cached_split = lru_cache(maxsize=KEPT_WORDS)(_split)


@lru_cache(maxsize=KEPT_WORDS)
def _split_unit(unit: str) -> tuple[tuple[str, ...], str]:
    return tuple(words(unit)), _compound(unit)


def _compound(unit: str) -> str:
    """The compound name that a text without spaces forms, in lower case: "readtimeout"; "" for a single word."""
    if unit.isalnum() and not _HAS_HUMP.search(unit):
        return ""
    if not unit.isascii() and _UNSPACED.search(unit):
        return ""
    parts = _WORD.findall(unit)
    if len(parts) < 2 and not _HAS_HUMP.search(unit):
        return ""
    joint = "." if all(part.isdigit() for part in parts) else ""
    whole = joint.join(parts).lower()
    return whole if len(whole) <= LONGEST else ""


def _parts(text: str) -> Iterator[str]:
    """A text in parts of about _PART characters, cut between words."""
    at = 0
    while len(text) - at > _PART and (end := text.find(" ", at + _PART)) > 0:
        yield text[at:end]
        at = end
    yield text[at:]
