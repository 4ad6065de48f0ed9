from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.archive.query import Question, corrected, parse, with_changes
from mcp_web.store.protocol import DocumentFilter
from mcp_web.text.names import Name

NOT_KNOWN = Name("notknown", ("not", "known", "notknown"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Machine learning", Question(words=("machine", "learning"))),
        ('"machine learning" now', Question(words=("now",), phrases=(("machine", "learning"),))),
        ('"unclosed phrase', Question(phrases=(("unclosed", "phrase"),))),
        ("“typographic quotes”", Question(phrases=(("typographic", "quotes"),))),
        ('"single"', Question(words=("single",))),
        ("learn* a*", Question(words=("a",), prefixes=("learn",))),
        ("+must -not maybe", Question(words=("maybe",), required=("must",), excluded=(("not",),))),
        ('networks -"machine learning"', Question(words=("networks",), excluded=(("machine", "learning"),))),
        ('networks -"learning"', Question(words=("networks",), excluded=(("learning",),))),
        ('-"machine learning"', Question(phrases=(("machine", "learning"),))),
        ('"a graph"-"a tree"', Question(phrases=(("a", "graph"), ("a", "tree")))),
        ("観光 -東京都", Question(words=("観光",), excluded=(("東京", "京都"),))),
        ('networks - "machine learning"', Question(words=("networks",), phrases=(("machine", "learning"),))),
        ("not-known x", Question(words=("not", "known", "x"), compounds=("notknown",), names=(NOT_KNOWN,))),
        (
            "clone --depth -v",
            Question(words=("clone", "depth", "v"), names=(Name("depth", ("depth",)), Name("v", ("v",)))),
        ),
        ("-depth", Question(words=("depth",), names=(Name("depth", ("depth",)),), only_identifiers=True)),
        ("sort", Question(words=("sort",), names=(Name("sort", ("sort",)),))),
        ("sort AND CSV", Question(words=("sort", "and", "csv"), names=(Name("csv", ("csv",)),))),
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


@pytest.mark.parametrize(
    ("text", "is_name", "only_identifiers"),
    [
        ("os.path.join", True, True),
        ("KeyError ValueError", True, True),
        ("print", True, False),
        ("KeyError in a dict", False, False),
        ("a b", False, False),
    ],
)
def test_a_question_may_be_a_name_alone(text: str, is_name: bool, only_identifiers: bool) -> None:
    question = parse(text)
    assert (question.is_name, question.only_identifiers) == (is_name, only_identifiers)


def test_a_correction_keeps_the_rest_as_typed() -> None:
    changes = {"machne": "machine"}
    assert corrected('Machne "LEARNING" +x', changes) == 'machine "LEARNING" +x'
    assert with_changes(parse('machne "machne learning"'), changes) == parse('machine "machine learning"')
