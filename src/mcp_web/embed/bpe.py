"""Byte-level byte-pair encoding, as GPT-2 and RoBERTa tokenize.

Written by hand because it is small: the package `tokenizers`, which the user's own models need (`onnx.py`), adds 31 MB
and a client of a model hub.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import pairwise

START, END = 0, 2  # <s> and </s>

# English suffixes, then words, numbers and punctuation with the space before them, then other white space. Limited in
# length, because the time to merge the letters of a part is quadratic.
_PART = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]{1,80}| ?\d{1,80}| ?(?:[^\s\w]|_){1,80}|\s{1,80}(?!\S)|\s{1,80}")
_MOST_KNOWN = 20_000  # parts of words whose token ids are cached: two megabytes
_NEVER = 1 << 30  # the rank of a pair that is not merged


class BytePairTokenizer:
    """Splits text into the tokens of a model. Built from the JSON of the package `tokenizers`: a vocabulary, and pairs
    of letters in the order they are merged in."""

    def __init__(self, description: str) -> None:
        model = json.loads(description)["model"]
        self._vocabulary: dict[str, int] = model["vocab"]
        merges = (pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"])
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._letters = _byte_letters()
        self._ids = lru_cache(_MOST_KNOWN)(self._merged)

    def encode(self, text: str, most: int) -> list[int]:
        """The ids of a text's tokens between the start and the end token, cut off so that there are `most` at most."""
        found = [START]
        for part in _PART.findall(text):
            found += self._ids(part)
            if len(found) >= most:
                break
        return [*found[: most - 1], END]

    def _merged(self, part: str) -> tuple[int, ...]:
        """The token ids of a part of a text, such as a word: the letters that stand for its bytes are merged pair by
        pair, in the order in which the pairs were learnt."""
        letters = [self._letters[byte] for byte in part.encode("utf-8", "replace")]
        while len(letters) > 1:
            ranks = [self._ranks.get(f"{one} {other}", _NEVER) for one, other in pairwise(letters)]
            lowest = min(ranks)
            if lowest == _NEVER:
                break
            at = ranks.index(lowest)
            letters[at : at + 2] = [letters[at] + letters[at + 1]]
        return tuple(self._vocabulary[letter] for letter in letters if letter in self._vocabulary)


def _byte_letters() -> list[str]:
    """The printable letter that stands for each byte: its own if it is printable, else the next free one above 255."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]
