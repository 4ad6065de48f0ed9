"""The scorer: the chance of each block that a reader would call it content, by trees and by networks.

`python -m bench.extraction.train` writes `trees.json` and `networks.npz`; docs/concepts/extraction.md names the data.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.inputs import BITS, FIGURES, Inputs, read_inputs
from mcp_web.extract.html.network import MOST_BLOCKS, Networks
from mcp_web.extract.html.trees import Trees

FEATURES = (*FIGURES, *BITS)
# The models are too sure of pages of unseen sites, except of articles and products, whose text is one part of the page.
# Each fold chose 0.7 or 0.8 by the F1 of the other folds.
_UNSURE = 0.8


class Scorer:
    """Computes for each block of a page the chance that a reader would call it content."""

    def __init__(self, trees: Trees, networks: Networks) -> None:
        self._trees = trees
        self._networks = networks

    def score(self, features: PageFeatures) -> list[float]:
        """The chance of each block, in reading order."""
        inputs = read_inputs(features)
        logits = self._trees.logits(np.concatenate([inputs.figures, inputs.bits], axis=1))
        if len(inputs.scored) <= MOST_BLOCKS:
            logits = self._networks.joined(self._networks.logits(features, inputs), logits)
        return chances_of(features, inputs, logits)


def chances_of(features: PageFeatures, inputs: Inputs, logits: NDArray[np.floating[Any]]) -> list[float]:
    """The chances of all blocks of a page, from the logits of the scored ones; the others get the mean of those that
    represent them."""
    if features.declared not in ("article", "product"):
        logits = _UNSURE * logits
    scored = (1 / (1 + np.exp(-logits.astype(np.float64)))).tolist()
    chances = [0.0] * (len(inputs.scored) + len(inputs.represented))
    for at, chance in zip(inputs.scored, scored, strict=True):
        chances[at] = chance
    for at, others in inputs.represented.items():
        chances[at] = sum([chances[other] for other in others]) / len(others)
    return chances


@cache
def load_scorer() -> Scorer:
    """The scorer with the packaged models, loaded once per process.

    OpenBLAS takes its work buffer at the first product of matrices, and ends the process if there is no memory for it:
    it takes it here, before there is a page.
    """
    np.ones((512, 512), np.float32) @ np.ones((512, 512), np.float32)
    folder = files("mcp_web.extract.html")
    trees = Trees(json.loads(folder.joinpath("trees.json").read_text("utf-8")), FEATURES)
    with folder.joinpath("networks.npz").open("rb") as file, np.load(file) as weights:
        return Scorer(trees, Networks(dict(weights)))
