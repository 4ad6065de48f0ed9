"""What an agent sends, and what a tool gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.errors import InvalidInput
from mcp_web.tools.arguments import bind
from mcp_web.tools.sets import tool_named
from mcp_web.tools.tool import Answer, Param, Tool


async def _run(call: object, args: dict[str, object]) -> Answer:
    raise AssertionError("not called here")


TOOL = Tool(
    name="sample",
    title="Sample",
    description="",
    params=(
        Param("query", "array", "What to look for.", required=True, max_items=3, lines=True, max_length=20),
        Param("count", "integer", "How many.", default=10, least=1, most=50),
        Param("raw", "boolean", "Untouched.", default=False),
        Param("mode", "string", "How.", default="auto", choices=("auto", "raw")),
        Param("domains", "array", "Where."),
        Param("min_score", "number", "At least.", least=0, most=1),
        Param("max_chars", "integer", "Size.", default=100),
    ),
    run=_run,
)


def test_defaults_fill_what_is_not_given() -> None:
    args, notes = bind(TOOL, {"query": "a"})
    assert args == {
        "query": ["a"], "count": 10, "raw": False, "mode": "auto", "domains": None, "min_score": None, "max_chars": 100,
    }  # fmt: skip
    assert notes == []


@pytest.mark.parametrize(
    ("sent", "name", "got"),
    [
        ({"count": "7"}, "count", 7),
        ({"count": 7.0}, "count", 7),
        ({"raw": "true"}, "raw", True),
        ({"raw": 0}, "raw", False),
        ({"mode": "RAW"}, "mode", "raw"),
        ({"domains": "a.org, b.org"}, "domains", ["a.org", "b.org"]),
        ({"domains": '["a.org","b.org"]'}, "domains", ["a.org", "b.org"]),
        ({"min_score": ".5"}, "min_score", 0.5),
        ({"maxChars": 5}, "max_chars", 5),
        ({"max-chars": 5}, "max_chars", 5),
        ({"max_length": 5}, "max_chars", 5),
        ({"count": None}, "count", 10),
    ],
)
def test_other_spellings_of_a_value_are_understood(sent: dict[str, object], name: str, got: object) -> None:
    args, _ = bind(TOOL, {"query": "x", **sent})
    assert args[name] == got


@pytest.mark.parametrize("alias", ["q", "question", "queries", "QUERY"])
def test_common_names_for_the_query_are_understood(alias: str) -> None:
    assert bind(TOOL, {alias: "what, is this"})[0]["query"] == ["what, is this"]


def test_the_real_name_wins_over_an_alias() -> None:
    assert bind(TOOL, {"query": "real", "q": "other"})[0]["query"] == ["real"]
    assert bind(TOOL, {"q": "other", "query": "real"})[0]["query"] == ["real"]


def test_a_size_out_of_range_is_clamped_with_a_note() -> None:
    args, notes = bind(TOOL, {"query": "x", "count": 500})
    assert args["count"] == 50
    assert notes == ["count was 500, out of range: 50 was used."]


def test_too_many_items_are_cut_with_a_note() -> None:
    args, notes = bind(TOOL, {"query": ["a", "b", "c", "d"]})
    assert args["query"] == ["a", "b", "c"]
    assert "first 3" in notes[0]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, ["query", "What to look for"]),
        ({"query": ""}, ["query"]),
        ({"query": []}, ["query"]),
        ({"query": {"a": 1}}, ["query", "list"]),
        ({"query": "x" * 21}, ["query", "20 characters"]),
        ({"query": "x", "count": "many"}, ["count", "'many'", "whole number"]),
        ({"query": "x", "count": 1.5}, ["count", "1.5", "whole number"]),
        ({"query": "x", "count": True}, ["count", "whole number"]),
        ({"query": "x", "count": float("nan")}, ["count"]),
        ({"query": "x", "raw": "perhaps"}, ["raw", "'perhaps'", "true or false"]),
        ({"query": "x", "mode": "fast"}, ["mode", "'fast'", "auto, raw"]),
        ({"query": "x", "mdoe": "raw"}, ["mdoe", "Did you mean 'mode'?"]),
        ({"query": "x", "zzzzzz": 1}, ["zzzzzz", "It takes: query"]),
    ],
)
def test_bad_input_names_the_parameter_the_value_and_what_is_allowed(sent: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        bind(TOOL, sent)
    for word in words:
        assert word in caught.value.message


def test_names_that_are_equally_near_to_an_unknown_parameter_are_all_named() -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean 'max_age' or 'max_chars'\?"):
        bind(tool_named("web_open"), {"url": "https://a.example/", "max_tokens": 2000})


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_names = st.sampled_from([param.name for param in TOOL.params]) | st.text(max_size=8)


@given(st.dictionaries(_names, _json, max_size=5))
def test_any_json_is_bound_or_refused_with_a_short_sentence(sent: dict[str, object]) -> None:
    args: dict[str, object] | None = None
    try:
        args, _ = bind(TOOL, sent)
    except InvalidInput as error:
        message = error.message
    if args is None:
        assert len(message) < 400
    else:
        assert set(args) == {param.name for param in TOOL.params}
        assert 1 <= args["count"] <= 50


def test_numbers_and_lists_beyond_all_measure_are_refused_or_clamped_in_one_sentence() -> None:
    with pytest.raises(InvalidInput, match="whole number"):
        bind(tool_named("cache_purge"), {"keep_newest": float("inf")})
    args, _ = bind(tool_named("cache_purge"), {"keep_newest": 10**30})
    assert args["keep_newest"] == 2**53
    args, notes = bind(tool_named("web_open"), {"url": "x", "max_chars": 10**5000})
    assert args["max_chars"] == 100_000
    assert len(notes[0]) < 120
    with pytest.raises(InvalidInput, match="at most 8,000 characters"):
        bind(tool_named("web_batch_open"), {"urls": "[" * 100_000})


def test_an_optional_parameter_left_empty_is_not_given() -> None:
    args, _ = bind(tool_named("archive_search"), {"query": "x", "since": "", "limit": " "})
    assert args["since"] is None
    assert args["limit"] == 10


def test_a_lone_surrogate_becomes_a_mark_that_can_be_written() -> None:
    args, _ = bind(tool_named("archive_search"), {"query": "a\ud800b"})
    assert args["query"].encode()


def test_a_text_without_a_limit_of_its_own_is_not_endless() -> None:
    with pytest.raises(InvalidInput, match=r"'base_url' is 'xxx.*at most 20,000 characters \(it has 10,000,000\)"):
        bind(tool_named("web_extract"), {"html": "<p>x", "base_url": "x" * 10_000_000})


@pytest.mark.parametrize(("name", "argument"), [("web_open", "url"), ("web_read", "url"), ("web_batch_open", "urls")])
def test_a_number_is_not_an_address(name: str, argument: str) -> None:
    with pytest.raises(InvalidInput, match="must be text"):
        bind(tool_named(name), {"query": "x", argument: [2130706433]} if name == "web_read" else {argument: [17]})
