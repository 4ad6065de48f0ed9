"""How many passages are worth their tokens: passages are shown until one is too unlikely to contain the answer.

That chance is the probability that the page answers at all (its score) times the probability that this passage is the
first to contain the answer, which falls with its distance from the best passage. The constants are printed by `python
-m bench.reading.fit`: fitted on all development sets, each tested with the constants fitted on the others. The price is
chosen so that no set of questions about long pages costs more than half the tokens of eight passages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may be shown, with the values that decide whether it is."""

    behind: float  # standard deviations between its fused score and that of the best passage
    score: float  # how likely it answers, 0…1
    tokens: int


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability that a passage is the first to contain the answer, on a page that answers: a logistic function,
    by its coefficients."""

    start: float
    first: float  # added for the best passage
    behind: float
    fall: float  # for each unit of log-odds by which its score is below the best

    def of(self, best: Candidate, one: Candidate) -> float:
        """The probability that the passage `one` of a page that answers is the first to contain the answer; `best` is
        the page's best passage."""
        fall = log_odds(best.score) - log_odds(one.score)
        odds = self.start + self.behind * min(one.behind, FARTHEST) + self.fall * fall
        return 1 / (1 + math.exp(-(odds + self.first if one is best else odds)))


FARTHEST = 6.0  # standard deviations; a larger distance makes no difference
CHANCE = Chance(start=-0.53, first=2.67, behind=-1.13, fall=-0.57)
PRICE = 0.0088  # the least chance that is worth a hundred tokens


def enough(candidates: Sequence[Candidate], page: float, chance: Chance = CHANCE, price: float = PRICE) -> int:
    """How many of the passages, best first, are worth showing: those before the first whose probability of the answer
    is too low for its tokens. `page`: the probability that the page answers. `price`: the least probability for 100
    tokens."""
    shown = 0
    for one in candidates:
        if not is_worth(page * chance.of(candidates[0], one), one.tokens, price):
            break
        shown += 1
    return shown


def is_worth(chance: float, tokens: int, price: float = PRICE) -> bool:
    """Whether a probability of the answer justifies showing `tokens` tokens; `price` is the least one for 100
    tokens."""
    return chance >= price * tokens / 100


def log_odds(score: float) -> float:
    """The log-odds of a score (a probability), which is first limited to 0.0001…0.9999."""
    bounded = min(max(score, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
