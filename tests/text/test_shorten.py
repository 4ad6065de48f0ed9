"""Texts cut to a number of characters."""

from __future__ import annotations

import pytest

from mcp_web.text.shorten import shortened, shortened_at_word


def test_a_text_that_fits_stays_as_it_is() -> None:
    assert shortened("four", 4) == shortened_at_word("four", 4) == "four"


def test_a_cut_is_shown_and_counts() -> None:
    assert shortened("a long text", 6) == "a lon…"


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("one two, three", 12, "one two…"),
        ("標題 水撃ポンプは落下する水の力だけで水を送る", 12, "標題 水撃ポンプは落下…"),
        ("https://a.example/long/path", 10, "https://a…"),
    ],
)
def test_words_stay_whole_where_there_are_words(text: str, most: int, expected: str) -> None:
    assert shortened_at_word(text, most) == expected
    assert len(expected) <= most
