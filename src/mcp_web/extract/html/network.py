"""Small neural networks over all blocks of a page, several of them evaluated at once.

A network sees of each block its figures, its tags, the known words in the names around it and at the ends of its text.
Two layers then see, beside each block, the blocks before and after it and the means over the page, over the boxes
around it and over the boxes that look the same. `python -m bench.extraction.train` writes the weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_web.extract.html.blocks import HtmlBlock
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.inputs import FIGURES, Inputs
from mcp_web.extract.html.known_words import FIRST_WORDS, KnownWords

MOST_BLOCKS = 3_000  # scored blocks of a page, beyond which the trees decide alone; bounds time and memory
TAGS = tuple(FIGURES.index(name) for name in ("box.tag", "box.parent_tag", "block.tag-1", "block.tag+1"))
SCALED = tuple(at for at in range(len(FIGURES)) if at not in TAGS)
DECLARED = FIGURES.index("page.declared")
NAME_LEVELS = ((0, 1), (1, 3), (3, 7))  # the box of a block, the two around it, the four around those
BIT = np.float32(0.5)  # what a bit counts beside the figures, whose standard deviation is 1
_EPSILON, _NORM_EPSILON = np.float32(1e-6), np.float32(1e-5)  # against division by zero
# Shares are multiplied by ten before their logarithm is taken, so that it is not the share itself.
_SHARES = frozenset(
    (
        "share",
        "links",
        "prose",
        "prose_share",
        "longest_share",
        "core_share",
        "core_links",
        "group_links",
        "group_share",
        "digits",
        "upper",
        "text_place",
        "near_prose",
        "near_links",
        "head_links",
    )
)
RATIOS = np.array([10 if FIGURES[at].rpartition(".")[2] in _SHARES else 1 for at in SCALED], np.float32)

Floats = NDArray[np.float32]


class Networks:
    """The first axis of every weight is the network, and of every activation too."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._known = KnownWords(weights["names"].tolist(), weights["texts"].tolist())
        self._weights: dict[str, Floats] = {
            name: value.astype(np.float32) for name, value in weights.items() if value.dtype.kind == "f"
        }

    def joined(self, own: Floats, trees: Floats) -> Floats:
        """The logits of the networks and of the trees as one, with the shares that fit pages of other sites best."""
        by_networks, by_trees = self._weights["shares"]
        found: Floats = by_networks * own + by_trees * trees
        return found

    def logits(self, features: PageFeatures, inputs: Inputs) -> Floats:
        """For each scored block the mean of the networks."""
        weights = self._weights
        hidden = _rectified(_normalized(self._read(features, inputs), weights["norm"]))
        hidden = _rectified(hidden @ weights["hidden"] + weights["hidden_bias"])
        around = _Context(inputs)
        for layer in range(weights["layers"].shape[1]):
            means = around.means(hidden)
            if layer == 0:
                kind = _softmax(means[0][:, :1] @ weights["kind"] + weights["kind_bias"])
                hidden = hidden + kind @ weights["kind_back"] + weights["kind_back_bias"]
            near = _neighbours(hidden, 1 << layer)
            seen = np.concatenate([hidden, *means, *near], axis=2) @ weights["layers"][:, layer]
            hidden = hidden + _rectified(
                _normalized(seen + weights["layers_bias"][:, layer], weights["layers_norm"][:, layer])
            )
        found: Floats = (hidden @ weights["out"] + weights["out_bias"]).mean(axis=(0, 2))
        return found

    def _read(self, features: PageFeatures, inputs: Inputs) -> Floats:
        """The first layer: the sum of what each kind of input says."""
        weights = self._weights
        blocks = [features.read.blocks[at] for at in inputs.scored]
        figures = (scaled(inputs.figures) - weights["mean"]) / weights["spread"]
        found: Floats = np.clip(figures, -3, 3) @ weights["figures"] + (BIT * inputs.bits) @ weights["bits"]
        for at, column in enumerate(TAGS):
            found += weights["tags"][:, at, inputs.figures[:, column].astype(np.intp)]
        declared = int(inputs.figures[0, DECLARED]) + 1
        found += weights["declared"][:, declared : declared + 1]
        words = self._known.in_texts(blocks)
        ends = [_bag(weights["text_words"], part) for part in (words[:, :FIRST_WORDS], words[:, FIRST_WORDS:])]
        bags = [*self._names(blocks), *ends]
        found += np.concatenate(bags, axis=2) @ weights["words"] + weights["words_bias"]
        return found

    def _names(self, blocks: list[HtmlBlock]) -> list[Floats]:
        """The words in the names of the box of each block, of the boxes around it, and of those around these."""
        words, places = self._known.in_names(blocks)
        sums = self._weights["name_words"][:, words].sum(axis=2)
        counts = np.count_nonzero(words, axis=1)
        levels = [places[:, first:last] for first, last in NAME_LEVELS]
        return [_bag_of(sums[:, each].sum(axis=2), counts[each].sum(axis=1)) for each in levels]


