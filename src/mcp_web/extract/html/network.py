"""Small neural networks over all blocks of a page, several of them evaluated at once.

A network sees of each block its figures, its tags, the known words in the names around it and at the ends of its text.
Two layers then see, beside each block, the blocks before and after it and the means over the page, over the boxes
around it and over the boxes that look the same. `python -m bench.extraction.train` writes the weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_web.extract.html.blocks import HtmlBlock
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.inputs import FIGURES, Floats, Inputs
from mcp_web.extract.html.known_words import FIRST_WORDS, LAST_WORDS, KnownWords

MOST_BLOCKS = 3_000  # scored blocks of a page, beyond which the trees decide alone; bounds time and memory
TAGS = tuple(FIGURES.index(name) for name in ("box.tag", "box.parent_tag", "block.tag-1", "block.tag+1"))
SCALED = tuple(at for at in range(len(FIGURES)) if at not in TAGS)
DECLARED = FIGURES.index("page.declared")
NAME_LEVELS = ((0, 1), (1, 3), (3, 7))  # the box of a block, the two around it, the four around those
_BAG_SIZES = (*(last - first for first, last in NAME_LEVELS), FIRST_WORDS, LAST_WORDS)
# One row per bag, with ones where the names and words are that it holds.
_BAGS = np.repeat(np.eye(len(_BAG_SIZES), dtype=np.float32), _BAG_SIZES, axis=1)
BIT = np.float32(0.5)  # what a bit counts beside the figures, whose standard deviation is 1
_EPSILON, _NORM_EPSILON = np.float32(1e-6), np.float32(1e-5)  # against division by zero
# Shares are multiplied by ten before their logarithm is taken, so that it is not the share itself.
_SHARES = frozenset(re.findall(r"\S+", """
    share links prose prose_share longest_share core_share core_links group_links group_share digits upper text_place
    near_prose near_links head_links
"""))  # fmt: skip
RATIOS = np.array([10 if FIGURES[at].rpartition(".")[2] in _SHARES else 1 for at in SCALED], np.float32)


class Networks:
    """Evaluates several neural networks together: the first axis of all weights and activations is the network."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._known = KnownWords(weights["names"].tolist(), weights["texts"].tolist())
        self._weights: dict[str, Floats] = {
            name: value.astype(np.float32) for name, value in weights.items() if value.dtype.kind == "f"
        }
        self._name_words, self._text_words = (_table(self._weights[name]) for name in ("name_words", "text_words"))
        self._figures = np.concatenate([self._weights["figures"], BIT * self._weights["bits"]], axis=1)

    def joined(self, own: Floats, trees: Floats) -> Floats:
        """The weighted sum of the logits of the networks (`own`) and of the trees; its weights were fitted on pages
        that neither was trained on."""
        by_networks, by_trees = self._weights["shares"]
        found: Floats = by_networks * own + by_trees * trees
        return found

    def logits(self, features: PageFeatures, inputs: Inputs) -> Floats:
        """The logit of each scored block: the mean of the logits of all networks."""
        weights = self._weights
        hidden = _rectified(_normalized(self._read(features, inputs), weights["norm"]))
        hidden = _rectified(hidden @ weights["hidden"] + weights["hidden_bias"])
        around = _Context(inputs)
        for layer in range(weights["layers"].shape[1]):
            page, means = around.means(hidden)
            if layer == 0:
                kind = _softmax(page @ weights["kind"] + weights["kind_bias"])
                hidden = hidden + (kind @ weights["kind_back"] + weights["kind_back_bias"])
            seen = _seen(hidden, page, means, 1 << layer) @ weights["layers"][:, layer]
            seen += weights["layers_bias"][:, layer]
            hidden = hidden + _rectified(_normalized(seen, weights["layers_norm"][:, layer]))
        found: Floats = (hidden @ weights["out"] + weights["out_bias"]).mean(axis=(0, 2))
        return found

    def _read(self, features: PageFeatures, inputs: Inputs) -> Floats:
        """The input of the first normalisation, by network, block and unit: the sum over the kinds of input."""
        weights = self._weights
        figures = np.clip((scaled(inputs.figures) - weights["mean"]) / weights["spread"], -3, 3)
        found: Floats = np.concatenate([figures, inputs.bits], axis=1) @ self._figures
        tags = inputs.figures.take(TAGS, axis=1).astype(np.intp)
        for at in range(len(TAGS)):
            found += weights["tags"][:, at].take(tags[:, at], axis=1)
        declared = int(inputs.figures[0, DECLARED]) + 1
        found += weights["declared"][:, declared : declared + 1] + weights["words_bias"]
        found += self._words([features.read.blocks[at] for at in inputs.scored]) @ weights["words"]
        return found

    def _words(self, blocks: list[HtmlBlock]) -> Floats:
        """The known words of each block as five vectors ("bags") side by side: for the names of its box, of the two and
        of the four boxes around it, and for the beginning and the end of its text.

        A bag is the sum of the vectors of its words, divided by the root of their number plus one.
        """
        words, places = self._known.in_names(blocks)
        names = self._name_words.take(words.T, axis=0).sum(axis=0)
        texts = self._text_words.take(self._known.in_texts(blocks).T, axis=0)
        vectors = np.concatenate([names.take(places.T, axis=0), texts])
        sums = (_BAGS @ vectors.reshape(len(vectors), -1)).reshape(len(_BAGS), len(blocks), -1)
        bags = sums[..., :-1] / np.sqrt(sums[..., -1:] + np.float32(1))
        networks = len(self._weights["words"])
        by_network: Floats = bags.reshape(*bags.shape[:2], networks, -1).transpose(2, 1, 0, 3)
        return by_network.reshape(networks, len(blocks), -1)


