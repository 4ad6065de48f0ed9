"""Detects the language of a text: by its script, then by its function words.

Long texts and whole questions are detected reliably; a few keywords often are not, and then the result is "".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache

from mcp_web.text.stop_words import STOP_WORDS

READ_CHARS = 4000  # of a text: more changes no result
# The required lead over the next language, in words that only the first one uses, and as a share of its score.
_LEAD, _LEAD_SHARE = 0.3, 0.2

# Scripts with their letters, and the language that nearly all web pages in the script have, or that stands for several
# languages with the same tokenizer and stemmer.
_SCRIPTS = {
    "latin": (r"A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff", ""),
    "cyrillic": (r"\u0400-\u052f", "ru"),
    "greek": (r"\u0370-\u03ff\u1f00-\u1fff", "el"),
    "arabic": (r"\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc", "ar"),
    "hebrew": (r"\u0590-\u05ff", "he"),
    "devanagari": (r"\u0900-\u097f", "hi"),
    "han": (r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff", "zh"),
    "kana": (r"\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f", "ja"),
    "hangul": (r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af", "ko"),
    "thai": (r"\u0e00-\u0e7f", "th"),
    "lao": (r"\u0e80-\u0eff", "lo"),
    "khmer": (r"\u1780-\u17ff", "km"),
    "myanmar": (r"\u1000-\u109f", "my"),
    "bengali": (r"\u0980-\u09ff", "bn"),
    "gurmukhi": (r"\u0a00-\u0a7f", "pa"),
    "gujarati": (r"\u0a80-\u0aff", "gu"),
    "tamil": (r"\u0b80-\u0bff", "ta"),
    "telugu": (r"\u0c00-\u0c7f", "te"),
    "kannada": (r"\u0c80-\u0cff", "kn"),
    "malayalam": (r"\u0d00-\u0d7f", "ml"),
    "sinhala": (r"\u0d80-\u0dff", "si"),
    "armenian": (r"\u0530-\u058f", "hy"),
    "georgian": (r"\u10a0-\u10ff", "ka"),
    "amharic": (r"\u1200-\u139f", "am"),
}
# Languages with stop words by script; within these scripts, function words decide.
_BY_WORDS = {
    "latin": tuple(code for code, words in STOP_WORDS.items() if next(iter(words)) < "\u0370"),
    "cyrillic": ("ru", "uk"),
    "arabic": ("ar", "fa", "ur"),
    "devanagari": ("hi", "mr"),
}
# Letters that few languages use say as much as a function word.
_LETTERS = {
    "ß": "de", "ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt et", "ő": "hu", "ű": "hu", "ğ": "tr", "ı": "tr",
    "ş": "tr", "ț": "ro", "ș": "ro", "ă": "ro vi", "ł": "pl", "ą": "pl lt", "ę": "pl lt", "ś": "pl", "ź": "pl",
    "ż": "pl", "ř": "cs", "ě": "cs", "ů": "cs", "ø": "da no", "æ": "da no", "å": "sv da no", "ơ": "vi", "ư": "vi",
    "đ": "vi", "ế": "vi", "ệ": "vi", "ạ": "vi", "ė": "lt", "ų": "lt", "œ": "fr", "ç": "fr pt tr ca", "ê": "fr pt vi",
    "ü": "de tr hu et", "ö": "de sv fi hu tr et", "ä": "de sv fi et", "à": "fr it ca pt vi", "è": "fr it ca",
    "і": "uk", "ї": "uk", "є": "uk", "ґ": "uk", "ы": "ru", "э": "ru", "ё": "ru", "پ": "fa ur", "چ": "fa ur",
    "گ": "fa ur", "ژ": "fa", "ے": "ur", "ہ": "ur", "ٹ": "ur", "ں": "ur", "ة": "ar", "ى": "ar", "ळ": "mr",
}  # fmt: skip

# Function words of other languages that are English words too. They are no stop words of English, but without them a
# question with `one` is taken for Polish and one with `comment` for French.
_ENGLISH_TOO = (
    "ad alt bin care ci come comment dont door due end face go hi ide io jest min mod net non one plus pro sale sans "
    "see sense sub ten todo todos want"
)

_RUNS = {name: re.compile(f"[{letters}]") for name, (letters, _) in _SCRIPTS.items()}
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963][^\W_]*)*")
# A letter that is part of a name or a formula, as in `v-model` and `N+1`, is no word.
_ASCII_WORD = re.compile(r"[a-z][a-z0-9]+|(?<![-+./:=*])[a-z](?![-+./:=*]\S)")
_UNREAD = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\]\([^()\s]*\)|https?://\S+", re.DOTALL)


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language a text is in, by its beginning; "" if it is uncertain."""
    return _language_of(text[:READ_CHARS])


@lru_cache(maxsize=256)  # a call asks for the language of the same few texts again and again
def _language_of(sample: str) -> str:
    if "`" in sample or "://" in sample:
        sample = _UNREAD.sub(" ", sample) or sample
    script = script_of(sample[:: max(1, len(sample) // 1000)])
    if script not in _BY_WORDS:
        return _SCRIPTS[script][1] if script else ""
    word = _ASCII_WORD if sample.isascii() else _WORD
    return _by_words(word.findall(sample.lower()), script) or _SCRIPTS[script][1]


def script_of(text: str) -> str:
    """The script of most letters of a text, or "" without letters. Han with some kana is Japanese: "kana"."""
    if text.isascii():
        return "latin" if any(map(str.isalpha, text)) else ""
    counts = {name: len(run.findall(text)) for name, run in _RUNS.items()}
    # An ideograph or a syllable counts as three letters.
    for dense in ("han", "kana", "hangul"):
        counts[dense] *= 3
    if counts["kana"] * 10 > counts["han"]:
        counts["kana"] += counts.pop("han")
    script = max(counts, key=lambda name: counts[name])
    return script if counts[script] else ""


def _by_words(words: Iterable[str], script: str) -> str:
    """The language with the most function words, "" without a clear lead; words of several languages count less."""
    evidence: dict[str, float] = defaultdict(float)
    known, counts = _function_words(script), Counter(words)
    found = [(known[word], counts[word]) for word in known.keys() & counts.keys()]
    found += [(codes, count) for word, count in counts.items() if not word.isascii() for codes in _by_letters(word)]
    for codes, count in found:
        for code in codes:
            evidence[code] += min(count, 5) / len(codes)
    ranked = sorted(evidence.items(), key=lambda item: -item[1])
    if not ranked:
        return ""
    code, best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return code if best - second >= max(_LEAD, _LEAD_SHARE * min(best, 3.0)) else ""


@cache
def _function_words(script: str) -> dict[str, tuple[str, ...]]:
    """The function words of a script, each with the codes of the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for code in _BY_WORDS[script]:
        for word in STOP_WORDS[code]:
            found[word] = (*found.get(word, ()), code)
    for word in _ENGLISH_TOO.split() if script == "latin" else ():
        found[word] = (*found[word], "en")
    return found


def _by_letters(word: str) -> list[tuple[str, ...]]:
    """For each letter of a word that few languages use, the codes of these languages."""
    return [tuple(_LETTERS[char].split()) for char in set(word) if char in _LETTERS]
