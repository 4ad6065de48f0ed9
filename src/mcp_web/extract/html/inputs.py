"""The features of a page's blocks as arrays, which the trees and the networks read.

Of many similar lines only some are scored and represent the others, so that a long list costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mcp_web.extract.html.blocks import Blocks, Box, HtmlBlock
from mcp_web.extract.html.features import (
    BLOCK_FEATURES,
    BOX_FEATURES,
    LEVEL_FEATURES,
    LEVELS,
    PAGE_FEATURES,
    PageFeatures,
    around_box,
    is_item,
)
from mcp_web.extract.html.vocabulary import AROUND_TAGS, NAME_WORDS

FIGURES = (
    *(f"page.{name}" for name in PAGE_FEATURES),
    *(f"box.{name}" for name in BOX_FEATURES),
    *(f"level{level}.{name}" for level in LEVELS for name in LEVEL_FEATURES),
    *(f"block.{name}" for name in BLOCK_FEATURES),
)
BITS = (*(f"above.{word}" for word in NAME_WORDS), *(f"inside.{tag}" for tag in AROUND_TAGS))
_LINE = 160  # characters
_SAMPLE = 3  # blocks that are scored of many similar lines
_ITEM_LEVELS = 6  # levels above a block in which its item is looked for
_BYTES = (len(BITS) + 7) // 8

Kind = TypeVar("Kind", np.float32, np.int64)
Floats = NDArray[np.float32]
Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the scoring models read of a page: arrays with one row for each block that is scored."""

    scored: list[int]  # their indexes on the page
    represented: dict[int, list[int]]  # the other blocks, each with the scored ones that represent it
    figures: Floats  # FIGURES
    bits: NDArray[np.uint8]  # BITS
    sizes: Floats  # words, with those of the blocks it represents
    spans: Indexes  # [box around it, box three levels above, item]: its first block, and the first after it
    groups: Indexes  # equal for boxes that look alike


def read_inputs(features: PageFeatures, every: bool = False) -> Inputs:
    """What the scoring models read of a page. Of many similar lines only some are scored, unless `every` is set."""
    blocks = features.read.blocks
    represented = {} if every else _represented(blocks)
    scored = [at for at in range(len(blocks)) if at not in represented]
    figures, bits = _figures(features, represented)
    groups: dict[int, int] = {}
    return Inputs(
        scored, represented, figures, bits, _sizes(blocks, scored, represented), _spans(features.read, scored),
        np.array([groups.setdefault(id(blocks[at].box.group), len(groups)) for at in scored]),
    )  # fmt: skip


def _represented(blocks: list[HtmlBlock]) -> dict[int, list[int]]:
    """The indexes of the blocks that are not scored, each with those of the three similar lines that represent it."""
    found: dict[int, list[int]] = {}
    if len(blocks) <= 2 * _SAMPLE:
        return found
    alike: dict[tuple[int, ...], list[int]] = {}
    for at, block in enumerate(blocks):
        box = block.box
        if box.group[0] > 2 * _SAMPLE and len(block.text) < _LINE:
            alike.setdefault((id(box.group), box.inside >= 0, block.links > 0), []).append(at)
    for members in alike.values():
        if len(members) > 2 * _SAMPLE:
            step = len(members) / _SAMPLE
            chosen = [members[int(number * step)] for number in range(_SAMPLE)]
            found |= dict.fromkeys(set(members).difference(chosen), chosen)
    return found


def _figures(features: PageFeatures, left_out: Mapping[int, object]) -> tuple[Floats, NDArray[np.uint8]]:
    """Two arrays with a row for each block that is not left out: its features (FIGURES), and bits (BITS) for the words
    in the names of the elements around it and for their tags."""
    blocks = features.read.blocks
    numbers: dict[tuple[object, ...], int] = {}
    shared: list[list[float]] = []
    rows, own, masks, places = [], [], bytearray(), []
    for at, row in features.block_features(left_out):
        box = blocks[at].box
        # All features of a box but its own size are the same for these.
        alike = (box.parent or box, id(box.group), box.lift, box.inside, box.story, box.article)
        place = numbers.setdefault(alike, len(numbers))
        if place == len(shared):
            shared.append(_box_row(features, box))
            masks += (box.above | box.tags << len(NAME_WORDS)).to_bytes(_BYTES, "little")
        rows.append(row)
        own.append(features.level_features(box))
        places.append(place)
    boxes = as_array(shared, np.float32)[places]
    size = len(BOX_FEATURES)
    page = np.broadcast_to(np.array(features.page, np.float32), (len(rows), len(features.page)))
    figures = np.concatenate(
        [page, boxes[:, :size], as_array(own, np.float32), boxes[:, size:], as_array(rows, np.float32)], axis=1
    )
    packed = np.frombuffer(masks, np.uint8).reshape(-1, _BYTES)
    return figures, np.unpackbits(packed, axis=1, count=len(BITS), bitorder="little")[places]


def _box_row(features: PageFeatures, box: Box) -> list[float]:
    """The features of a box, and the size, links and prose of the boxes one and three levels above it, not its own."""
    row = features.box_features(box)
    around, level = box, 0
    for wanted in LEVELS[1:]:
        while level < wanted and around.parent is not None:
            around = around.parent
            level += 1
        row += features.level_features(around)
    return row


def _sizes(blocks: list[HtmlBlock], scored: list[int], represented: dict[int, list[int]]) -> Floats:
    sizes = [float(block.text.count(" ") + 1) for block in blocks]
    for at, others in represented.items():
        for other in others:
            sizes[other] += sizes[at] / len(others)
    return np.array([sizes[at] for at in scored], np.float32)


def _spans(read: Blocks, scored: list[int]) -> Indexes:
    """For each scored block three spans of scored blocks, [first, after the last]: those in the parent of its box, in
    the box three levels above, and in its item (else in its box)."""
    known: dict[Box, tuple[tuple[int, ...], tuple[int, ...] | None]] = {}
    rows = []
    for at in scored:
        box = read.blocks[at].box
        parent = box.parent or box
        around = known.get(parent)
        if around is None:
            around = known[parent] = _around(parent)
        item = around[1]
        rows.append((*around[0], *(_span(box) if item is None or is_item(box) else item)))
    return np.searchsorted(np.array(scored), as_array(rows, np.int64)).reshape(-1, 3, 2)


def _around(parent: Box) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """The spans of a box and of the one two levels above it, four numbers, and the span of the innermost item among it
    and its ancestors, else None. A span is the indexes of the first block and of the one after the last."""
    boxes = list(islice(around_box(parent), _ITEM_LEVELS))
    item = next((_span(box) for box in boxes if is_item(box)), None)
    return (*_span(parent), *_span(boxes[min(2, len(boxes) - 1)])), item


def _span(box: Box) -> tuple[int, int]:
    return box.first, box.first + box.count


def as_array(rows: Sequence[Sequence[float]], kind: type[Kind]) -> NDArray[Kind]:
    """The rows as an array; three times as fast as `np.array`."""
    return np.fromiter(chain.from_iterable(rows), kind, len(rows) * len(rows[0])).reshape(len(rows), -1)
