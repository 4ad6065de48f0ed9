"""How likely a passage answers, and the three verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcp_web.embed.embedder import Calibration
from mcp_web.index.evidence import Evidence, score, verdict
from mcp_web.index.rank import rank
from mcp_web.model.passage import Passage

SCALE = Calibration(unrelated=0.4, related=0.7)


def found(coverage: float, static: float, cosine: float | None) -> float:
    known = None if cosine is None else np.array([cosine])
    return score(Evidence(np.ones(1), np.array([coverage]), np.array([static]), known, SCALE), 0)


@pytest.mark.parametrize(
    ("best", "said"),
    [(0.0, "not answered"), (0.49, "not answered"), (0.55, "unsure"), (0.65, "unsure"), (0.9, "answered")],
)
def test_scores_near_the_border_are_unsure(best: float, said: str) -> None:
    assert verdict(best) == said


def test_a_near_miss_lacks_words_of_the_question_that_the_answer_has() -> None:
    """Both passages are about the subject, as the model sees it; only one has what was asked for."""
    assert verdict(found(0.8, 0.9, 0.72)) == "answered"
    assert verdict(found(0.1, 0.5, 0.64)) == "not answered"


def test_an_answer_in_other_words_is_not_denied() -> None:
    assert verdict(found(0.0, 0.48, 0.75)) == "unsure"


def test_a_page_about_something_else_is_denied_with_and_without_a_model() -> None:
    assert verdict(found(0.1, 0.45, 0.42)) == "not answered"
    assert verdict(found(0.1, 0.45, None)) == "not answered"


@pytest.mark.parametrize(("coverage", "is_shown"), [(0.6, True), (0.15, False)])
def test_without_a_name_of_the_question_a_page_is_shown_only_where_it_may_answer_the_rest(
    coverage: float, is_shown: bool
) -> None:
    """The name may be misspelt: then the other words are there."""
    text = "A sentence about something that is long enough to cost tokens. " * 20
    passage = Passage(0, text, 0, len(text), (), "0")
    lacking = Evidence(np.ones(1), np.array([coverage]), missing=("Kestrel",))
    assert (rank("…", [passage], lacking, max_results=8).enough > 0) == is_shown
    named = Evidence(np.ones(1), np.array([coverage]))
    assert rank("…", [passage], named, max_results=8).enough == 1


def test_without_a_name_of_the_question_fewer_of_several_close_passages_are_shown() -> None:
    text = "A sentence about something that is long enough to cost tokens. " * 10
    passages = [Passage(at, f"{at} {text}", at, at + len(text), (), str(at)) for at in range(6)]
    named = Evidence(np.linspace(2, 1.8, 6), np.full(6, 0.45))
    lacking = replace(named, missing=("Kestrel",))
    assert rank("…", passages, named, max_results=8).enough == 6
    assert rank("…", passages, lacking, max_results=8).enough == 1
