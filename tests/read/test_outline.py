"""Headings and sections."""

from __future__ import annotations

import pytest

from mcp_web.errors import InvalidInput
from mcp_web.model.page import Heading
from mcp_web.read.outline import path_at, paths, section_range
from mcp_web.text.headings import read_headings, sections

PAGE = """# Guide

Intro.

## Install [¶](#install)

```sh
# not a heading
pip install x
```

## Use `run()`

### Options

- a

  ~~~
  ## nor this
  ~~~

Old Style
---------

Last.
"""


def test_headings_in_code_are_not_headings():
    assert [(h.level, h.text) for h in read_headings(PAGE)] == [
        (1, "Guide"),
        (2, "Install"),
        (2, "Use run()"),
        (3, "Options"),
        (2, "Old Style"),
    ]


def test_heading_offsets_point_at_the_heading():
    for heading in read_headings(PAGE):
        assert heading.text.split()[0] in PAGE[heading.start :].splitlines()[0]


def test_paths_nest_by_level_even_when_levels_are_skipped():
    headings = [Heading(1, "a", 0), Heading(4, "b", 1), Heading(2, "c", 2), Heading(1, "d", 3)]
    assert paths(headings) == [("a",), ("a", "b"), ("a", "c"), ("d",)]


def test_path_at_names_the_headings_above_a_place():
    headings = read_headings(PAGE)
    assert path_at(headings, PAGE.index("- a")) == ("Guide", "Use run()", "Options")
    assert path_at([Heading(1, "later", 10)], 3) == ()


@pytest.mark.parametrize("name", ["Use `run()`", "use run()", "USE RUN", "Use rum()", "Guide > Use run()"])
def test_section_is_found_by_exact_folded_path_and_near_name(name):
    start, end = section_range(PAGE, read_headings(PAGE), name)
    assert PAGE[start:end].startswith("## Use")
    assert "### Options" in PAGE[start:end]
    assert "Old Style" not in PAGE[start:end]


def test_section_runs_to_the_next_heading_of_its_level():
    start, end = section_range(PAGE, read_headings(PAGE), "Guide")
    assert (start, end) == (0, len(PAGE))


def test_unknown_section_names_near_headings():
    with pytest.raises(InvalidInput) as caught:
        section_range(PAGE, read_headings(PAGE), "Optional flags")
    assert "Options" in caught.value.details["page_text"]


def test_page_without_headings_says_so():
    with pytest.raises(InvalidInput, match="no headings"):
        section_range("text", (), "Anything")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("## Usage {#usage}", "Usage"),
        ("## `useEffect(setup)` {/*useeffect*/}", "useEffect(setup)"),
        ('### <a name="volume"></a> Mount volume (-v)', "Mount volume (-v)"),
        ("### [MySQL](https://db.example/mysql)", "MySQL"),
        ("## Install[#](#install)", "Install"),
        ("## C#", "C#"),
        ("## F# ##", "F#"),
    ],
)
def test_a_heading_is_its_words_in_the_outline_and_above_passages(line: str, text: str) -> None:
    page = f"{line}\n\nSome text.\n"
    assert [heading.text for heading in read_headings(page)] == [text]
    assert [path for path, _ in sections(page)] == [(text,)]
