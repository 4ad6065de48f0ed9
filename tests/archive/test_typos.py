from __future__ import annotations

import pytest

from mcp_web.archive.typos import correction, neighbours


@pytest.mark.parametrize("typo", ["machne", "machinne", "mcahine", "nachine", "machinex", "achine"])
def test_every_single_edit_is_undone(typo: str) -> None:
    assert "machine" in neighbours(typo)


def test_other_alphabets_are_corrected_too() -> None:
    assert "привет" in neighbours("превет")


@pytest.mark.parametrize("word", ["abc", "12345", "x" * 31, "日本"])
def test_words_that_cannot_be_judged_have_no_neighbours(word: str) -> None:
    assert neighbours(word) == []


def test_the_commonest_neighbour_wins_unless_its_first_letter_differs() -> None:
    assert correction("form", {"from": 10, "farm": 20}) == "from"
    assert correction("macine", {"machine": 3, "marine": 2}) == "machine"
    assert correction("ouse", {"house": 5}) == "house"
    assert correction("hause", {"house": 5, "cause": 30}) == "house"
    assert correction("word", {}) is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("библиотка", "библиотека"),
        ("βιβλιοθκη", "βιβλιοθηκη"),
        ("पुस्कालय", "पुस्तकालय"),
        ("مكتة", "مكتبة"),
        ("ספריה", "ספרייה"),
    ],
)
def test_misspelt_words_of_other_alphabets_are_corrected(typed: str, meant: str) -> None:
    assert meant in neighbours(typed)
