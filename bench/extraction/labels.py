"""Which blocks of a page its gold text holds: the truth the block model is trained on."""

from __future__ import annotations

import re
from collections import Counter

_NOT_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"\w+")
_SHORT, _LONG = 14, 40  # squeezed characters: below the first a block must be a line of its own in the gold


def squeeze(text: str) -> str:
    return _NOT_WORD.sub("", text.lower())


def label(blocks: list[str], gold: str) -> list[int]:
    """1 for each block found in the gold text. A piece of gold is given away once, so a page's second copy of a
    text is not content; long blocks are placed first and in order, short ones between them."""
    return _Labelling(blocks, gold).run()


class _Labelling:
    def __init__(self, blocks: list[str], gold: str) -> None:
        self.blocks = blocks
        self.keys = [squeeze(block) for block in blocks]
        self.gold = squeeze(gold)
        self.lines = Counter(squeeze(line) for line in gold.split("\n"))
        self.given = bytearray(len(self.gold))
        self.labels = [0] * len(blocks)
        self.places: list[tuple[int, int] | None] = [None] * len(blocks)

    def run(self) -> list[int]:
        self._long()
        for at in self._short_in_order():
            if len(self.keys[at]) >= _SHORT or self.lines[self.keys[at]]:
                self._give(at, 0, len(self.gold))
        return self.labels

    def _long(self) -> None:
        cursor = 0
        for at, key in enumerate(self.keys):
            if len(key) < _LONG:
                continue
            if self._give(at, cursor, len(self.gold)) or self._give(at, 0, len(self.gold)):
                place = self.places[at]
                assert place is not None
                cursor = place[1]
            elif len(key) > 60 and key not in self.gold and self._mostly(self.blocks[at]):
                self.labels[at] = 1

    def _short_in_order(self) -> list[int]:
        """Place short blocks between their long neighbours; returns those that found no place there."""
        ends = [len(self.gold)] * (len(self.keys) + 1)
        for at in range(len(self.keys) - 1, -1, -1):
            place = self.places[at]
            ends[at] = place[0] if place else ends[at + 1]
        cursor, left = 0, []
        for at, key in enumerate(self.keys):
            if (place := self.places[at]) is not None:
                cursor = place[1]
            elif key and len(key) < _LONG and not self.labels[at]:
                fits = len(key) >= _SHORT or self.lines[key] > 0
                if fits and self._give(at, cursor, ends[at]):
                    place = self.places[at]
                    assert place is not None
                    cursor = place[1]
                else:
                    left.append(at)
        return left

    def _give(self, at: int, start: int, end: int) -> bool:
        key = self.keys[at]
        found = self.gold.find(key, start, end) if end > start else -1
        while found >= 0:
            stop = found + len(key)
            if sum(self.given[found:stop]) < 0.5 * len(key):
                self.given[found:stop] = b"\1" * len(key)
                self.labels[at] = 1
                self.places[at] = (found, stop)
                return True
            found = self.gold.find(key, found + 1, end)
        return False

    def _mostly(self, block: str) -> bool:
        """Most of the block's runs of four words stand in the gold."""
        words = [word.replace("_", "") for word in _WORD.findall(block.lower())]
        runs = ["".join(words[at : at + 4]) for at in range(0, max(1, len(words) - 3), 2)]
        return sum(run in self.gold for run in runs) >= 0.6 * len(runs)
