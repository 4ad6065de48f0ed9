"""Estimates the size of a text in tokens and in words, in every script.

Tokens: the estimate for ASCII was fitted to three tokenizers (o200k, cl100k, Claude's public one) over 80 pages of
prose, code and HTML: the median page is overestimated by a tenth, punctuation is estimated within 6 %, random base64
within a fifth. The rates of other scripts are those of o200k on the Universal Declaration of Human Rights in 53
languages, raised by a tenth, because web pages have rarer words: Chinese encyclopedia articles are overestimated by 5
%.

Words: in scripts without spaces, characters per word are chosen such that the Declaration has as many words as in
English.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache

from mcp_web.text.markdown import TARGET

_VARIETY = 20  # times the square root of its length: more different characters than any Chinese text has
# First character of a range, tokens per character, words per character (0: words are separated by spaces).
_RANGES: tuple[tuple[int, float, float], ...] = (
    (0x0080, 0.9, 0), (0x00C0, 0.65, 0), (0x0250, 1, 0), (0x0370, 0.42, 0), (0x0400, 0.32, 0), (0x0530, 0.32, 0),
    (0x0590, 0.48, 0), (0x0600, 0.41, 0), (0x0780, 1.6, 0), (0x0900, 0.38, 0), (0x0980, 0.42, 0), (0x0A00, 0.69, 0),
    (0x0A80, 0.43, 0), (0x0B00, 1.6, 0), (0x0B80, 0.4, 0), (0x0C00, 0.55, 0), (0x0C80, 0.46, 0), (0x0D00, 0.4, 0),
    (0x0D80, 0.7, 0), (0x0E00, 0.48, 0.19), (0x0E80, 2.11, 0.165), (0x0F00, 1.67, 0.14), (0x1000, 0.63, 0.113),
    (0x10A0, 0.32, 0), (0x1100, 0.81, 0.38), (0x1200, 2.27, 0), (0x13A0, 1.6, 0),
    (0x1780, 0.7, 0.168), (0x1800, 1.6, 0),
    (0x1E00, 0.65, 0), (0x1F00, 0.42, 0), (0x2000, 0.9, 0), (0x2100, 1.6, 0), (0x3000, 0.9, 0), (0x3040, 0.92, 0.3),
    (0x3100, 1.08, 0.6), (0x3400, 0.92, 0.6), (0xA000, 1.6, 0), (0xAC00, 0.81, 0.38), (0xD7B0, 1.6, 0),
    (0xF900, 0.97, 0.6), (0xFB00, 0.9, 0), (0x10000, 2.6, 0),
)  # fmt: skip
_STARTS = [first for first, _, _ in _RANGES]

_LETTERS = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_NUMBER = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
_GAPS = re.compile(r"\n+|[ \t]{2,}")
_ENCODED = re.compile(r"[A-Za-z0-9+/=_\-]{24,}")
_OTHER = re.compile(r"[\x80-\U0010ffff]+")
_UNSPACED = re.compile(r"[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff]+")

_PUNCTUATION = re.compile(r"[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\u2010-\u2027]+")

# An English word has about six characters with its space; a much longer "word" counts as several.
CHARS_PER_WORD = 12


def estimate_tokens(text: str) -> int:
    """The approximate number of tokens of a text, rather too high than too low."""
    if len(text) <= 2_000:
        return _estimate_short(text)
    return _estimate_page(text) if len(text) <= 50_000 else _estimate(text)


def count_words(text: str) -> int:
    """The number of words. Targets of links are not counted; in scripts without spaces between words, the number is
    estimated from that of the characters."""
    if "](" in text:
        text = TARGET.sub("]", text)
    runs = () if text.isascii() else _UNSPACED.findall(text)
    if not runs:
        return _spaced(text)
    unspaced = Counter("".join(runs))
    words = sum(_rates(char)[1] * count for char, count in unspaced.items())
    return _spaced(_PUNCTUATION.sub(" ", _UNSPACED.sub(" ", text))) + int(words)


def _spaced(text: str) -> int:
    """The number of words of a text whose words are separated by spaces; at least one per CHARS_PER_WORD characters."""
    return max(len(text.split()), len(text) // CHARS_PER_WORD)


def _estimate(text: str) -> int:
    """The approximate number of tokens of a text, by regular expressions: a tenth of a microsecond per character."""
    marks = _MARKS.findall(text)
    numbers = _NUMBER.findall(text)
    words = [len(word) for word in _LETTERS.findall(text)]
    cost = len(words) + 0.5 * sum(size - 6 for size in words if size > 6)
    cost += 0.85 * len(numbers) + sum(map(len, numbers)) / 3
    cost += sum(map(len, marks)) / 1.45 + 0.31 * marks.count("|") + 0.31 * marks.count(".") + 0.31 * marks.count(",")
    cost += len(_GAPS.findall(text))
    cost += sum(len(run) / 4 for run in _ENCODED.findall(text) if _is_mixed(run))
    if not text.isascii():
        cost += _beyond_ascii("".join(_OTHER.findall(text)))
    return int(cost) + 1


_estimate_short = lru_cache(maxsize=2048)(_estimate)
_estimate_page = lru_cache(maxsize=32)(_estimate)  # a page is measured again for each question that is put to it


def _beyond_ascii(text: str) -> float:
    """The estimated tokens of a text without ASCII characters: by script, or by bytes if it has more different
    characters than any language uses."""
    counts = Counter(text)
    if len(counts) > max(400, _VARIETY * len(text) ** 0.5):
        return 0.8 * len(text.encode("utf-8", "replace"))
    return sum(_rates(char)[0] * count for char, count in counts.items())


@lru_cache(maxsize=4096)
def _rates(char: str) -> tuple[float, float]:
    """The estimated tokens, and the words, per character of the script of `char`; 0 words where words have spaces."""
    _, tokens, words = _RANGES[max(0, bisect_right(_STARTS, ord(char)) - 1)]
    return tokens, words


def _is_mixed(run: str) -> bool:
    """Whether a long run of ASCII characters looks encoded: it has digits, or mixed case without underscores."""
    return any(char.isdigit() for char in run) or (run != run.lower() and run != run.upper() and "_" not in run)
