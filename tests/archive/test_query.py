from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.archive.query import Question, corrected, parse, with_changes
from mcp_web.store.protocol import DocumentFilter


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Machine learning", Question(words=("machine", "learning"))),
        ('"machine learning" now', Question(words=("now",), phrases=(("machine", "learning"),))),
        ('"unclosed phrase', Question(phrases=(("unclosed", "phrase"),))),
        ("“typographic quotes”", Question(phrases=(("typographic", "quotes"),))),
        ('"single"', Question(words=("single",))),
        ("learn* a*", Question(words=("a",), prefixes=("learn",))),
        ("+must -not maybe", Question(words=("maybe",), required=("must",), excluded=("not",))),
        ("-well-known", Question(words=("well", "known"))),
        ("a AND (b OR c) NEAR/3 ^d: {e}", Question(words=("a", "and", "b", "or", "c", "near", "3", "d", "e"))),
        ("", Question()),
        ('*** --- "" +', Question()),
    ],
)
def test_what_is_typed_is_understood(text: str, question: Question) -> None:
    assert replace(parse(text), language="") == question


@given(st.text(max_size=300))
def test_nothing_typed_is_an_error(text: str) -> None:
    parse(text).for_store(DocumentFilter())


def test_stop_words_count_only_when_there_is_nothing_else() -> None:
    assert parse("what is the matter").for_store(DocumentFilter()).words == ("matter",)
    assert parse("to be or not to be").for_store(DocumentFilter()).words == ("to", "be", "or", "not")


def test_a_correction_keeps_the_rest_as_typed() -> None:
    changes = {"machne": "machine"}
    assert corrected('Machne "LEARNING" +x', changes) == 'machine "LEARNING" +x'
    assert with_changes(parse('machne "machne learning"'), changes) == parse('machine "machine learning"')
