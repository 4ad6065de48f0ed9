"""The learned scorer: boosted trees over the figures of a block, in plain Python.

All trees are walked at once. Each tree has a lane of sixteen bits in one large integer, a bit per leaf. A split
that a block fails rules out the leaves on its left; the lowest bit left in a lane is the leaf the block falls
into (QuickScorer, Lucchese et al. 2015). What a figure rules out is looked up by bisection, so the cost of a
block is one AND per figure, and figures shared by a page or a box are combined once.

`model.json` is written by `python -m bench.extraction.train`; docs/concepts/extraction.md tells from what.
"""

from __future__ import annotations

import json
import math
import struct
from bisect import bisect_left
from functools import cache
from importlib.resources import files
from operator import getitem
from typing import Any

from mcp_web.extract.html.features import BLOCK_FIGURES, BOX_FIGURES, PAGE_FIGURES, PageFigures
from mcp_web.extract.html.vocabulary import AROUND_TAGS, NAME_WORDS, PHRASES

LEAVES = 16
FIGURES = (
    *(f"page.{name}" for name in PAGE_FIGURES),
    *(f"box.{name}" for name in BOX_FIGURES),
    *(f"block.{name}" for name in BLOCK_FIGURES),
)
MASKS = (
    ("above", NAME_WORDS),
    ("near", NAME_WORDS),
    ("inside", AROUND_TAGS),
    ("says", tuple(name for name, _ in PHRASES)),
)

Ladder = tuple[int, list[float], list[int]]  # place of the figure, thresholds, leaves left above each


class _Bits:
    """What each set bit of a mask rules out, combined once per mask."""

    def __init__(self, everything: int) -> None:
        self._everything = everything
        self.ruled: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def left(self, mask: int) -> int:
        known = self._known.get(mask)
        if known is None:
            known = self._everything
            for bit, left in self.ruled.items():
                if mask >> bit & 1:
                    known &= left
            if len(self._known) > 50_000:
                self._known.clear()
            self._known[mask] = known
        return known


class Scorer:
    """Gives each block of a page the chance that a reader would call it content."""

    def __init__(self, model: dict[str, Any]) -> None:
        self.version = str(model["version"])
        trees = len(model["leaves"])
        self._size = trees * LEAVES // 8
        self._format = f"<{trees}H"
        self._everything = (1 << trees * LEAVES) - 1
        self._ones = sum(1 << tree * LEAVES for tree in range(trees))
        self._tables = [{1 << at: value for at, value in enumerate(leaves)} for leaves in model["leaves"]]
        ladders = {name: self._ladder(steps) for name, steps in model["splits"].items()}
        self._page = self._ladders(ladders, "page", PAGE_FIGURES)
        self._box = self._ladders(ladders, "box", BOX_FIGURES)
        self._block = self._ladders(ladders, "block", BLOCK_FIGURES)
        self._bits = [self._bit_group(ladders, group, words) for group, words in MASKS]

    def _ladder(self, steps: list[tuple[float, int, int]]) -> tuple[list[float], list[int]]:
        thresholds: list[float] = []
        left = [self._everything]
        for threshold, tree, ruled in sorted(steps):
            cut = left[-1] & ~(ruled << tree * LEAVES)
            if thresholds and thresholds[-1] == threshold:
                left[-1] = cut
            else:
                thresholds.append(threshold)
                left.append(cut)
        return thresholds, left

    @staticmethod
    def _ladders(known: dict[str, tuple[list[float], list[int]]], group: str, names: tuple[str, ...]) -> list[Ladder]:
        return [(at, *known[f"{group}.{name}"]) for at, name in enumerate(names) if f"{group}.{name}" in known]

    def _bit_group(self, known: dict[str, tuple[list[float], list[int]]], group: str, words: tuple[str, ...]) -> _Bits:
        bits = _Bits(self._everything)
        for at, word in enumerate(words):
            if (ladder := known.get(f"{group}.{word}")) is not None:
                bits.ruled[at] = ladder[1][-1]
        return bits

    def score(self, figures: PageFigures) -> list[float]:
        """The chance of each block, in reading order."""
        page = _climb(self._page, figures.page, self._everything)
        above, near, inside, says = self._bits
        boxes: dict[int, int] = {}
        chances: list[float] = []
        for at, (block, row) in enumerate(zip(figures.read.blocks, figures.block_figures(), strict=True)):
            box = block.box
            left = boxes.get(id(box))
            if left is None:
                facts = figures.facts[box]
                left = _climb(self._box, figures.box_figures(box), page)
                left &= above.left(facts.above) & near.left(facts.near) & inside.left(facts.tags)
                boxes[id(box)] = left
            left = _climb(self._block, row, left & says.left(figures.phrases[at]))
            lowest = ((left ^ self._everything) + self._ones) & left
            leaves = struct.unpack(self._format, lowest.to_bytes(self._size, "little"))
            chances.append(1 / (1 + math.exp(-sum(map(getitem, self._tables, leaves)))))
        return chances


def _climb(ladders: list[Ladder], figures: list[float], left: int) -> int:
    for at, thresholds, masks in ladders:
        left &= masks[bisect_left(thresholds, figures[at])]
    return left


@cache
def load_scorer() -> Scorer:
    """The packaged model, read once a process."""
    source = files("mcp_web.extract.html").joinpath("model.json")
    return Scorer(json.loads(source.read_text("utf-8")))
