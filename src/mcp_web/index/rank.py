"""Words, static signal and model → one order, with a score that means the same on every page, in every language.

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


@dataclass(frozen=True, slots=True)
class Shares:
    """How much each signal counts in the order; those of an absent signal go to the others."""

    words: float
    static: float
    model: float


# Measured with bench/reading on English pages and, without the model, on pages in ten other languages: a plateau.
IN_PAGE = Shares(words=0.25, static=0.2, model=0.55)
# Two passages this similar say the same; the second would only cost tokens.
SAME = 0.98

# From this score on a page counts as answering. A wrong no costs an agent the answer, a wrong yes some tokens; what
# both cost is in docs/concepts/reading.md.
ANSWERED = 0.5
# Without a threshold from the caller, passages below this are not worth their tokens.
WORTH_SHOWING = 0.25


@dataclass(frozen=True, slots=True)
class Odds:
    """Log-odds that a passage answers, as a sum over the signals that are known of it."""

    start: float
    coverage: float = 0.0  # the share of the question's words that the passage has
    static: float = 0.0
    model: float = 0.0  # calibrated: 0 for a passage like any other, 1 for one that typically answers


# Logistic regressions over questions put to pages that answer them, to pages about something else and, counting less,
# to near misses; cross-validated by page (docs/concepts/reading.md). Divided by two or three, because odds of a
# thousand to one would make every score 0.00 or 1.00.
WITH_MODEL = Odds(start=-3.0, static=1.95, model=2.65)
WITHOUT_MODEL = Odds(start=-4.13, coverage=1.0, static=5.5)
WORDS_ONLY = Odds(start=-1.0, coverage=3.6)
# Between languages no word is shared and pieces match less well; data to fit this is rare, so it is a cautious guess.
CROSS_LANGUAGE = Odds(start=-2.0, static=5.5)
CROSS_LANGUAGE_WITH_MODEL = Odds(start=-1.6, model=2.65)


# What is shown until the answer is there: passages at most so many standard deviations behind the best, at least two;
# two also of a page that does not answer. Half of the tokens of a fixed eight, hit@1 and @3 unchanged
# (docs/concepts/reading.md); a fixed number for the same tokens finds less.
_CLOSE, _LEAST_SHOWN, _UNANSWERED = 1.5, 2, 2

# For `likely`: how far behind the best, which share of a page at most, and how many at least.
_NEAR, _SHARE_READ, _LEAST_READ = 2.0, 0.4, 4
# For `is_decided`: the lead over the next passage, and the score.
_LEAD, _SURE = 1.0, 0.7

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
    static: Scores | None = None  # late interaction, 0…1
    cosines: Scores | None = None  # of the model; nan where no vector is known
    calibration: Calibration | None = None
    cross_language: bool = False  # question and page are in different languages

    def has_vector(self, number: int) -> bool:
        return self.cosines is not None and not math.isnan(float(self.cosines[number]))


@dataclass(frozen=True, slots=True)
class Ranked:
    """The answer to one question: passages in order, and whether the page answers it at all."""

    query: str
    passages: tuple[ScoredPassage, ...]
    answered: bool
    best: float  # the score of the best passage, shown or not
    enough: int = 0  # of the passages: how many to show until the answer is most likely there
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
    total = fused(evidence)
    chosen = _distinct(passages, evidence, total, rows, max_results, around)
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
    # Between languages scores are too rough to hide the best passages.
    least = min_score if min_score is not None else 0.0 if evidence.cross_language else WORTH_SHOWING
    shown = tuple(one for one in scored if one.score >= least)
    answered = best >= ANSWERED
    enough = _enough([float(total[number]) for number, _ in chosen[: len(shown)]], answered)
    return Ranked(query, shown, answered, best, enough, () if answered else tuple(scored[:3]))


def order(evidence: Evidence, shares: Shares = IN_PAGE) -> list[int]:
    """Passage numbers, best first."""
    import numpy as np

    return [int(at) for at in np.argsort(-fused(evidence, shares), kind="stable")]


def fused(evidence: Evidence, shares: Shares = IN_PAGE) -> Scores:
    """The signals as standard scores of this question, added by their shares."""
    parts = [(shares.words, _standard(evidence.words))]
    if evidence.static is not None:
        parts.append((shares.static, _standard(evidence.static)))
    if (meaning := _meaning_of_all(evidence)) is not None:
        parts.append((shares.model, meaning))
    whole = sum(share for share, _ in parts)
    total: Scores = sum(share / whole * values for share, values in parts)  # type: ignore[assignment]  # never 0
    return total


def is_decided(evidence: Evidence) -> bool:
    """Whether words and static signal agree on one passage so clearly that no model has to be asked.

    One question in four is; asking the model nevertheless found no more of the answers.
    """
    total = fused(evidence)
    first, *others = order(evidence)[:2] or [0]
    lead = total[first] - total[others[0]] if others else 0.0
    return bool(lead >= _LEAD) and score(evidence, first) >= _SURE


def likely(evidence: Evidence, most: int) -> list[int]:
    """The passages that the model should read: the better half, those near the best by words and static signal.

    Two standard deviations behind the best, the model hardly ever puts a passage first (hit@1 and @3 within .005 of
    reading the 16 best, for half of the work).
    """
    if evidence.cross_language:  # there the other signals are too weak to choose by
        return order(evidence)[: 2 * most]
    total = fused(evidence)
    best = order(evidence)[: max(_LEAST_READ, min(most, math.ceil(len(total) * _SHARE_READ)))]
    near = [at for at in best if total[at] >= total[best[0]] - _NEAR]
    return near if len(near) >= _LEAST_READ else best[:_LEAST_READ]


def score(evidence: Evidence, number: int) -> float:
    """How likely a passage answers, 0…1, whatever the page, the language and the model."""
    coverage = float(evidence.coverage[number])
    static = float(evidence.static[number]) if evidence.static is not None else None
    meaning = None
    if evidence.calibration is not None and evidence.has_vector(number) and evidence.cosines is not None:
        meaning = evidence.calibration.meaning(float(evidence.cosines[number]))
    odds = _odds(coverage, static, meaning, evidence.cross_language)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _odds(coverage: float, static: float | None, meaning: float | None, cross_language: bool) -> float:
    if meaning is not None and cross_language:
        return CROSS_LANGUAGE_WITH_MODEL.start + CROSS_LANGUAGE_WITH_MODEL.model * meaning
    if meaning is not None:
        # Without the static signal, a passage is taken to match as well as those with its meaning usually do.
        match = static if static is not None else 0.55 + 0.25 * meaning
        return WITH_MODEL.start + WITH_MODEL.static * match + WITH_MODEL.model * meaning
    if static is None:
        return WORDS_ONLY.start + WORDS_ONLY.coverage * coverage
    odds = CROSS_LANGUAGE if cross_language else WITHOUT_MODEL
    return odds.start + odds.coverage * coverage + odds.static * static


def _meaning_of_all(evidence: Evidence) -> Scores | None:
    """The model's cosines as standard scores; a passage it has not read may at most equal the worst it has."""
    import numpy as np

    if evidence.cosines is None or not (known := ~np.isnan(evidence.cosines)).any():
        return None
    meaning = np.empty(len(evidence.cosines))
    meaning[known] = _standard(evidence.cosines[known])
    meaning[~known] = meaning[known].min()
    return meaning


def _enough(totals: Sequence[float], answered: bool) -> int:
    """How many are near the best: one that is far ahead holds the answer; of many close ones, any may."""
    if not answered:
        return min(_UNANSWERED, len(totals))
    near = sum(total >= totals[0] - _CLOSE for total in totals)
    return min(len(totals), max(_LEAST_SHOWN, near))


def _distinct(
    passages: Sequence[Passage],
    evidence: Evidence,
    total: Scores,
    rows: Mapping[str, Rows],
    max_results: int,
    around: Around | None,
) -> list[tuple[int, Passage]]:
    """The best passages with what is shown of them, without those that repeat or are part of a better one."""
    import numpy as np

    chosen: list[tuple[int, Passage]] = []
    kept: list[Rows] = []
    taken: set[int] = set()
    for number in map(int, np.argsort(-total, kind="stable")):
        if len(chosen) >= max_results:
            break
        if number in taken or not _is_candidate(evidence, number):
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


def _is_candidate(evidence: Evidence, number: int) -> bool:
    """Whether any signal is evidence for a passage."""
    return evidence.static is not None or evidence.has_vector(number) or bool(evidence.words[number] > 0)


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
