"""Ahead, equal or behind: paired bootstrap intervals over the questions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

ROUNDS = 2000
SEED = 20
# By how much the ends of intervals differ between two runs on a quiet machine: those of 95 % of the times and sizes of
# memory by less than a half (of one half of them by less than a sixth), those of tokens by less than a twentieth.
NOISE, TOKENS_NOISE = 0.5, 0.05
Verdict = Literal["ahead", "equal", "behind"]
Statistic = Callable[[Sequence[float], Sequence[float]], float]


@dataclass(frozen=True, slots=True)
class Interval:
    value: float
    low: float
    high: float

    def divided(self, by: float) -> Interval:
        return Interval(self.value / by, self.low / by, self.high / by)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Theirs to ours: 2.0 means that the peer needs twice as much."""
    return sum(theirs) / max(sum(ours), 1e-9)


def typical_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The geometric mean of theirs to ours over the pairs: one slow moment of the machine moves it little."""
    logs = [log(max(other, 1e-4) / max(mine, 1e-4)) for mine, other in zip(ours, theirs, strict=True)]
    return exp(sum(logs) / max(len(logs), 1))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Ours less theirs, as a mean."""
    return (sum(ours) - sum(theirs)) / max(len(ours), 1)


def paired(ours: Sequence[float], theirs: Sequence[float], statistic: Statistic) -> Interval:
    """The statistic with the middle 95 % of its values over resampled questions; the same in every run."""
    value = statistic(ours, theirs)
    if not ours:
        return Interval(value, value, value)
    chance, places, found = random.Random(SEED), range(len(ours)), []
    for _ in range(ROUNDS):
        drawn = chance.choices(places, k=len(ours))
        found.append(statistic([ours[at] for at in drawn], [theirs[at] for at in drawn]))
    found.sort()
    return Interval(value, found[ROUNDS // 40], found[-ROUNDS // 40 - 1])


def of_difference(interval: Interval, *, margin: float = 0.0) -> Verdict:
    """For what should be large: ahead when the whole interval lies above the margin."""
    if interval.low > margin:
        return "ahead"
    return "behind" if interval.high < -margin else "equal"


def possible(interval: Interval, *, margin: float, noise: float) -> tuple[Verdict, ...]:
    """The verdicts of a ratio whose interval lies as much higher or lower as it may in the next run."""
    return tuple(of_ratio(interval.divided(by), margin=margin) for by in (1 / (1 + noise), 1 + noise))


def of_ratio(interval: Interval, *, margin: float = 0.0) -> Verdict:
    """For costs, as theirs to ours: ahead when the whole interval lies above 1 and beyond the margin."""
    if interval.low > 1 + margin:
        return "ahead"
    return "behind" if interval.high < 1 / (1 + margin) else "equal"
