"""Prose → sentences, with offsets: one set of rules for every language.

A full stop ends a sentence when it is followed by a space and the possible beginning of another (no lower-case letter
or dash), but not after an abbreviation or an initial. Scripts that have their own stops (Chinese, Japanese, Hindi,
Urdu, Arabic, Burmese, Khmer, Armenian, Amharic) need no space after them. Thai and Lao have no stops: a space ends a
sentence, or a clause.
"""

from __future__ import annotations

import re
from itertools import pairwise

STOPS = ".!?…"  # end a sentence when space follows
OWN_STOPS = "。！？｡।॥۔؟။។៕։።፧"  # end a sentence whatever follows
_CLOSING = "\"'”’»)\\]*_"
_OPENING = "\"'“‘«„‹¿¡(\\[*_`"
_THAI = "\u0e01-\u0e4e\u0e81-\u0ecd"
# With fewer characters, Thai text between two spaces is a list item rather than a clause.
_THAI_CLAUSE = 40
# Begins with a character set, so that plain text is skipped without trying the alternatives; quantifiers are
# possessive, so that hostile text takes linear time.
_END = re.compile(
    rf"[{STOPS}{OWN_STOPS}\n](?:"
    rf"(?<=[{STOPS}])(?<![{STOPS}][{STOPS}])[{STOPS}]*+[{_CLOSING}]*+(?=\s++[{_OPENING}]*+(?P<next>\S))\s*+"
    rf"|(?<=[{OWN_STOPS}])[{OWN_STOPS}]*+[」』”’）]*+\s*+|(?<=\n)(?=[^\S\n]*+\n))"
)
_THAI_SPACE = rf"(?P<thai>(?<=[{_THAI}])\s+(?=[{_THAI}]))"
_THAI_END = re.compile(f"{_END.pattern}|{_THAI_SPACE}")
# Words with a full stop inside a sentence: initials and abbreviations before or inside a name.
_ABBREVIATION = re.compile(
    r"(?<!['’])\b(?:[A-ZÀ-ÞА-Яz]|[Mm]rs?|[Mm]s|Mme|Mlle|[Dd]ra?|Prof|Sra?|Jr|Sta?|vs|cf|al|ca|approx|Inc|Ltd|Corp|Co|Gen|"
    r"Gov|Sen|Rep|Rev|bzw|bspw|evtl|ggf|inkl|vgl|sog|им|ул|[^\W\d_]\.[^\W\d_])\.$"
)
# The same before a number: "no. 5" is one, "But no." is not.
_BEFORE_NUMBER = re.compile(
    r"\b(?:[Nn]os?|[Nn]r|[Nn]úm|[Ff]igs?|[Aa]bb|[Tt]ab|[Ee]qs?|[Ss]ect?|[Aa]rt|[Kk]ap|[Cc]h|[Vv]ol|[Bb]d|[Pp]p?|[Ss]|[Pp]ág|"
    r"[Ss]tr|гл|рис|стр|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Okt|Nov|Dec|Dez)\.$"
)
_GERMAN_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_AFTER_ORDINAL = re.compile(
    "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Auflage"
)
_LONGEST_ABBREVIATION = 12
_UNBREAKABLE = re.compile(r"`[^`\n]+`|(?:\[[^\[\]\n]{1,200})?\]\([^()\[\]\s]*+\)|<[^<>\s]+>")


def sentences(text: str, base: int = 0) -> list[tuple[int, int]]:
    """The (start, end) of each sentence, with `base` added; together they cover the text."""
    cuts = [0, *sentence_ends(text), len(text)]
    return [(base + start, base + end) for start, end in pairwise(cuts) if end > start]


def sentence_ends(text: str) -> list[int]:
    """The offsets at which sentences end, white space after them included; the end of the text is left out."""
    held = [found.span() for found in _UNBREAKABLE.finditer(text)]
    ends: list[int] = []
    next_held = 0
    for found in _pattern(text).finditer(text):
        place = found.start()
        while next_held < len(held) and held[next_held][1] <= place:
            next_held += 1
        inside = next_held < len(held) and held[next_held][0] < place
        if found.end() < len(text) and not inside and _is_end(text, found, ends[-1] if ends else 0):
            ends.append(found.end())
    return ends


def sentence_around(text: str, at: int) -> tuple[int, int]:
    """The (start, end) of the sentence at the offset `at`, without surrounding white space."""
    ends = sentence_ends(text)
    start = max((end for end in ends if end <= at), default=0)
    end = min((end for end in ends if end > at), default=len(text))
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return start, max(start, start + len(inner.strip()))


def _pattern(text: str) -> re.Pattern[str]:
    """The pattern for the ends of sentences, with Thai and Lao only if the text has any."""
    return _END if text.isascii() or re.search(f"[{_THAI}]", text) is None else _THAI_END


def _is_end(text: str, found: re.Match[str], start: int) -> bool:
    """Whether what the pattern found ends the sentence that begins at `start`."""
    groups = found.groupdict()
    place = found.start()
    if groups.get("thai") is not None:
        return place - start >= _THAI_CLAUSE
    following = groups["next"]
    if following is None:
        return True
    if following.islower() or following in "–—":
        return False
    before = text[max(start, place - _LONGEST_ABBREVIATION) : place + 1]
    if text[place] == "." and _ABBREVIATION.search(before):
        return False
    if following.isdigit():
        return _BEFORE_NUMBER.search(before) is None
    return not (_GERMAN_ORDINAL.search(before) and _AFTER_ORDINAL.match(text, found.end()))
