"""Front matter is read as a YAML parser reads it, as far as people write it."""

from __future__ import annotations

import pytest
import yaml

from mcp_web.text.front_matter import read

LINES = [
    "tags:\n  - one\n  - two words\n  - 'it''s'",
    "tags:\n- one\n- two\ntitle: After the list",
    "tags: [one, 'two, three', \"four\"]",
    "tags: [one,\n  two,\n  three]",
    "title: A title\n  that goes on\n  for three lines",
    'title: "A quoted title: with \\"colons\\"\n  on two lines"',
    "title: 'A quoted # title'  # and a comment",
    "title: A title # and a comment",
    "title:\n  On the next line",
    "description: >-\n  Folded into\n  one line.\n\n  And another.\ntitle: After it",
    "description: |-\n  Line: one\n    indented\n  # line three\ntitle: After it",
    "tags:\n  # a comment\n  - one\n  - an item\n    on two lines",
    "source: https://example.org/a:b#c",
]


@pytest.mark.parametrize("block", LINES)
def test_front_matter_is_read_as_a_yaml_parser_reads_it(block: str) -> None:
    expected = {
        name: tuple(value) if isinstance(value, list) else value for name, value in yaml.safe_load(block).items()
    }
    assert read(f"---\n{block}\n---\ntext") == (expected, "text")


def test_values_stay_text_and_nested_mappings_are_left_out() -> None:
    facts, text = read("\ufeff---\r\nDate: 2024-05-31\r\nauthor:\r\n  name: Ada\r\ndraft: yes\r\n---\r\ntext")
    assert facts == {"date": "2024-05-31", "author": "", "draft": "yes"}
    assert text == "text"


def test_a_text_between_two_rules_is_text() -> None:
    text = "---\nOnly a sentence.\n---\nAnd more."
    assert read(text) == ({}, text)


def test_hostile_front_matter_is_read_without_error() -> None:
    for part in ('"', "'", "[", "- ", "a:\n", "|\n", '\\"', " #", "x: [\"',"):
        read("---\nx: " + part * (20_000 // len(part) - 5) + "\n---\n")
