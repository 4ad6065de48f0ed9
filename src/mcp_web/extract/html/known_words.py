"""The words that the networks know: in the names of elements, and at both ends of a text."""

from __future__ import annotations

import re
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mcp_web.extract.html.blocks import Box, HtmlBlock
from mcp_web.extract.html.features import around_box
from mcp_web.extract.html.inputs import as_array

_BOXES = 7  # whose names are read: that of a block and six around it
_WORDS_PER_NAME = 4
FIRST_WORDS, LAST_WORDS = 6, 3  # of a text
_START, _END = 64, 32  # characters in which they are looked for
_LONGEST = 500  # characters of a name
_NONE = [0] * (FIRST_WORDS + LAST_WORDS)
_NAME_WORD = re.compile(r"[a-z]{2,}")
_WORD = re.compile(r"\w+")
_FIRST_WORDS = re.compile(r"\W*(\w*)" * FIRST_WORDS)

Numbers = NDArray[np.int64]


class KnownWords:
    """Maps the words in names and in texts that were frequent in training to numbers from 1, others to 0."""

    def __init__(self, names: list[str], texts: list[str]) -> None:
        self._names = {word: number for number, word in enumerate(names, 1)}
        self._texts = {word: number for number, word in enumerate(texts, 1)}

    def in_names(self, blocks: list[HtmlBlock]) -> tuple[Numbers, Numbers]:
        """The numbers of the words in each distinct name (class, id) of boxes, one row per name, first ""; and for each
        block the rows of the names of its box and of the six boxes around it."""
        rows: dict[str, int] = {"": 0}
        above: dict[Box | None, list[int]] = {}
        places = []
        for block in blocks:
            box = block.box
            around = above.get(box.parent)
            if around is None:
                around = [rows.setdefault(each.name, len(rows)) for each in islice(around_box(box.parent), _BOXES - 1)]
                above[box.parent] = around = around + [0] * (_BOXES - 1 - len(around))
            places.append([rows.setdefault(box.name, len(rows)), *around])
        return as_array([self._in_name(name) for name in rows], np.int64), as_array(places, np.int64)

    def _in_name(self, name: str) -> list[int]:
        found = [number for word in name_words(name) if (number := self._names.get(word))][:_WORDS_PER_NAME]
        return found + [0] * (_WORDS_PER_NAME - len(found))

    def in_texts(self, blocks: list[HtmlBlock]) -> Numbers:
        """The numbers of the first six and last three words of each block, one row per block; 0 is an unknown or
        missing word."""
        return as_array([self._in_text(block.text) for block in blocks], np.int64)

    def _in_text(self, text: str) -> list[int]:
        number = self._texts.get
        words = text_words(text)
        found = [number(word) or (number(word_shape(word), 0) if word.isdigit() else 0) for word in words]
        return found + _NONE[len(found) :]


def name_words(name: str) -> list[str]:
    """The runs of two or more letters a–z in the name (classes, id, role) of a box."""
    return _NAME_WORD.findall(name[:_LONGEST])


def text_words(text: str) -> list[str]:
    """The first six and the last three words of a text, in lower case; of up to nine words, all. Of a text of more than
    64 characters these are looked for in the first 64 and last 32; "" is one of the six that is not there."""
    if len(text) > _START and (first := _FIRST_WORDS.match(text[:_START].lower())):
        return [*first.groups(), *_WORD.findall(text[-_END:].lower())[-LAST_WORDS:]]
    words: list[str] = _WORD.findall(text.lower())
    return words if len(words) <= len(_NONE) else [*words[:FIRST_WORDS], *words[-LAST_WORDS:]]


def word_shape(word: str) -> str:
    """The word; for a number, one "0" per digit, at most four."""
    return "0" * min(4, len(word)) if word.isdigit() else word
