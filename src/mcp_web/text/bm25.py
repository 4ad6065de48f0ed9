"""The parts of BM25 that every index needs: the rarity of a term, and the weight of its frequency by text length."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Bm25:
    """The two constants of BM25: `k1` is where term frequency saturates, `b` how much the length of a text counts."""

    k1: float
    b: float

    def rarity(self, frequency: int, size: int) -> float:
        """The most that a term can add to a score if `frequency` of `size` texts contain it.

        This is its inverse document frequency, times a constant.
        """
        rare = (size - min(frequency, size) + 0.5) / (frequency + 0.5)
        return log(1 + rare) * (self.k1 + 1)

    def norms(self, lengths: NDArray[np.floating], average: float) -> NDArray[np.floating]:
        """The length normalisation of each text, which is added to a term's frequency in the denominator of BM25.

        `lengths` and their `average` are in words.
        """
        norms: NDArray[np.floating] = self.k1 * (1 - self.b + self.b * lengths / max(average, 1.0))
        return norms


# Passages are cut to one size, so length hardly counts, and term frequency saturates early.
PASSAGES = Bm25(k1=1.2, b=0.5)
# Best on Cranfield, SciFact and CISI together among the usual pairs (bench/archive/quality.py).
DOCUMENTS = Bm25(k1=1.5, b=0.75)
