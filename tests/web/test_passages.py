"""Passages are marked in the page made from Markdown, and nothing else of the page changes."""

from __future__ import annotations

import re

import pytest

from mcp_web.web.markdown import Parsed
from mcp_web.web.passages import OWN_QUOTE, merged

PAGE = """# Title

Intro _very_ nice [link](https://a.example/x_y "t") text, and `code`.

## Second **bold** thing

- item one
- item two `code` here
  > quoted words

```python
def f(): pass
```

| a | b |
|---|---|
| 1 | 2 |

Underlined
==========

Foot[^1]. An \\*escape and &amp; an ![image](https://a.example/i.png), ~~struck~~ ***both***.

[^1]: The note _text_.
"""
_MARKS = re.compile(r'</?mark[^>]*>|<span class="asked-by">.*?</span>')


def _html(quote: str, number: int = 1, markdown: str = PAGE) -> str:
    start = markdown.index(quote)
    return Parsed(markdown, merged([(start, start + len(quote), number)])).html({}).html


def _marked(html: str) -> str:
    return "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", html))


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        ("Intro _very_ nice", "Intro very nice"),
        ("_very_ nice [link](https://a.ex", "very nice link"),
        ("nk](https://a.example/x_y", "nk"),
        ("## Second **bold** thing\n\n- item one", "Second bold thingitem one"),
        ("one\n- item two `co", "oneitem two <code>code</code>"),
        ("  > quoted words", "quoted words"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "ab12"),
        ("|---|---|\n| 1 | 2 |\n\nUnderlined\n=====", "12Underlined"),
        ("[^1]: The note _text_.", "The note text."),
    ],
)
def test_a_passage_is_marked_and_the_page_stays_as_it_is(quote: str, marked: str) -> None:
    html = _html(quote)
    assert _marked(html) == marked
    assert _MARKS.sub("", html) == Parsed(PAGE).html({}).html


def test_a_block_of_code_is_marked_as_a_whole() -> None:
    html = _html("```python\ndef f(): pass\n```")
    assert '<div class="cited" id="passage-1"><pre' in html
    assert "<mark" not in html


def test_every_place_of_the_page_can_begin_and_end_a_passage() -> None:
    plain = re.sub(r"\s*(<[^>]*>)\s*", r"\1", Parsed(PAGE).html({}).html)
    for start in range(len(PAGE)):
        html = Parsed(PAGE, merged([(start, min(start + 17, len(PAGE)), 1)])).html({}).html
        without = re.sub(r'<div class="cited"[^>]*>(.*?</pre>\n)</div>', r"\1", _MARKS.sub("", html), flags=re.DOTALL)
        assert re.sub(r"\s*(<[^>]*>)\s*", r"\1", without) == plain, PAGE[start : start + 17]


def test_overlapping_passages_become_one_with_the_numbers_of_both() -> None:
    found = merged([(10, 20, 2), (0, 12, 1), (30, 40, 3), (20, 30, 1)])
    assert [(one.start, one.end, one.numbers) for one in found] == [(0, 20, (1, 2)), (20, 30, (1,)), (30, 40, (3,))]
    html = Parsed("Some words here.", merged([(0, 10, 1), (5, 15, 2)])).html({}).html
    assert '<a href="#asked-1" aria-label="Question 1">1</a><a href="#asked-2"' in html


def test_the_quote_that_is_checked_is_marked_differently_and_has_no_number() -> None:
    html = _html("Intro _very_ nice", OWN_QUOTE)
    assert 'class="quoted"' in html
    assert "asked-by" not in html


def test_only_the_words_of_the_quote_are_marked_differently_in_a_passage_that_an_agent_was_shown() -> None:
    text = "Let the dough rest for two hours. Then bake it."
    html = Parsed(text, merged([(0, 33, 1), (14, 32, OWN_QUOTE)])).html({}).html
    assert re.findall(r'<mark class="(\w+)"[^>]*>(.*?)</mark>', html) == [
        ("cited", "Let the dough"),
        ("quoted", "rest for two hours"),
        ("cited", "."),
    ]
    assert re.findall(r'href="#asked-(\d)"', html) == ["1"]
    assert html.index("asked-by") > html.index("hours")


def test_a_quote_over_two_passages_carries_the_numbers_of_the_one_that_ends_in_it() -> None:
    found = merged([(0, 10, 1), (15, 30, 2), (5, 20, OWN_QUOTE)])
    assert [(one.start, one.end, one.numbers) for one in found] == [(0, 5, (1,)), (5, 20, (0, 1, 2)), (20, 30, (2,))]
    html = Parsed("Some words of a text, and of its end.", found).html({}).html
    assert re.findall(r'href="#asked-(\d)"', html) == ["1", "2"]


def test_signs_that_the_page_contains_itself_mark_nothing() -> None:
    html = Parsed("A \U00010100 sign \U00010101 of the page.").html({}).html
    assert html == "<p>A · sign · of the page.</p>\n"


def test_the_page_cannot_add_elements_through_a_passage() -> None:
    html = _html("<b onclick=x>words</b>", markdown="A <b onclick=x>words</b> here.")
    assert _marked(html) == "&lt;b onclick=x&gt;words&lt;/b&gt;"