class _Context:
    """Means of block vectors over the page, enclosing boxes, similar boxes and item, weighted by root of size."""

    def __init__(self, inputs: Inputs) -> None:
        self._weights = np.sqrt(inputs.sizes)[:, None]
        self._starts, self._ends = inputs.spans.reshape(-1, 2).T
        self._order = np.argsort(inputs.groups, kind="stable")
        numbers, self._firsts = np.unique(inputs.groups[self._order], return_index=True)
        self._group = np.searchsorted(numbers, inputs.groups)
        ahead = _prefix_sums(self._weights[None])[0]
        self._in_spans = ahead[self._ends] - ahead[self._starts] + _EPSILON
        self._in_groups = np.add.reduceat(self._weights[self._order], self._firsts) + _EPSILON

    def means(self, hidden: Floats) -> list[Floats]:
        """Over the page, the box around the block, the one three levels above, the boxes that look alike, the item."""
        weighted = hidden * self._weights
        ahead = _prefix_sums(weighted)
        page = np.broadcast_to(ahead[:, -1:] / (self._weights.sum() + _EPSILON), hidden.shape)
        spans = (ahead[:, self._ends] - ahead[:, self._starts]) / self._in_spans
        parent, above, item = spans.reshape(len(hidden), -1, 3, hidden.shape[2]).transpose(2, 0, 1, 3)
        groups = np.add.reduceat(weighted[:, self._order], self._firsts, axis=1) / self._in_groups
        return [page, parent, above, groups[:, self._group], item]


def scaled(figures: Floats) -> Floats:
    """The logarithms of figures, with their signs; the tags are left out."""
    chosen = figures[:, SCALED] * RATIOS
    found: Floats = np.copysign(np.log1p(np.abs(chosen)), chosen)
    return found


def _prefix_sums(values: Floats) -> Floats:
    """The sums of all rows before each row, and of all rows."""
    found = np.zeros((values.shape[0], values.shape[1] + 1, values.shape[2]), np.float32)
    np.cumsum(values, axis=1, out=found[:, 1:])
    return found


def _bag(table: Floats, words: NDArray[np.int64]) -> Floats:
    """The sum of the vectors of known words, by the root of their number."""
    return _bag_of(table[:, words].sum(axis=2), np.count_nonzero(words, axis=1))


def _bag_of(sums: Floats, counts: NDArray[np.intp]) -> Floats:
    roots: Floats = np.sqrt(counts + 1).astype(np.float32)
    return sums / roots[:, None]


def _normalized(values: Floats, scale: Floats) -> Floats:
    """Layer normalization over the last axis; `scale` holds a factor and a bias for each column."""
    values = values - values.mean(axis=-1, keepdims=True)
    spread: Floats = np.sqrt(np.square(values).mean(axis=-1, keepdims=True) + _NORM_EPSILON)
    return values * (scale[:, :1] / spread) + scale[:, 1:]


def _rectified(values: Floats) -> Floats:
    return np.maximum(values, 0)


def _softmax(values: Floats) -> Floats:
    found: Floats = np.exp(values - values.max(axis=-1, keepdims=True))
    total: Floats = found.sum(axis=-1, keepdims=True)
    return found / total


def _neighbours(hidden: Floats, distance: int) -> list[Floats]:
    """The rows `distance` places before and after each row, and twice as far; zeros beyond the page."""
    far, size = 2 * distance, hidden.shape[1]
    padded = np.zeros((len(hidden), size + 2 * far, hidden.shape[2]), np.float32)
    padded[:, far : far + size] = hidden
    return [padded[:, far - by : far - by + size] for by in (distance, -distance, far, -far)]
