"""Text written to keep us busy: everything that reads a page must stay linear. Quadratic code would not end here."""

from __future__ import annotations

import time

import pytest

from mcp_web.read.diff import diff
from mcp_web.read.fragment import fragment
from mcp_web.read.links import numbered
from mcp_web.read.passages import passages
from mcp_web.read.plain import strip, to_plain
from mcp_web.read.quote import verify
from mcp_web.read.window import cut

SIZE = 40_000
PAGES = {
    "brackets": "[" * SIZE,
    "images": "![" * (SIZE // 2),
    "link ends": "](" * (SIZE // 2),
    "nested": "[[x]" * (SIZE // 4),
    "comments": "<!--" * (SIZE // 4),
    "backticks": "".join("`" * n + "a" for n in range(1, 280)),
    "spaces in a heading": "# a" + " " * SIZE + "b",
    "spaces in a table": "|" + " " * SIZE + "x\n|-|",
    "one long word": "a" * SIZE,
    "one long sentence": "word " * (SIZE // 5),
    "quote marks": "> " * (SIZE // 2),
    "rules": "- - " * (SIZE // 4) + "x",
    "underscores": "_" * SIZE,
    "headings": "# a\n" * (SIZE // 4),
    "wide table": "|a" * (SIZE // 2) + "\n" + "|-" * (SIZE // 2) + "\n|b",
    "blank": "\n" * SIZE,
}


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_is_read_in_linear_time(name):
    text = PAGES[name]
    to_plain(text)
    numbered(text)
    passages(text)
    cut(text, 0, 5000)
    verify(text, ["a quote that is not there"])
    fragment(text, SIZE // 2, SIZE // 2 + 100)
    diff(text, text + " x")


def test_the_text_around_tables_is_not_copied_for_each_of_them():
    tables = "\n\n".join(["| a | b |\n| --- | --- |\n| c | d |"] * 4000)
    code = "```\n" + "word\n" * 1_600_000 + "```"

    def seconds(text: str) -> float:
        begun = time.process_time()
        strip(text)
        return time.process_time() - begun

    assert seconds(f"{tables}\n\n{code}") < 4 * (seconds(tables) + seconds(code))
