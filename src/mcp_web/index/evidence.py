"""What the signals say about the passages of a page for one question, and how likely one of them answers it."""

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


Verdict = Literal["answered", "unsure", "not answered"]

# From this score on a page counts as answering; a wrong no costs an agent the answer, a wrong yes some tokens. Within
# `UNSURE` of it the verdict is unsure. What each border costs is in docs/concepts/reading.md.
ANSWERED, UNSURE = 0.5, 0.1
SURE = 0.7  # from this score on the best passage most likely holds the answer: little more has to be shown


@dataclass(frozen=True, slots=True)
class Odds:
    """Log-odds that a passage answers, as a sum over the signals that are known of it."""

    start: float
    coverage: float = 0.0  # the share of the question's words that the passage has
    static: float = 0.0
    model: float = 0.0  # calibrated: 0 for a passage like any other, 1 for one that typically answers


# Added when the page never mentions a name of the question.
NAME_MISSING = -1.2


# Between logistic regressions over questions to privacy policies (answered there, or only by others) and over short
# factual questions (to the article that answers, or to the article without the paragraph that does), each judged on
# the other set. The second alone trusts shared words so much that a question in other words than the page's is denied.
# Divided by two, because odds of a thousand to one would make every score 0.00 or 1.00: docs/concepts/reading.md.
WITH_MODEL = Odds(start=-2.8, coverage=0.7, static=2.3, model=1.3)
WITHOUT_MODEL = Odds(start=-4.13, coverage=1.0, static=5.5)
WORDS_ONLY = Odds(start=-1.0, coverage=3.6)
# Between languages no word is shared and pieces match less well; data to fit this is rare, so it is a cautious guess.
CROSS_LANGUAGE = Odds(start=-2.0, static=5.5)
CROSS_LANGUAGE_WITH_MODEL = Odds(start=-1.6, model=2.65)


def verdict(best: float) -> Verdict:
    """What the score of its best passage says about a page."""
    if abs(best - ANSWERED) < UNSURE:
        return "unsure"
    return "answered" if best > ANSWERED else "not answered"


def score(evidence: Evidence, number: int) -> float:
    """How likely a passage answers, 0…1, whatever the page, the language and the model."""
    coverage = float(evidence.coverage[number])
    static = float(evidence.static[number]) if evidence.static is not None else None
    meaning = None
    if evidence.calibration is not None and evidence.has_vector(number) and evidence.cosines is not None:
        meaning = evidence.calibration.nearness(float(evidence.cosines[number]))
    odds = _odds(coverage, static, meaning, evidence.cross_language)
    if evidence.missing and not evidence.cross_language:
        odds += NAME_MISSING
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _odds(coverage: float, static: float | None, meaning: float | None, cross_language: bool) -> float:
    if meaning is not None and cross_language:
        return _sum(CROSS_LANGUAGE_WITH_MODEL, model=meaning)
    if meaning is not None:
        # Without the static signal, a passage is taken to match as well as those with its meaning usually do.
        match = static if static is not None else 0.55 + 0.25 * meaning
        return _sum(WITH_MODEL, coverage, match, meaning)
    if static is None:
        return _sum(WORDS_ONLY, coverage)
    return _sum(CROSS_LANGUAGE if cross_language else WITHOUT_MODEL, coverage, static)


def _sum(odds: Odds, coverage: float = 0.0, static: float = 0.0, model: float = 0.0) -> float:
    return odds.start + odds.coverage * coverage + odds.static * static + odds.model * model
