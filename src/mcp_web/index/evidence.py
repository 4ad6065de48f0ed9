"""What the signals say about the passages of a page, for one question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a model's cosines mean: how near unrelated and related texts typically are to a question."""

    unrelated: float
    related: float

    def meaning(self, cosine: float) -> float:
        """0 for a passage like any other, 1 for one that typically answers."""
        return (cosine - self.unrelated) / max(0.02, self.related - self.unrelated)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known about a page's passages for one question."""

    words: Scores  # BM25
    coverage: Scores  # share of the question's words in the passage
    static: Scores | None = None  # late interaction, 0…1
    cosines: Scores | None = None  # of the model; nan where no vector is known
    calibration: Calibration | None = None
    cross_language: bool = False  # question and page are in different languages
    missing: tuple[str, ...] = ()  # names of the question that the page never mentions

    def has_vector(self, number: int) -> bool:
        return self.cosines is not None and not math.isnan(float(self.cosines[number]))
