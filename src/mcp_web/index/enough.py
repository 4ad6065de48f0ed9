"""How many passages are worth their tokens: each until its chance to hold the answer is too small for what it costs.

The chance is that of the page to answer at all, which is its score, times that of the passage to be the first that
holds the answer, which falls with its distance from the best one. The constants are printed by `python -m
bench.reading.fit`, fitted over all development sets, each judged by the others; the price is the one at which no set
of questions to long pages costs more than half of what eight passages do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that could be shown."""

    behind: float  # standard deviations between its fused score and that of the best passage
    score: float  # how likely it answers, 0…1
    tokens: int


@dataclass(frozen=True, slots=True)
class Chance:
    """Log-odds that a passage is the first to hold the answer, on a page that answers."""

    start: float
    first: float  # added for the best passage
    behind: float
    fall: float  # for each unit of log-odds between the best score and its own

    def of(self, best: Candidate, one: Candidate) -> float:
        fall = log_odds(best.score) - log_odds(one.score)
        odds = self.start + self.behind * min(one.behind, FARTHEST) + self.fall * fall
        return 1 / (1 + math.exp(-(odds + self.first if one is best else odds)))


FARTHEST = 6.0  # standard deviations: beyond, it makes no difference
CHANCE = Chance(start=-0.71, first=2.73, behind=-0.74, fall=-0.77)
PRICE = 0.0113  # the chance that a hundred tokens must bring


def enough(candidates: Sequence[Candidate], page: float, chance: Chance = CHANCE, price: float = PRICE) -> int:
    """How many of the passages, best first, are worth showing, on a page that answers with this chance."""
    shown = 0
    for one in candidates:
        if not is_worth(page * chance.of(candidates[0], one), one.tokens, price):
            break
        shown += 1
    return shown


def is_worth(chance: float, tokens: int, price: float = PRICE) -> bool:
    """Whether a chance to read the answer is worth so many tokens."""
    return chance >= price * tokens / 100


def log_odds(score: float) -> float:
    """Of a score, as far as four digits tell."""
    bounded = min(max(score, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
