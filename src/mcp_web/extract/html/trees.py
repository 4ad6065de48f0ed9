"""Decision trees, all of them evaluated at once for many blocks.

Each tree has up to eight leaves, a bit of a byte each. A split that a block fails clears the bits of the leaves on its
left, in any order; the lowest bit that remains is the leaf of the block (QuickScorer, Lucchese et al. 2015).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAVES = 8
STEP = 1 / 4096  # the unit of the values of leaves
_PIECE = 512  # blocks at once, which bounds the memory
_LOWEST_LEFT = np.array(
    [next((bit for bit in range(LEAVES) if not cleared >> bit & 1), 7) for cleared in range(256)], np.intp
)


class Trees:
    def __init__(self, model: dict[str, Any], names: tuple[str, ...]) -> None:
        """`model`: the content of `trees.json`. `names`: the features, in the order of the columns that are scored."""
        size = len(model["leaves"])
        columns = {name: at for at, name in enumerate(names)}
        splits: list[list[tuple[int, float, int]]] = [[] for _ in range(size)]
        for name, found in model["splits"].items():
            for threshold, tree, cleared in found:
                splits[tree].append((columns[name], threshold, cleared))
        padding = (0, np.inf, 0)  # a split that no block fails
        table = np.array([[*tree, *[padding] * (LEAVES - 1 - len(tree))] for tree in splits])
        # The first axis of all arrays is that of the splits: then each step works on the values of many blocks at once.
        self._columns = table[:, :, 0].T.astype(np.intp).ravel()
        self._thresholds = table[:, :, 1].T.astype(np.float32).reshape(-1, 1)
        self._cleared = table[:, :, 2].T.astype(np.uint8).reshape(-1, 1)
        leaves = np.array([[*values, *[0] * (LEAVES - len(values))] for values in model["leaves"]])
        self._leaves = (leaves * STEP).astype(np.float32).ravel()
        self._offsets = np.arange(size)[:, None] * LEAVES

    def logits(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logit of each row of features: the sum of the values of the leaves that it reaches, one in each tree."""
        pieces = [self._piece(features[start : start + _PIECE].T) for start in range(0, len(features), _PIECE)]
        return np.concatenate(pieces)

    def _piece(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        failed = features.take(self._columns, axis=0) > self._thresholds
        cleared = np.bitwise_or.reduce((failed * self._cleared).reshape(LEAVES - 1, len(self._offsets), -1))
        found: NDArray[np.float32] = self._leaves.take(_LOWEST_LEFT.take(cleared) + self._offsets).sum(axis=0)
        return found
