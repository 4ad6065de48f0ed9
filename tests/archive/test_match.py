"""The order of found documents by how their best passages match."""

from __future__ import annotations

from mcp_web.archive.fuse import with_match


def test_the_passage_that_says_the_same_in_other_words_gains_most() -> None:
    passages = ["The warranty covers the engine for two years.", "Bananas ripen faster in a paper bag."]
    guaranteed, fruit = with_match("How long is the motor guaranteed?", passages, [0.3, 0.3])
    assert guaranteed > fruit


def test_a_clear_lead_by_words_stays() -> None:
    passages = ["Bananas ripen faster in a paper bag.", "The warranty covers the engine for two years."]
    first, second = with_match("How long is the motor guaranteed?", passages, [0.9, 0.4])
    assert first > second


def test_scores_stay_between_nothing_and_one() -> None:
    scores = with_match("保修期多长?", ["保修期为两年。", "香蕉熟得快。"], [1.0, 0.0])
    assert all(0 <= score <= 1 for score in scores)


def test_a_question_without_words_changes_nothing() -> None:
    assert with_match("?!", ["Anything."], [0.5]) == [0.5]
    assert with_match("word", [], []) == []
