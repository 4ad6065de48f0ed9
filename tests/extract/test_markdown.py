"""Reading Markdown text: headings with offsets, links, targets made absolute, in linear time."""

from __future__ import annotations

import pytest

from mcp_web.extract.markdown import absolute_targets, fence, read_links, table_of
from mcp_web.text.headings import read_headings

SAMPLE = """Intro

# One `code` and [link](https://x.org/a)

```sh
# not a heading
```

Two
===

    # indented code

### Three ###

- item
---
| a |
---
"""


def test_headings_outside_code_have_the_offset_of_their_line() -> None:
    found = read_headings(SAMPLE)
    assert [(each.level, each.text) for each in found] == [(1, "One code and link"), (1, "Two"), (3, "Three")]
    assert [SAMPLE[each.start :].split("\n")[0] for each in found] == [
        "# One `code` and [link](https://x.org/a)",
        "Two",
        "### Three ###",
    ]


def test_fence_inside_a_longer_fence_stays_code() -> None:
    text = "````\n```\n# no\n```\n````\n# yes"
    assert [each.text for each in read_headings(text)] == ["yes"]


def test_links_are_listed_once_without_images() -> None:
    text = "[a](https://x.org) [b](https://x.org) ![i](https://x.org/i.png) <https://y.org> [![i](https://i.org/x)](https://z.org)"
    assert [link.url for link in read_links(text)] == ["https://x.org", "https://z.org", "https://y.org"]


def test_relative_targets_become_absolute_outside_code() -> None:
    text = '[a](b.md) ![i](img/x.png "t") [![n](n.png)](../up)\n\n```\n[a](b.md)\n```\n\n[ref]: ./r.md\n'
    assert absolute_targets(text, "https://x.org/d/p.md") == (
        '[a](https://x.org/d/b.md) ![i](https://x.org/d/img/x.png "t") '
        "[![n](https://x.org/d/n.png)](https://x.org/up)\n\n```\n[a](b.md)\n```\n\n[ref]: https://x.org/d/r.md\n"
    )


def test_script_targets_are_disarmed() -> None:
    assert absolute_targets("[a](javascript:alert)", "https://x.org") == "[a](#)"


def test_parentheses_in_targets_are_kept() -> None:
    assert read_links("[a](https://x.org/w_(b))")[0].url == "https://x.org/w_(b)"


def test_fence_is_longer_than_any_inside() -> None:
    assert fence("a\n````\nb", "md") == "`````md\na\n````\nb\n`````"


def test_table_cells_cannot_break_the_table() -> None:
    assert table_of([["a|b", "c"], ["d\ne"]]) == "| a\\|b | c |\n| --- | --- |\n| d e |  |"


@pytest.mark.parametrize(
    "piece", ["[", "![", "[](", "](", "# ", "`", "```", "\\", "<", "[a](", "(", "| ", "- \n", "=\n"]
)
def test_a_megabyte_of_one_mark_takes_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    read_headings(text)
    read_links(text)
    absolute_targets(text, "https://x.org/")
