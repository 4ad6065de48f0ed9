"""Fusing, scoring, and the verdict."""

from __future__ import annotations

import numpy as np
import pytest

from mcp_web.embed.embedder import Calibration
from mcp_web.index.evidence import ANSWERED, Evidence, score
from mcp_web.index.rank import fused, order, rank
from mcp_web.model.passage import Passage

SCALE = Calibration(unrelated=0.4, related=0.7)


def passages(count: int) -> list[Passage]:
    return [Passage(n, f"text {n} " * 200, n, n + 1, (), f"d{n}") for n in range(count)]


def evidence(words: list[float], cosines: list[float] | None = None, coverage: list[float] | None = None) -> Evidence:
    shares = np.array(coverage or [min(1.0, w / 10) for w in words])
    known = None if cosines is None else np.array(cosines)
    return Evidence(np.array(words), shares, None, known, SCALE if cosines else None)


def test_words_and_meaning_decide_together() -> None:
    assert order(fused(evidence([9, 8, 0, 0], [0.4, 0.7, 0.72, 0.4])))[0] == 1


def test_words_alone_order_when_there_is_no_meaning() -> None:
    assert order(fused(evidence([1, 5, 3]))) == [1, 2, 0]


def test_passage_without_a_vector_does_not_win_by_its_absence() -> None:
    nan = float("nan")
    assert order(fused(evidence([5, 4, 1, 0], [0.7, 0.6, nan, nan])))[:2] == [0, 1]


def test_score_means_the_same_for_models_with_other_cosines() -> None:
    one = evidence([1], [0.6])
    other = Evidence(one.words, one.coverage, None, np.array([0.9]), Calibration(unrelated=0.85, related=0.925))
    assert score(one, 0) == pytest.approx(score(other, 0), abs=1e-6)


def test_related_text_is_answered_and_unrelated_is_not() -> None:
    assert rank("q", passages(1), evidence([5.0], [0.72]), max_results=8).answered
    lost = rank("q", passages(2), evidence([0.1, 0.0], [0.34, 0.30]), max_results=8)
    assert not lost.answered
    assert lost.passages == ()
    assert lost.nearest[0].passage.number == 0
    assert lost.best < ANSWERED


def test_words_alone_tell_answered_from_not() -> None:
    assert rank("q", passages(1), evidence([5.0], coverage=[0.9]), max_results=8).answered
    assert not rank("q", passages(1), evidence([0.5], coverage=[0.05]), max_results=8).answered


def test_scores_never_rise_down_the_list() -> None:
    dice = np.random.default_rng(3)
    given = evidence(list(dice.random(40) * 10), list(0.3 + dice.random(40) * 0.5), list(dice.random(40)))
    found = rank("q", passages(40), given, max_results=40, min_score=0).passages
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= value <= 1 for value in scores)


def test_near_copies_are_shown_once() -> None:
    text = "The library opens a connection to the server and closes it after the last answer was read. " * 3
    texts = [text, text.replace("The library", "This library"), text.replace("server", "server of version 3")]
    given = [Passage(n, one, n, n + 1, (), f"d{n}") for n, one in enumerate(texts)]
    found = rank("q", given, evidence([5, 5, 4], [0.8, 0.8, 0.75]), max_results=8).passages
    assert [one.passage.number for one in found] == [0, 2]


def test_threshold_of_the_caller_decides_what_is_shown() -> None:
    given = evidence([5, 4, 3], [0.75, 0.55, 0.42])
    assert len(rank("q", passages(3), given, max_results=8, min_score=0.0).passages) == 3
    assert rank("q", passages(3), given, max_results=8, min_score=0.99).passages == ()
    assert len(rank("q", passages(3), given, max_results=1, min_score=0.0).passages) == 1


def test_empty_page_is_not_answered() -> None:
    assert not rank("q", [], evidence([]), max_results=8).answered