class _Context:
    """Computes means of block vectors: over the page, the elements around a block, similar elements, and the item
    (card, row) that it is in. A block counts by the square root of its size in words."""

    def __init__(self, inputs: Inputs) -> None:
        self._weights = np.sqrt(inputs.sizes)[:, None]
        self._starts, self._ends = inputs.spans.transpose(2, 1, 0)
        self._order = np.argsort(inputs.groups, kind="stable")
        numbers, self._firsts = np.unique(inputs.groups[self._order], return_index=True)
        self._group = np.searchsorted(numbers, inputs.groups)
        ahead = _prefix_sums(self._weights[None])[0]
        self._in_spans = ahead[self._ends] - ahead[self._starts] + _EPSILON
        self._in_groups = np.add.reduceat(self._weights[self._order], self._firsts) + _EPSILON

    def means(self, hidden: Floats) -> tuple[Floats, list[Floats]]:
        """The mean of the vectors over the page; and four for each block: over the box around it, the box three levels
        above, the boxes that look like its own, and its item."""
        weighted = hidden * self._weights
        ahead = _prefix_sums(weighted)
        page = ahead[:, -1:] / (self._weights.sum() + _EPSILON)
        spans = ahead.take(self._ends, axis=1) - ahead.take(self._starts, axis=1)
        spans /= self._in_spans
        groups = np.add.reduceat(weighted.take(self._order, axis=1), self._firsts, axis=1) / self._in_groups
        return page, [spans[:, 0], spans[:, 1], groups.take(self._group, axis=1), spans[:, 2]]


def scaled(figures: Floats) -> Floats:
    """The figures without the numbers of tags, shares multiplied by ten, each as the logarithm of one plus its absolute
    value, with its sign."""
    chosen = figures[:, SCALED] * RATIOS
    found: Floats = np.copysign(np.log1p(np.abs(chosen)), chosen)
    return found


def _prefix_sums(values: Floats) -> Floats:
    """For each network the sums of all rows before each row, and at the end the sum of all rows."""
    found = np.zeros((values.shape[0], values.shape[1] + 1, values.shape[2]), np.float32)
    np.cumsum(values, axis=1, out=found[:, 1:])
    return found


def _table(words: Floats) -> Floats:
    """One row per word number: the word's vectors for all networks side by side, then 1; row 0 (unknown) is zero."""
    table = np.concatenate([*words, np.ones((words.shape[1], 1), np.float32)], axis=1)
    table[0] = 0
    return table


def _normalized(values: Floats, scale: Floats) -> Floats:
    """Layer normalization over the last axis; `scale` holds a factor and a bias for each column."""
    # A product with a constant vector takes a fifth of the time of `mean`.
    share = np.full((values.shape[-1], 1), 1 / values.shape[-1], np.float32)
    values = values - values @ share
    spread: Floats = np.sqrt(np.square(values) @ share + _NORM_EPSILON)
    values /= spread
    values *= scale[:, :1]
    values += scale[:, 1:]
    return values


def _rectified(values: Floats) -> Floats:
    return np.maximum(values, 0)


def _softmax(values: Floats) -> Floats:
    found: Floats = np.exp(values - values.max(axis=-1, keepdims=True))
    total: Floats = found.sum(axis=-1, keepdims=True)
    return found / total


def _seen(hidden: Floats, page: Floats, means: list[Floats], distance: int) -> Floats:
    """What a layer sees of each block, side by side: its vector, the page's mean, the other means, and the vectors of
    the blocks `distance` and twice `distance` before and after it (zeros where there is none)."""
    networks, size, width = hidden.shape
    found = np.zeros((networks, size, 6 + len(means), width), np.float32)
    for at, part in enumerate((hidden, page, *means)):
        found[:, :, at] = part
    for at, by in enumerate((distance, 2 * distance)):
        found[:, by:, 2 * at - 4] = hidden[:, :-by]
        found[:, :-by, 2 * at - 3] = hidden[:, by:]
    return found.reshape(networks, size, -1)
