"""Stems words with the Snowball stemmer of their language."""

from __future__ import annotations

import threading
from typing import Any

# fmt: off
_SNOWBALL = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "ro": "romanian",
    "hu": "hungarian", "tr": "turkish", "pl": "polish", "cs": "czech", "ca": "catalan", "id": "indonesian",
    "et": "estonian", "lt": "lithuanian", "ru": "russian", "el": "greek", "ar": "arabic", "fa": "persian",
    "hi": "hindi", "ta": "tamil", "hy": "armenian",
}
# fmt: on
# Languages in the Latin script that have a stemmer of their own, other than English.
LATIN = tuple("de fr es it pt nl sv da no fi ro hu tr pl cs ca id et lt".split())  # noqa: SIM905
_SHORTEST = 3  # shorter words are not stemmed

# Scripts with one stemmer, which is used in any document. Ukrainian and Bulgarian have no stemmer, and share enough
# suffixes with Russian.
_BY_BLOCK = (
    ("\u0370", "\u03ff", "el"), ("\u1f00", "\u1fff", "el"), ("\u0400", "\u052f", "ru"), ("\u0530", "\u058f", "hy"),
    ("\u0600", "\u06ff", "ar"), ("\u0750", "\u077f", "ar"), ("\u0900", "\u097f", "hi"), ("\u0b80", "\u0bff", "ta"),
)  # fmt: skip
_local = threading.local()  # a stemmer is not safe to share between threads


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word in a document of this language; the word itself where there is no stemmer."""
    if len(word) < _SHORTEST or word.isdigit():
        return word
    found: str = _stemmer(stemming_language(word, language)).stemWord(word) if word[0] < "\u0e00" else word
    return found


def stemming_language(word: str, language: str) -> str:
    """The language whose stemmer is used for a word: by its script, in the Latin script by the document's `language`
    (English if that has none); "" if the script has no stemmer. The word must not be empty."""
    if word[0] < "\u0370":
        return language if language in LATIN else "en"
    for first, last, code in _BY_BLOCK:
        if first <= word[0] <= last:
            return "fa" if code == "ar" and language == "fa" else code
    return ""


def _stemmer(language: str) -> Any:
    """The stemmer of a language for this thread, created when first used."""
    stemmers: dict[str, Any] = _local.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        import Stemmer  # type: ignore[import-not-found]  # PyStemmer ships no types

        name = _SNOWBALL.get(language)
        known = name in Stemmer.algorithms()  # an older PyStemmer has fewer
        stemmers[language] = Stemmer.Stemmer(name, 0) if known else _Unstemmed()
    return stemmers[language]


class _Unstemmed:
    """The stemmer for languages that have none: returns words unchanged."""

    def stemWord(self, word: str) -> str:  # PyStemmer's name
        return word
