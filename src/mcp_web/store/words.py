"""Text as words, the same way for what is indexed, asked and highlighted.

Folding is one character for one character, so a word's place in the folded text is its place in the text.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

MOST_TF = 255  # BM25 saturates long before; one byte in the index
PART = 200_000  # characters looked at together
LONGEST = 40  # longer runs are hashes and base64, which nobody types

_WORD = re.compile(r"[^\W_]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
# Han and kana are written without spaces between words, Hangul with endings: pairs of neighbours find them.
_UNSPACED_CLASS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_UNSPACED = re.compile(f"[{_UNSPACED_CLASS}]")
_PIECES = re.compile(f"[{_UNSPACED_CLASS}]+|[^{_UNSPACED_CLASS}]+")
_local = threading.local()

_STOP_WORDS = (
    "a about after all also am an and any are as at be because been before being between both but by can could did do "
    "does doing during each few for from further had has have having he her here hers him his how i if in into is it "
    "its itself just me more most my no nor not now of off on once only or other our out over own same she should so "
    "some such than that the their them then there these they this those through to too under until up very was we "
    "were what when where which while who whom why will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


class _Folds(dict[int, str]):
    """Filled as characters are met: the base letter in lower case where that is one character."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        parts = [part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)]
        lower = (parts[0] if len(parts) == 1 else char).lower()
        folded = lower if len(lower) == 1 else char
        self[code] = folded
        return folded


_FOLDS = _Folds()


def fold(text: str) -> str:
    """Lower case without accents, of the same length."""
    lower = text.lower()
    if lower.isascii():
        return lower
    if len(lower) != len(text):  # a few letters, such as the Turkish İ, become two
        return text.translate(_FOLDS)
    # A page has few different characters beyond ASCII: replacing each is five times faster than looking at all.
    strange = set("".join(_BEYOND_ASCII.findall(lower)))
    if len(strange) > 50:
        return text.translate(_FOLDS)
    for char in strange:
        lower = lower.replace(char, _FOLDS[ord(char)])
    return lower


def words(text: str) -> Iterator[str]:
    """The words of a folded text, in order."""
    for run in _WORD.finditer(text):
        yield from _cut(run[0])


def prose(markdown: str) -> str:
    """Markdown without the addresses behind its links, which are not what a page says."""
    return _TARGET.sub("]", markdown) if "](" in markdown else markdown


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """What forms of one word share."""
    if not word.isascii() or len(word) < 3 or word.isdigit():
        return word
    if not hasattr(_local, "stemmer"):
        import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

        _local.stemmer = Stemmer.Stemmer("english", 0)  # its own cache would be a second one
    stemmed: str = _local.stemmer.stemWord(word)
    return stemmed


def counted(fields: Iterable[tuple[str, int]]) -> dict[str, int]:
    """How much each word counts in a document, over (text, weight) fields."""
    total: Counter[str] = Counter()
    for text, weight in fields:
        folded = fold(text)
        plain = folded.isascii() or not _UNSPACED.search(folded)
        found: Counter[str] = Counter()
        for part in _parts(folded) if plain else ():
            found.update(_WORD.findall(part))
        if not plain:
            found.update(words(folded))
        total.update(found if weight == 1 else {word: count * weight for word, count in found.items()})
    return {word: count for word, count in total.items() if len(word) <= LONGEST}


def _parts(text: str) -> Iterator[str]:
    """A text in parts that end between words: a list of all words of a large page takes ten times its size."""
    at = 0
    while len(text) - at > PART and (end := text.find(" ", at + PART)) > 0:
        yield text[at:end]
        at = end
    yield text[at:]


def _cut(run: str) -> Iterable[str]:
    if run.isascii() or not _UNSPACED.search(run):
        return (run,) if len(run) <= LONGEST else ()
    return _pairs(run)


def _pairs(run: str) -> Iterator[str]:
    """An unspaced run as overlapping pairs; spaced words inside it stay whole."""
    for found in _PIECES.finditer(run):
        piece = found[0]
        if not _UNSPACED.match(piece):
            if len(piece) <= LONGEST:
                yield piece
        elif len(piece) == 1:
            yield piece
        else:
            yield from (piece[at : at + 2] for at in range(len(piece) - 1))
