"""Combines words, static vectors and model into one order, with scores that can be compared between pages.

Each signal is normalised per question before the signals are added. Plain rank fusion is worse than words alone inside
a page, where question and passage often use the same words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcp_web.index.enough import Candidate, enough, is_worth
from mcp_web.index.evidence import ANSWERED, SURE, Evidence, Verdict, score, verdict
from mcp_web.model.passage import Passage, ScoredPassage
from mcp_web.text.sizes import estimate_tokens
from mcp_web.text.words import words

if TYPE_CHECKING:
    from mcp_web.index.evidence import Scores


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal in a passage's total; the weight of an absent signal is divided among the others."""

    words: float
    static: float
    model: float


# Measured with bench/reading on English pages and, without the model, on pages in ten other languages; nearby weights
# give the same results.
IN_PAGE = Weights(words=0.25, static=0.2, model=0.55)
# Of two passages of a page with this share of common words, the second would only cost tokens. Entries of a reference
# that differ in a name are different passages.
_SAME = 0.95

# For `to_read`: the model reads at least _LEAST_READ passages; if the best score of words and static signal is
# below _IN_DOUBT, up to _MOST_READ, and never more than _SHARE_READ of the page. With 10 always, more answers
# are found in policies and fewer in scientific papers (docs/concepts/reading.md); with 4 always, fewer of those that
# use other words than the question.
_LEAST_READ, _IN_DOUBT, _MOST_READ, _SHARE_READ = 4, 0.6, 8, 0.5
# By how much the best passage must be ahead of the second if no model is needed, in standard deviations.
_LEAD = 1.0
# The judge reads the two likeliest passages first, and no more if their log-odds say that the first answers, and the
# second much less likely: up to a quarter of the pairs less with the same hits; at 2.0 a few hits are lost
# (docs/concepts/reading.md).
FIRST_READ, _CLEAR = 2, 3.0

