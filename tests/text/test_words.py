"""Words in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.text.words import compounds, fold, query_terms, terms, word_frequencies, words


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text())
def test_any_text_can_be_counted(text: str) -> None:
    assert all(word_frequencies(text).values())
    assert set(words(text)) <= set(word_frequencies(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Héllo WÖRLD", ["héllo", "wörld"]),
        ("foo_bar-baz 3.11", ["foo", "bar", "baz", "3", "11"]),
        ("日本語", ["日本", "本語"]),
        ("使用Python語", ["使用", "python", "語"]),
        ("한국어", ["한국", "국어"]),
        ("İstanbul", ["istanbul"]),
        ("Привет мир", ["привет", "мир"]),
        ("भारत की राजधानी", ["भारत", "की", "राजधानी"]),
        ("ภาษาไทย", ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]),
        ("الكِتَاب", ["الكتاب"]),
        ("e\u0301cole co\u00adoperate", ["école", "cooperate"]),
        ("readTimeout", ["read", "timeout"]),
        ("x" * 50 + " y", ["y"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("read_timeout", "readtimeout"),
        ("readTimeout", "readtimeout"),
        ("--read-timeout", "readtimeout"),
        ("sys.path.", "syspath"),
        ("ERR_CONN_42", "errconn42"),
        ("3.11.2", "3.11.2"),
    ],
)
def test_a_name_of_several_words_is_also_one_word_however_it_is_written(written: str, whole: str) -> None:
    assert compounds(written) == [whole]
    assert word_frequencies(written)[whole] == 1


def test_single_words_are_no_compounds() -> None:
    assert compounds("Plain words, E0308 and 日本語. End") == []


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "running", "runs"),
        ("de", "häuser", "haus"),
        ("pt", "informações", "informação"),
        ("ru", "книгами", "книга"),
        ("ar", "الكتاب", "كتاب"),
        ("hi", "भाषाओं", "भाषा"),
        ("el", "δρόμοι", "δρόμος"),
    ],
)
def test_forms_of_a_word_share_a_term(language: str, one: str, other: str) -> None:
    assert terms(one, language)[0] == terms(other, language)[0]


def test_a_query_finds_words_of_any_language_and_only_in_that_language() -> None:
    assert set(terms("häuser", "de")) & set(query_terms("haus"))
    assert not set(terms("not", "en")) & set(query_terms("notes"))


def test_words_typed_without_accents_find_words_with_them() -> None:
    for word, language in (("kündigung", "de"), ("informações", "pt"), ("économie", "fr"), ("çalışma", "tr")):
        assert set(terms(word, language)) & set(query_terms(fold(word)))
