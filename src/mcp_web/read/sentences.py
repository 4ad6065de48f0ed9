"""Prose → sentences, with offsets."""

from __future__ import annotations

import re
from itertools import pairwise

# A full stop ends a sentence when space and something that can begin one follow; the stops of scripts that are only
# used for sentences (Chinese, Japanese, Hindi, Urdu, Arabic, Burmese, Khmer, Armenian, Amharic) need no space.
_END = re.compile(
    r"(?:[.!?…]+[\"'”’»)\]*_]*(?=\s+[\"'“‘«(\[*_`]*[^\sa-z])"
    r"|[。！？।॥۔؟။។։።]+[」』”’）]*)\s*|\n(?=\s*\n)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[Mm]rs?|[Mm]s|Dr|Prof|Sr|Jr|St|[Nn]o|[Nn]os|[Ff]igs?|[Ee]qs?|[Ss]ec|[Cc]h|[Vv]ol|[Pp]p?|"
    r"vs|etc|cf|al|approx|Inc|Ltd|Corp|Co|Gen|Gov|Sen|Rep|Rev|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
    r"|\b(?:e\.g|i\.e|[A-Z]\.[A-Z]|U\.S|a\.m|p\.m))\.$"
)
_UNBREAKABLE = re.compile(r"`[^`\n]+`|\]\([^()\[\]\s]*+\)|<[^<>\s]+>")


def sentences(text: str, base: int = 0) -> list[tuple[int, int]]:
    """Where each sentence begins and ends; together they cover the text."""
    held = [(found.start(), found.end()) for found in _UNBREAKABLE.finditer(text)]
    cuts = [0]
    next_held = 0
    for found in _END.finditer(text):
        place = found.start()
        while next_held < len(held) and held[next_held][1] <= place:
            next_held += 1
        inside = next_held < len(held) and held[next_held][0] < place
        stop = text[max(cuts[-1], place - 12) : place + 1]
        if found.end() >= len(text) or inside or (text[place] == "." and _ABBREVIATION.search(stop)):
            continue
        cuts.append(found.end())
    cuts.append(len(text))
    return [(base + start, base + end) for start, end in pairwise(cuts) if end > start]
