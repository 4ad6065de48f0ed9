"""Misspelt words: one edit away from a word that the archive holds.

Every word one edit away (a letter missing, doubled, swapped or wrong) is made and looked up: some 450 for a word of
eight letters, a millisecond of lookups. A table of deletions, as SymSpell keeps, finds the same words and would cost
more room than the index itself.
"""

from __future__ import annotations

from collections.abc import Mapping

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz0123456789ßøæœðþłđı",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
    "αβγδεζηθικλμνξοπρσςτυφχψω",
)
_LETTERS_MOST = 30  # longer words are identifiers; their neighbours would be thousands
_SHORTEST = 4  # among shorter words nearly everything is one edit from something else


def neighbours(word: str) -> list[str]:
    """Every word one edit away, or nothing for words that cannot be judged."""
    if not _SHORTEST <= len(word) <= _LETTERS_MOST or word.isdigit():
        return []
    letters = next((alphabet for alphabet in _ALPHABETS if any(char in alphabet[:26] for char in word)), None)
    if letters is None:
        return []
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = [left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1]
    missing = [left + char + right for left, right in splits for char in letters]
    doubled = [left + right[1:] for left, right in splits if right]
    wrong = [left + char + right[1:] for left, right in splits if right for char in letters]
    found = dict.fromkeys((*swapped, *doubled, *missing, *wrong))
    found.pop(word, None)
    return list(found)


def correction(word: str, counts: Mapping[str, int]) -> str | None:
    """The likeliest of the known neighbours of a word: common ones first, the first letter is seldom wrong."""
    known = [near for near in counts if near != word]
    if not known:
        return None
    return max(known, key=lambda near: (counts[near] * _likelihood(word, near), near))


def _likelihood(word: str, near: str) -> float:
    if word[0] != near[0]:
        return 0.1
    if sorted(word) == sorted(near):
        return 3.0  # two letters swapped: seldom a word of its own
    return 1.0
