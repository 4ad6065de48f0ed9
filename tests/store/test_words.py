from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.store.words import counted, fold, prose, stem, words


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Héllo WÖRLD", ["hello", "world"]),
        ("foo_bar-baz 3.11", ["foo", "bar", "baz", "3", "11"]),
        ("日本語", ["日本", "本語"]),
        ("使用Python語", ["使用", "python", "語"]),
        ("한국어", ["한국", "국어"]),
        ("İstanbul", ["istanbul"]),
        ("Привет мир", ["привет", "мир"]),
        ("x" * 50 + " y", ["y"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert list(words(fold(text))) == expected


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("running") == stem("runs") == "run"
    assert stem("über") == "über"


def test_fields_weigh_together() -> None:
    assert counted([("one two", 1), ("Two", 3)]) == {"one": 1, "two": 4}


def test_the_address_behind_a_link_is_not_prose() -> None:
    assert prose('see [the docs](https://a.example/x_(y) "title") now') == "see [the docs] now"
