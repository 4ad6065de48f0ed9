"""Words and meaning → one order, with a score that means the same on every page and with every model.

Scores are normalised per question before they are fused: plain rank fusion loses to words alone inside a page,
where question and passage often share their very words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_web.model.passage import Passage, ScoredPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.floating]
    Rows = NDArray[np.float32]

# What words count inside a page, and over many documents. Measured with bench/reading; a third to a half is a plateau.
IN_PAGE, OVER_ALL = 0.4, 0.3
# Two passages this alike say the same; the second would only cost tokens.
SAME = 0.98

# From this score on a page counts as answering. 98 % of questions put to a page that answers them reach it, 6 % of
# questions put to a page about something else; words alone: 90 % and 15 % (on the data it was fitted to). A wrong no
# costs an agent the answer, a wrong yes some tokens, so the border lies where three in ten passages would answer.
ANSWERED = 0.5
# Without a threshold from the caller, passages below this are not worth their tokens.
WORTH_SHOWING = 0.25

# The measured log-odds that a passage answers, by meaning and by the share of the question's words it has; divided
# by three (two for words alone), because odds of a thousand to one would make every score 0.00 or 1.00.
_MEANING, _COVERAGE, _START = 3.5, 0.65, -2.12
_ONLY_COVERAGE, _ONLY_START = 5.3, -0.91


# What is shown of a passage, its first and last number; passages that are shown already are not to be shown again.
Around = Callable[[int, "Scores", Set[int]], tuple[Passage, int, int]]


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
    cosines: Scores | None = None  # nan where no vector is known
    calibration: Calibration | None = None

    def has_vector(self, number: int) -> bool:
        return self.cosines is not None and not math.isnan(float(self.cosines[number]))


@dataclass(frozen=True, slots=True)
class Ranked:
    """The answer to one question: passages in order, and whether the page answers it at all."""

    query: str
    passages: tuple[ScoredPassage, ...]
    answered: bool
    best: float  # the score of the best passage, shown or not
    nearest: tuple[ScoredPassage, ...] = ()  # what came closest, when the page does not answer


def rank(
    query: str,
    passages: Sequence[Passage],
    evidence: Evidence,
    rows: Mapping[str, Rows],
    *,
    max_results: int,
    min_score: float | None = None,
    around: Around | None = None,
) -> Ranked:
    """The passages that answer, best first, scores never rising, none that repeats another."""
    chosen = _distinct(passages, evidence, rows, max_results, around)
    scores = _never_rising([score(evidence, number) for number, _ in chosen])
    high = float(evidence.words.max()) if len(evidence.words) else 0.0
    scored = [
        ScoredPassage(
            passage=passage,
            score=round(value, 4),
            words=round(float(evidence.words[number]) / high, 4) if high else 0.0,
            meaning=_meaning(evidence, number),
        )
        for (number, passage), value in zip(chosen, scores, strict=True)
    ]
    best = scored[0].score if scored else 0.0
    least = WORTH_SHOWING if min_score is None else min_score
    shown = tuple(one for one in scored if one.score >= least)
    answered = best >= ANSWERED
    return Ranked(query, shown, answered, best, () if answered else tuple(scored[:3]))


def order(evidence: Evidence, words_share: float = IN_PAGE) -> list[int]:
    """Passage numbers, best first."""
    import numpy as np

    return [int(at) for at in np.argsort(-fused(evidence, words_share), kind="stable")]


def fused(evidence: Evidence, words_share: float = IN_PAGE) -> Scores:
    """Words and meaning as standard scores of this question, added."""
    import numpy as np

    total = words_share * _standard(evidence.words)
    if evidence.cosines is not None:
        known = ~np.isnan(evidence.cosines)
        if known.any():
            meaning = np.empty(len(total))
            meaning[known] = _standard(evidence.cosines[known])
            # A passage that was not read by the model was unlikely by words: it may at most equal the worst read.
            meaning[~known] = meaning[known].min()
            total = total + (1 - words_share) * meaning
    return total


def score(evidence: Evidence, number: int) -> float:
    """How likely a passage answers, 0…1, whatever the page and the model."""
    coverage = float(evidence.coverage[number])
    if evidence.cosines is not None and evidence.calibration and evidence.has_vector(number):
        meaning = evidence.calibration.meaning(float(evidence.cosines[number]))
        odds = _MEANING * meaning + _COVERAGE * coverage + _START
    else:
        odds = _ONLY_COVERAGE * coverage + _ONLY_START
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _distinct(
    passages: Sequence[Passage],
    evidence: Evidence,
    rows: Mapping[str, Rows],
    max_results: int,
    around: Around | None,
) -> list[tuple[int, Passage]]:
    """The best passages with what is shown of them, without those that repeat or are part of a better one."""
    import numpy as np

    total = fused(evidence)
    chosen: list[tuple[int, Passage]] = []
    kept: list[Rows] = []
    taken: set[int] = set()
    for number in map(int, np.argsort(-total, kind="stable")):
        if len(chosen) >= max_results:
            break
        if number in taken or (not evidence.has_vector(number) and not evidence.words[number] > 0):
            continue
        row = rows.get(passages[number].digest)
        if row is not None and any(float(row @ other) > SAME for other in kept):
            continue
        shown, first, last = around(number, total, taken) if around else (passages[number], number, number)
        chosen.append((number, shown))
        taken.update(range(first, last + 1))
        if row is not None:
            kept.append(row)
    return chosen


def _meaning(evidence: Evidence, number: int) -> float | None:
    if evidence.cosines is None or evidence.calibration is None or not evidence.has_vector(number):
        return None
    return round(min(1.0, max(0.0, evidence.calibration.meaning(float(evidence.cosines[number])))), 4)


def _never_rising(values: Sequence[float]) -> list[float]:
    """The nearest sequence that never rises: where scores contradict the order, neighbours share their mean."""
    runs: list[list[float]] = []  # [mean, count]
    for value in values:
        runs.append([value, 1])
        while len(runs) > 1 and runs[-2][0] < runs[-1][0]:
            mean, count = runs.pop()
            total = runs[-1][1] + count
            runs[-1] = [(runs[-1][0] * runs[-1][1] + mean * count) / total, total]
    return [mean for mean, count in runs for _ in range(int(count))]


def _standard(values: Scores) -> Scores:
    """Mean 0, deviation 1: steadier than stretching to 0…1, where one outlier decides (measured: +.02 hit@1)."""
    import numpy as np

    spread = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
