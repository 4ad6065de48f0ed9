"""Corrects misspelt words that are one edit away from a word in the archive.

Every word one edit away (a letter missing, doubled, swapped or wrong) is generated and looked up: some 450 for a word
of eight letters, a millisecond of lookups. A table of deletions, as in SymSpell, finds the same words and would take
more space than the index itself.
"""

from __future__ import annotations

from collections.abc import Mapping

# The letters of each script, folded, by the range of characters that a word of it begins with.
_ALPHABETS = (
    ("a", "\u024f", "abcdefghijklmnopqrstuvwxyz0123456789ßøæœðþłđ"),
    ("\u0370", "\u03ff", "αβγδεζηθικλμνξοπρσςτυφχψω"),
    ("\u0400", "\u04ff", "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґјљњћђџўқғңөүұһә"),
    ("\u0531", "\u0587", "".join(map(chr, range(0x561, 0x588)))),
    ("\u05d0", "\u05ea", "".join(map(chr, range(0x5D0, 0x5EB)))),
    ("\u0620", "\u06d3", "ءابةتثجحخدذرزسشصضطظعغفقكلمنهويىپچژگکیٹڈڑںھہے"),
    ("\u0904", "\u0939", "".join(map(chr, (*range(0x901, 0x93A), *range(0x93E, 0x94E))))),
    ("\u0985", "\u09b9", "".join(map(chr, (*range(0x981, 0x9BA), *range(0x9BE, 0x9CE))))),
    ("\u0b85", "\u0bb9", "".join(map(chr, (*range(0xB85, 0xBBA), *range(0xBBE, 0xBCE))))),
    ("\u0c05", "\u0c39", "".join(map(chr, (*range(0xC05, 0xC3A), *range(0xC3E, 0xC4E))))),
    ("\u10d0", "\u10f0", "".join(map(chr, range(0x10D0, 0x10F1)))),
)
_LETTERS_MOST = 30  # longer words are identifiers; their neighbours would be thousands
_SHORTEST = 4  # among shorter words nearly everything is one edit from something else


def neighbours(word: str) -> list[str]:
    """Every string one edit away from a word; empty for numbers, very short or long words, and unknown scripts."""
    if not _SHORTEST <= len(word) <= _LETTERS_MOST or word.isdigit():
        return []
    letters = next((letters for first, last, letters in _ALPHABETS if first <= word[0] <= last), None)
    if letters is None:
        return []
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = [left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1]
    missing = [left + char + right for left, right in splits for char in letters]
    doubled = [left + right[1:] for left, right in splits if right]
    wrong = [left + char + right[1:] for left, right in splits if right for char in letters]
    return [near for near in dict.fromkeys((*swapped, *doubled, *missing, *wrong)) if near != word]


def correction(word: str, counts: Mapping[str, int]) -> str | None:
    """The word of `counts` that was most likely meant: a common one, preferably with the same first letter. `counts`
    are the known words one edit away, with their frequencies; None if there are none."""

    def likelihood(near: str) -> float:
        if word[0] != near[0]:
            return 0.1
        return 3.0 if sorted(word) == sorted(near) else 1.0  # two letters swapped: seldom a word of its own

    return max(counts, key=lambda near: (counts[near] * likelihood(near), near), default=None)
