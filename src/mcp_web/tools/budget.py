"""What an answer costs, and how it is kept within its budget.

The estimate was fitted to three tokenizers (o200k, cl100k, Claude's public one) over 80 pages of prose, code and
HTML: the median page is overestimated by a tenth, CJK and punctuation are met within 6 %, random base64 within a
fifth. Clients count differently, so the ceiling we aim at lies below the one we promise.
"""

from __future__ import annotations

import re

CEILING = 20_000  # tokens of a whole serialised result, promised
AIM = 16_500  # what we build for: leaves room for the error of the estimate
_MOST_PER_BYTE = 0.9  # no text measured costs more tokens than this per UTF-8 byte

_RUN = re.compile(r"[A-Za-z0-9+/=_\-]{24,}|[A-Za-z]+|[0-9]+|[^\x00-\x7f]+|[^\sA-Za-z0-9]+|\n+|[ \t]{2,}")


def estimate(text: str) -> int:
    """About how many tokens a text is, rather too many than too few."""
    cost = 0.0
    for found in _RUN.finditer(text):
        run = found[0]
        first, size = run[0], len(run)
        if not first.isascii():
            cost += len(run.encode("utf-8", "replace")) * 0.8
        elif size >= 24 and first.isalnum():
            cost += size / (1.35 if _is_mixed(run) else 1.85)
        elif first.isalpha():
            cost += 1 if size <= 6 else 1 + (size - 6) / 2
        elif first.isdigit():
            cost += (size + 2) // 3 + 0.5
        elif first.isspace():
            cost += 1
        else:
            cost += 1 if size == 1 else size / 1.45
    return int(cost) + 1


def within(text: str, tokens: int) -> bool:
    """Whether a text fits; short texts are answered without counting."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return size * _MOST_PER_BYTE <= tokens or estimate(text) <= tokens


def chars_for(text: str, tokens: int) -> int:
    """How many leading characters of the text fit: for choosing a window before it is cut at a block's end."""
    if within(text, tokens):
        return len(text)
    low, high = 0, len(text)
    while high - low > 64:
        middle = (low + high) // 2
        if estimate(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle
    return low


def cut(text: str, tokens: int) -> str:
    """The beginning of a text that fits, cut at the end of a block, a line or a word."""
    if within(text, tokens):
        return text
    piece = text[: chars_for(text, tokens)]
    for mark in ("\n\n", "\n", " "):
        at = piece.rfind(mark)
        if at > len(piece) * 0.6:
            return piece[:at]
    return piece


def _is_mixed(run: str) -> bool:
    """Whether a long run looks encoded: digits or capitals in the middle of it."""
    return any(char.isdigit() for char in run) or (run != run.lower() and run != run.upper() and "_" not in run)
