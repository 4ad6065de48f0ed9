"""How many passages are worth their tokens."""

from __future__ import annotations

from mcp_web.index.enough import Candidate, enough


def candidates(*behind: float, score: float = 0.9, tokens: int = 300) -> list[Candidate]:
    return [Candidate(one, score, tokens) for one in behind]


def test_a_passage_far_ahead_is_enough() -> None:
    far = [Candidate(0.0, 0.95, 300), Candidate(4.0, 0.3, 300), Candidate(4.5, 0.2, 300)]
    assert enough(far, 0.95) == 1


def test_of_many_close_passages_several_are_shown() -> None:
    assert enough(candidates(0, 0.1, 0.2, 0.4, 5), 0.9) >= 4


def test_what_costs_more_must_bring_more() -> None:
    short, long = (candidates(0, 1, 2, 3, 4, tokens=tokens) for tokens in (100, 900))
    assert enough(short, 0.9) > enough(long, 0.9)


def test_a_page_that_may_answer_shows_its_best_passage_and_one_that_does_not_shows_nothing() -> None:
    given = candidates(0, 1, 2, score=0.3)
    assert 1 <= enough(given, 0.3) <= enough(given, 1.0)
    assert enough(given, 0.001) == 0


def test_a_page_without_passages_shows_nothing() -> None:
    assert enough([], 0.0) == 0
