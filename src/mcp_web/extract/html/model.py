"""The scorer: decision trees over the features of a block, evaluated in plain Python.

All trees are evaluated at once (QuickScorer, Lucchese et al. 2015). Each tree has eight bits of one large integer, a
bit per leaf. A split that a block fails clears the bits of the leaves on its left; the lowest bit that remains is the
leaf of the block. The bits that a feature clears are found by bisection, so that a block costs one AND per feature, and
those of features of the page or of a box are combined once. The values of the leaves are added by their binary digits:
for each digit, the number of leaves that have it.

`model.json` is written by `python -m bench.extraction.train`; docs/concepts/extraction.md names the data.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache, reduce
from importlib.resources import files
from math import exp
from operator import and_, getitem, mul
from typing import Any

from mcp_web.extract.html.blocks import Box
from mcp_web.extract.html.features import (
    BLOCK_FEATURES,
    BOX_FEATURES,
    LEVEL_FEATURES,
    LEVELS,
    PAGE_FEATURES,
    PageFeatures,
)
from mcp_web.extract.html.vocabulary import AROUND_TAGS, NAME_WORDS

LEAVES = 8
STEP = 1 / 4096  # the unit of the values of leaves
_LINE = 160  # characters
_SAMPLE = 3  # blocks that are scored of many similar lines
FEATURES = (
    *(f"page.{name}" for name in PAGE_FEATURES),
    *(f"box.{name}" for name in BOX_FEATURES),
    *(f"level{level}.{name}" for level in LEVELS for name in LEVEL_FEATURES),
    *(f"block.{name}" for name in BLOCK_FEATURES),
)
MASKS = (("above", NAME_WORDS), ("inside", AROUND_TAGS))

Steps = tuple[list[list[float]], list[list[int]]]  # for each feature: thresholds, and the leaves that remain above each


class _Bits:
    """The leaves that remain for a mask of name or tag bits, computed once per mask."""

    def __init__(self, everything: int) -> None:
        self._everything = everything
        self.ruled: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def left(self, mask: int) -> int:
        known = self._known.get(mask)
        if known is None:
            known, rest = self._everything, mask
            while rest:
                bit = rest & -rest
                known &= self.ruled.get(bit, known)
                rest ^= bit
            if len(self._known) > 50_000:
                self._known.clear()
            self._known[mask] = known
        return known


class Scorer:
    """Computes for each block of a page the chance that a reader would call it content."""

    def __init__(self, model: dict[str, Any]) -> None:
        self.version = str(model["version"])
        size = len(model["leaves"])
        self._everything = (1 << size * LEAVES) - 1
        self._ones = sum(1 << tree * LEAVES for tree in range(size))
        self._least, self._digits = _digits(model["leaves"])
        steps = {name: self._step_masks(steps) for name, steps in model["splits"].items()}
        self._page = self._steps_of(steps, "page", PAGE_FEATURES)
        own, *around = (self._steps_of(steps, f"level{level}", LEVEL_FEATURES) for level in LEVELS)
        self._box = _joined(self._steps_of(steps, "box", BOX_FEATURES), *around)
        self._block = _joined(self._steps_of(steps, "block", BLOCK_FEATURES), own)
        self._above, self._inside = (self._bit_group(steps, group, words) for group, words in MASKS)

    def _step_masks(self, steps: list[tuple[float, int, int]]) -> tuple[list[float], list[int]]:
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

    def _steps_of(self, known: dict[str, tuple[list[float], list[int]]], group: str, names: tuple[str, ...]) -> Steps:
        """The steps of a group of features; a feature that the model does not use clears no leaf."""
        found = [known.get(f"{group}.{name}", ([], [self._everything])) for name in names]
        return [thresholds for thresholds, _ in found], [masks for _, masks in found]

    def _bit_group(self, known: dict[str, tuple[list[float], list[int]]], group: str, words: tuple[str, ...]) -> _Bits:
        bits = _Bits(self._everything)
        for at, word in enumerate(words):
            if (known_steps := known.get(f"{group}.{word}")) is not None:
                bits.ruled[1 << at] = known_steps[1][-1]
        return bits

    def score(self, features: PageFeatures, every: bool = False) -> list[float]:
        """The chance of each block, in reading order.

        Of many similar lines only some are scored, unless `every` is set.
        """
        blocks = features.read.blocks
        stands_for = {} if every else _represented(features)
        boxes = _Boxes(self, features)
        everything, ones, least, (having, worth) = self._everything, self._ones, self._least, self._digits
        level_features, left_of = features.level_features, boxes.left
        thresholds, masks = self._block
        chances = [0.0] * len(blocks)
        for at, row in features.block_features(stands_for):
            box = blocks[at].box
            row += level_features(box)
            left = reduce(and_, map(getitem, masks, map(bisect_left, thresholds, row)), left_of(box))
            lowest = ((left ^ everything) + ones) & left
            value = sum(map(mul, map(int.bit_count, map(lowest.__and__, having)), worth), least)
            chances[at] = 1 / (1 + exp(-value))
        for at, others in stands_for.items():
            chances[at] = sum([chances[other] for other in others]) / len(others)
        return chances


def _digits(trees: list[list[int]]) -> tuple[float, tuple[list[int], list[float]]]:
    """The sum of the lowest leaf of each tree, and the binary digits of the rest.

    For each digit, the leaves that have it, and its value.
    """
    above = [[value - min(leaves) for value in leaves] for leaves in trees]
    having = [0] * max(max(leaves) for leaves in above).bit_length()
    for tree, leaves in enumerate(above):
        for leaf, value in enumerate(leaves):
            for digit in range(len(having)):
                having[digit] |= (value >> digit & 1) << (tree * LEAVES + leaf)
    least = sum(min(leaves) for leaves in trees) * STEP
    return least, (having, [STEP * 2**digit for digit in range(len(having))])


def _represented(features: PageFeatures) -> dict[int, list[int]]:
    """The blocks that are not scored, each with the blocks that represent it: short lines in similar boxes."""
    found: dict[int, list[int]] = {}
    if len(features.read.blocks) <= 2 * _SAMPLE:
        return found
    alike: dict[tuple[int, ...], list[int]] = {}
    for at, block in enumerate(features.read.blocks):
        box = block.box
        if box.group[0] > 2 * _SAMPLE and len(block.text) < _LINE:
            key = (id(box.group), box.inside >= 0, block.links > 0)
            members = alike.get(key)
            if members is None:
                alike[key] = [at]
            else:
                members.append(at)
    for members in alike.values():
        if len(members) > 2 * _SAMPLE:
            step = len(members) / _SAMPLE
            chosen = [members[int(number * step)] for number in range(_SAMPLE)]
            found |= dict.fromkeys(set(members).difference(chosen), chosen)
    return found


class _Boxes:
    """The leaves that remain for the features of the page and of its boxes, each computed once."""

    def __init__(self, scorer: Scorer, features: PageFeatures) -> None:
        self._scorer = scorer
        self._features = features
        self._page = _look_up(scorer._page, features.page, scorer._everything)
        self._known: dict[tuple[object, ...], int] = {}

    def left(self, box: Box) -> int:
        """The leaves that remain for all features of a box but its own size; the same for similar boxes."""
        parent = box.parent or box
        alike = (parent, id(box.group), box.lift, box.inside, box.story, box.article)
        known = self._known.get(alike)
        if known is None:
            scorer = self._scorer
            row = self._features.box_features(box)
            at, level = parent, 1
            for wanted in LEVELS[1:]:
                while level < wanted and at.parent is not None:
                    at = at.parent
                    level += 1
                row += self._features.level_features(at)
            known = self._page & scorer._above.left(box.above) & scorer._inside.left(box.tags)
            known = self._known[alike] = _look_up(scorer._box, row, known)
        return known


def _joined(*groups: Steps) -> Steps:
    """The steps of several groups as one, for one look-up."""
    return [each for steps, _ in groups for each in steps], [each for _, masks in groups for each in masks]


def _look_up(steps: Steps, features: list[float], left: int) -> int:
    """The leaves that remain for these features. A chain of C functions: this is the inner loop of the engine."""
    thresholds, masks = steps
    return reduce(and_, map(getitem, masks, map(bisect_left, thresholds, features)), left)


@cache
def load_scorer() -> Scorer:
    """The packaged model, loaded once per process."""
    source = files("mcp_web.extract.html").joinpath("model.json")
    return Scorer(json.loads(source.read_text("utf-8")))
