"""Quotes are checked against the text."""

from __future__ import annotations

import pytest

from mcp_web.read.quote import Difference, verify

PAGE = """# Report

Opening words.

## Findings

The **committee** found that — in “most” cases — [the method](https://x.example/m) works
well; it isn’t perfect. A second sentence follows with 42 percent more detail than the first one had.

| year | value |
|------|-------|
| 2024 | 17.5  |

- Item one ends here.
"""


def one(quote: str):
    return verify(PAGE, [quote])[0]


def test_exact_quote_has_its_place_and_section():
    check = one("it isn’t perfect")
    assert check.verdict == "exact"
    assert PAGE[check.start : check.end] == check.found == "it isn’t perfect"
    assert check.section_path == ("Report", "Findings")


@pytest.mark.parametrize(
    "quote",
    [
        'the committee found that - in "most" cases - the method works well; it isn\'t perfect.',
        "The committee found that—in most cases—the method   works\nwell",
        "THE COMMITTEE FOUND",
        "2024 17.5",
        "“The committee found that – in ‘most’ cases”".replace("‘", "“").replace("’", "”"),
        "the [method](https://elsewhere.example) works well",
        "The committee found … it isn't perfect",
    ],
)
def test_space_quotes_dashes_case_and_markdown_do_not_count(quote):
    check = one(quote)
    assert check.verdict == "normalised"
    assert PAGE[check.start : check.end] == check.found
    assert check.section_path == ("Report", "Findings")


def test_reworded_quote_shows_the_differing_words():
    check = one("A second sentence follows with 24 percent more detail than the first one had")
    assert check.verdict == "fuzzy"
    assert check.differences == (Difference("24", "42"),)
    assert check.found.startswith("A second sentence")
    assert 0.9 < check.similarity < 1


@pytest.mark.parametrize(
    "quote", ["The committee rejected every single method it was shown", "", "  ", "xyzzy", "mittee"]
)
def test_invented_quote_is_absent(quote):
    check = one(quote)
    assert check.verdict == "absent"
    assert check.start is None


def test_many_quotes_keep_their_order():
    assert [c.verdict for c in verify(PAGE, ["Opening words.", "no such thing here", "opening  words"])] == [
        "exact",
        "absent",
        "normalised",
    ]


def test_parts_far_apart_are_not_one_quote():
    text = "Alpha beta gamma.\n\n" + "filler words here.\n\n" * 400 + "Delta epsilon zeta.\n"
    assert verify(text, ["Alpha beta gamma … Delta epsilon zeta"])[0].verdict == "absent"
