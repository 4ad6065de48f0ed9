"""Markdown to plain text and back to offsets."""

from __future__ import annotations

from mcp_web.read.html import to_html
from mcp_web.read.plain import strip, to_plain
from mcp_web.text.inline import inline_text

PAGE = """# Title **bold** #

A [link](https://x.example/a_(b)) with `code *kept*`, *emphasis* and snake_case_name.[^1]

> quoted __strong__ text

- one
- two

| a | b |
|---|---|
| 1 | 2 |

```py
x = "*raw*"
```
"""


def test_markup_goes_and_words_stay():
    text = to_plain(PAGE)
    assert text.startswith("Title bold\n\nA link with code *kept*, emphasis and snake_case_name.")
    assert "quoted strong text" in text
    assert "- one\n- two" in text
    assert "a | b\n1 | 2" in text
    assert 'x = "*raw*"' in text
    assert "```" not in text


def test_every_plain_character_leads_back_to_itself():
    stripped = strip(PAGE)
    for at, char in enumerate(stripped.text):
        assert PAGE[stripped.source(at)] == char
        assert stripped.plain(stripped.source(at)) == at


def test_a_backtick_in_one_item_or_row_begins_no_code_that_ends_in_another():
    items = "- The ` key\n- Replace `<name>` with *yours*\n  - and ` too\n  - then `<file>`"
    assert to_plain(items) == "- The ` key\n- Replace <name> with yours\n  - and ` too\n  - then <file>"
    assert "<name>" in strip(items).text
    table = "| key | use |\n| --- | --- |\n| ` | code |\n| x | `<name>` |"
    assert to_plain(table).endswith("` | code\nx | <name>")


def test_inline_strips_one_line():
    assert inline_text("`run()` and [docs](https://x.example)") == "run() and docs"
    assert inline_text("2 * 3 * 4 = 24") == "2 * 3 * 4 = 24"


def test_html_shows_raw_html_instead_of_passing_it_on():
    html = to_html("# T\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n\n| a |\n|---|\n| 1 |\n")
    assert "<h1>T</h1>" in html
    assert "<script>" not in html
    assert 'href="javascript' not in html
    assert "<table>" in html
