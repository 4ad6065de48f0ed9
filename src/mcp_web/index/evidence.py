"""The ranking signals of a page's passages for one question, and the probability that a passage answers it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcp_web.embed.embedder import Calibration

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What each ranking signal says of the passages of a page, for one question: arrays with a value per passage."""

    words: Scores  # BM25
    coverage: Scores  # share of the question's words in the passage
    static: Scores | None = None  # late interaction, 0…1
    cosines: Scores | None = None  # of the model; nan if a passage has no vector
    calibration: Calibration | None = None
    judged: Scores | None = None  # log-odds that the passage answers, by the judge; nan if it has not read it
    cross_language: bool = False  # question and page are in different languages
    missing: tuple[str, ...] = ()  # names of the question that the page never mentions
    static_judges: bool = True  # whether the static signal also decides if a passage answers, or only orders passages

    def has_vector(self, number: int) -> bool:
        """Whether the embedding model has a vector of the passage with this number."""
        return _known(self.cosines, number) is not None


Verdict = Literal["answered", "unsure", "not answered"]

# From this score on a page counts as answering; a wrong no costs an agent the answer, a wrong yes some tokens. Within
# `UNSURE` of it the verdict is "unsure". docs/concepts/reading.md shows what other limits would cost.
ANSWERED, UNSURE = 0.6, 0.1
SURE = ANSWERED + UNSURE  # from this score on no model is needed


@dataclass(frozen=True, slots=True)
class Odds:
    """The coefficients of a logistic regression for the probability that a passage answers the question.

    There is one instance for each combination of signals; the coefficient of a signal that is not known is 0.
    """

    start: float  # the intercept
    coverage: float = 0.0  # the share of the question's words that the passage has
    static: float = 0.0  # the similarity by the static vectors
    # Of the calibrated cosine: 0 for unrelated texts, 1 for a typical answer. Or of the judge's log-odds.
    model: float = 0.0
    missing: float = 0.0  # added if the page never mentions a name of the question

    def sum(self, coverage: float, static: float, model: float, missing: bool) -> float:
        """The log-odds that a passage answers, from its signals; `missing`: the page lacks a name of the question."""
        known = self.coverage * coverage + self.static * static + self.model * model
        return self.start + known + self.missing * missing


# One set of coefficients for each combination of known signals, printed by `python -m bench.reading.fit`: logistic
# regressions over questions paired with the page that answers them, with pages about the same subject that do not, and
# with unrelated pages, in twelve languages. Every set has the same weight and is tested with a fit on the others.
WORDS = Odds(start=-2.18, coverage=7.40, missing=-4.47)
WORDS_AND_STATIC = Odds(start=-6.93, coverage=2.58, static=9.31, missing=-4.14)
WORDS_AND_MODEL = Odds(start=-2.90, coverage=1.99, model=3.00, missing=-3.32)
ALL = Odds(start=-4.06, coverage=1.23, static=2.50, model=2.73, missing=-3.39)
# With the judge a wrong no counts twice as much as a wrong yes, which adds log 2: it costs an agent the answer.
WORDS_AND_JUDGE = Odds(start=0.51, coverage=1.72, model=0.43, missing=-3.84)
ALL_AND_JUDGE = Odds(start=-1.73, coverage=0.66, static=3.86, model=0.38, missing=-3.97)
# Across languages no word is shared and word pieces match less well; there is little data to fit this: a cautious
# guess.
CROSS_LANGUAGE = Odds(start=-2.0, static=5.5)
CROSS_LANGUAGE_WITH_MODEL = Odds(start=-1.6, model=2.65)


def verdict(best: float) -> Verdict:
    """Whether a page answers ("answered", "unsure", "not answered"), from the score (0…1) of its best passage."""
    if abs(best - ANSWERED) < UNSURE:
        return "unsure"
    return "answered" if best > ANSWERED else "not answered"


def score(evidence: Evidence, number: int) -> float:
    """The probability (0…1) that the passage with this number answers; comparable between pages, languages, models."""
    static = float(evidence.static[number]) if evidence.static is not None else None
    judged, cosine = _known(evidence.judged, number), _known(evidence.cosines, number)
    nearness = evidence.calibration.nearness(cosine) if evidence.calibration and cosine is not None else None
    if evidence.cross_language:
        odds = CROSS_LANGUAGE if nearness is None else CROSS_LANGUAGE_WITH_MODEL
    else:
        odds = odds_for(static is not None and evidence.static_judges, nearness is not None, judged is not None)
    model = judged if judged is not None else nearness or 0.0
    total = odds.sum(float(evidence.coverage[number]), static or 0.0, model, bool(evidence.missing))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def odds_for(static: bool, model: bool, judge: bool = False) -> Odds:
    """The coefficients for the signals that are known besides words: static vectors, embedding model or judge."""
    if judge:
        return ALL_AND_JUDGE if static else WORDS_AND_JUDGE
    if model:
        return ALL if static else WORDS_AND_MODEL
    return WORDS_AND_STATIC if static else WORDS


def _known(values: Scores | None, number: int) -> float | None:
    """The value of a signal for the passage with this number; None without the signal, or where it is nan."""
    value = float(values[number]) if values is not None else math.nan
    return None if math.isnan(value) else value