# From a passage's number, the scores, and the numbers of passages already shown: the passage as it is shown, with the
# numbers of the first and last passage in it.
Widen = Callable[[int, "Scores", Set[int]], tuple[Passage, int, int]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The result of a page for one question: the passages to show in order, and whether the page answers it at all."""

    query: str
    passages: tuple[ScoredPassage, ...]
    best: float  # the score of the best passage, shown or not
    enough: int = 0  # of the passages: how many are worth their tokens
    nearest: tuple[ScoredPassage, ...] = ()  # the best passages, if the page does not answer
    missing: tuple[str, ...] = ()  # names of the question that the page never mentions

    @property
    def answered(self) -> bool:
        return self.best >= ANSWERED

    @property
    def sure(self) -> bool:
        """Whether the page surely answers: its best score is so high that the embedding model is not needed."""
        return self.best >= SURE

    @property
    def in_doubt(self) -> bool:
        """Whether there are passages to show, but the best score is so low that a model could change which."""
        return self.enough > 0 and not self.sure

    @property
    def verdict(self) -> Verdict:
        return verdict(self.best)


def rank(
    query: str,
    passages: Sequence[Passage],
    evidence: Evidence,
    *,
    max_results: int,
    min_score: float | None = None,
    widen: Widen | None = None,
) -> Ranked:
    """Rank the passages of a page for a question by their signals (`evidence`), and choose those to show: best first,
    without repetitions, at most `max_results`; no score is higher than the one before it. Those with a lower score than
    `min_score` are left out; if that is None, those whose probability to answer is not worth their tokens. `widen` adds
    neighbours to a passage."""
    total = fused(evidence)
    chosen = distinct(passages, evidence, total, max_results, widen)
    scores = never_rising([score(evidence, number) for number, _ in chosen])
    scored = [ScoredPassage(passage, round(value, 4)) for (_, passage), value in zip(chosen, scores, strict=True)]
    best = scored[0].score if scored else 0.0
    candidates = _candidates(evidence, total, chosen)
    if evidence.cross_language and min_score is None:
        min_score = 0.0  # across languages scores are too inexact to hide the best passages
    shown = tuple(
        one
        for one, candidate in zip(scored, candidates, strict=True)
        if (is_worth(candidate.score, candidate.tokens) if min_score is None else one.score >= min_score)
    )
    until = enough(candidates, 1.0 if evidence.cross_language else best)
    if candidates and not until:
        until = enough(candidates[:1], candidates[0].score)
    until = min(len(shown), until)
    return Ranked(query, shown, best, until, () if best >= ANSWERED else tuple(scored[:3]), evidence.missing)


def _candidates(evidence: Evidence, total: Scores, chosen: Sequence[tuple[int, Passage]]) -> list[Candidate]:
    """The chosen passages, given with their numbers, as the values that decide which are shown; `total` is from
    `fused`. A name of the question that the page lacks may be misspelt, or the page uses another one: that lowers the
    verdict, and so the number of passages, but hides none if the rest of the question may be answered."""
    without_missing = replace(evidence, missing=())
    scores = never_rising([score(without_missing, number) for number, _ in chosen])
    if evidence.missing and scores and verdict(scores[0]) == "not answered":
        scores = never_rising([score(evidence, number) for number, _ in chosen])
    return [
        Candidate(float(total[chosen[0][0]] - total[number]), value, estimate_tokens(passage.text))
        for (number, passage), value in zip(chosen, scores, strict=True)
    ]


def order(total: Scores) -> list[int]:
    """The numbers of all passages, best first; `total` is the result of `fused`."""
    import numpy as np

    return [int(at) for at in np.argsort(-total, kind="stable")]


def fused(evidence: Evidence, weights: Weights = IN_PAGE) -> Scores:
    """The number by which each passage is ranked: a weighted sum of its signals, as standard scores over the page."""
    parts = [(weights.words, _standard(evidence.words))]
    if evidence.static is not None:
        parts.append((weights.static, _standard(evidence.static)))
    if (meaning := _of_all(evidence.cosines if evidence.judged is None else evidence.judged)) is not None:
        parts.append((weights.model, meaning))
    whole = sum(weight for weight, _ in parts)
    total: Scores = sum(weight / whole * values for weight, values in parts)  # type: ignore[assignment]  # never 0
    return total


def to_read(evidence: Evidence, most: int, *, always: bool = False) -> list[int]:
    """The numbers of the passages that the model should read: the four best by words and static signal; if these are
    unsure, up to `most`, but not over eight or half of the page; twice `most` if the question is in another language.
    Empty if they prefer one passage so clearly that no model is needed, unless `always`: for one question in four, and
    asking the model for these too found no more answers."""
    total = fused(evidence)
    best = order(total)
    sureness = score(evidence, best[0]) if best else 0.0
    lead = float(total[best[0]] - total[best[1]]) if len(best) > 1 else 0.0
    if lead >= _LEAD and sureness >= SURE and not always:
        return []
    if evidence.cross_language:  # across languages the other signals are too weak
        return best[: 2 * most]
    count = min(most, _MOST_READ, math.ceil(len(best) * _SHARE_READ)) if sureness < _IN_DOUBT else 0
    return best[: max(_LEAST_READ, count)]


def is_clear(judged: Sequence[float]) -> bool:
    """Whether the judge (which scores pairs of question and passage) need not read more: the likeliest passage clearly
    answers, the next does not. `judged` are the log-odds of the passages read, likeliest passage first."""
    return len(judged) >= FIRST_READ and judged[0] >= _CLEAR and judged[0] - judged[1] >= _CLEAR


def _of_all(values: Scores | None) -> Scores | None:
    """A model's values as standard scores; nan, of a passage it has not read, as the lowest. None if all are nan."""
    import numpy as np

    if values is None or not (known := ~np.isnan(values)).any():
        return None
    meaning = np.empty(len(values))
    meaning[known] = _standard(values[known])
    meaning[~known] = meaning[known].min()
    return meaning


def distinct(
    passages: Sequence[Passage],
    evidence: Evidence,
    total: Scores,
    max_results: int,
    widen: Widen | None,
) -> list[tuple[int, Passage]]:
    """At most `max_results` passages, best first by `total`, each with its number, and as shown with the neighbours
    that `widen` adds. Without those that match by no signal, that repeat a better one or are part of it."""
    chosen: list[tuple[int, Passage]] = []
    kept: list[frozenset[str]] = []  # the words of each chosen passage
    taken: set[int] = set()
    for number in order(total):
        if len(chosen) >= max_results:
            break
        # Without the static signal a passage needs a vector of the model, or a word of the question.
        is_known = evidence.static is not None or evidence.has_vector(number) or evidence.words[number] > 0
        if number in taken or not is_known:
            continue
        own = frozenset(words(passages[number].text))
        if any(repeats(own, other, _SAME) for other in kept):
            continue
        shown, first, last = widen(number, total, taken) if widen else (passages[number], number, number)
        chosen.append((number, shown))
        taken.update(range(first, last + 1))
        kept.append(own)
    return chosen


def repeats(one: Set[str], other: Set[str], share: float) -> bool:
    """Whether two texts, given as sets of words, repeat each other: of the shorter one at least `share` of the words
    are in the other, and both have the same words with digits."""
    if any(char.isdigit() for word in one ^ other for char in word):
        return False  # texts about two versions of a program may differ only in numbers
    return len(one & other) >= share * max(1, min(len(one), len(other)))


def never_rising(values: Sequence[float]) -> list[float]:
    """The values, with neighbours that rise replaced by their mean, so that none is higher than the one before it
    (isotonic regression)."""
    runs: list[list[float]] = []  # [mean, count]
    for value in values:
        runs.append([value, 1])
        while len(runs) > 1 and runs[-2][0] < runs[-1][0]:
            mean, count = runs.pop()
            total = runs[-1][1] + count
            runs[-1] = [(runs[-1][0] * runs[-1][1] + mean * count) / total, total]
    return [mean for mean, count in runs for _ in range(int(count))]


def _standard(values: Scores) -> Scores:
    """The values as standard scores, with mean 0 and standard deviation 1; zeros if all are equal. More robust than
    scaling to 0…1, where one outlier decides (measured: +.02 hit@1)."""
    import numpy as np

    spread = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
