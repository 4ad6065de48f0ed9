# ruff: noqa: E501 (a page a line)
"""Admonitions of many generators read the same."""

from __future__ import annotations

import pytest

EXPECTED = "> **Warning**\n>\n> Mind the gap."


@pytest.mark.parametrize(
    "html",
    [
        '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Mind the gap.</p></div>',
        '<div class="theme-admonition theme-admonition-warning admonition_xJq3 alert alert--warning"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg></svg></span>warning</div><div class="admonitionContent_BuS1"><p>Mind the gap.</p></div></div>',
        '<div class="warning custom-block"><p class="custom-block-title">WARNING</p><p>Mind the gap.</p></div>',
        '<div class="markdown-alert markdown-alert-warning"><p class="markdown-alert-title"><svg></svg>Warning</p><p>Mind the gap.</p></div>',
        '<div class="notecard warning"><p><strong>Warning:</strong> Mind the gap.</p></div>',
        '<div class="admonitionblock warning"><table><tr><td class="icon"><div class="title">Warning</div></td><td class="content"><p>Mind the gap.</p></td></tr></table></div>',
        '<div class="warning"><h3 class="title">Warning</h3><p>Mind the gap.</p></div>',
        '<aside class="warning"><p>Mind the gap.</p></aside>',
        '<div class="callout" data-callout="warning"><div class="callout-title"><div class="callout-title-inner">Warning</div></div><div class="callout-content"><p>Mind the gap.</p></div></div>',
        '<div class="alert alert-warning" role="alert">Mind the gap.</div>',
        '<dl class="section warning"><dt>Warning</dt><dd>Mind the gap.</dd></dl>',
        '<div class="rspress-directive warning"><div class="rspress-directive-title">WARNING</div><div class="rspress-directive-content"><p>Mind the gap.</p></div></div>',
    ],
)  # fmt: skip
def test_admonition_is_a_quote_with_a_title(md, html: str) -> None:
    assert md(html).replace("WARNING", "Warning") == EXPECTED


def test_own_title_follows_the_kind(md) -> None:
    html = '<div class="admonition tip"><p class="admonition-title">Save time</p><p>Do less.</p></div>'
    assert md(html) == "> **Tip: Save time**\n>\n> Do less."


def test_code_in_an_admonition_can_be_copied(md) -> None:
    html = '<div class="admonition note"><p class="admonition-title">Note</p><p>Run:</p><pre>x = 1</pre></div>'
    assert md(html) == "> **Note**\n>\n> Run:\n\n```\nx = 1\n```"


def test_part_of_the_page_with_such_a_class_is_no_admonition(md) -> None:
    assert md('<div class="note"><h1>Notes of the day</h1><p>x</p></div>') == "# Notes of the day\n\nx"
    assert md('<div class="info"><p>x</p></div>') == "x"


def test_admonition_set_as_a_table_stays_one_row(md) -> None:
    html = '<div class="tip"><table><tr><td rowspan="2"><img alt="[Tip]"></td><th>Tip</th></tr><tr><td><p>Do less.</p></td></tr></table></div>'
    assert md(html) == "| **Tip** | Do less. |\n| --- | --- |"


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td class='content'>cell</td></tr></table>",
        "<table><tr><td></td><th>head</th></tr><tr><td>cell</td></tr></table>",
    ],
)
def test_text_beside_a_table_in_an_admonition_is_kept(md, table: str) -> None:
    assert "> Visible text" in md(f"<div class='note'><p>Visible text</p>{table}</div>")


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (
            "<p>This text is before it.</p><details><summary>More</summary>x</details>",
            "This text is before it.\n\n**More**\n\nx",
        ),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("<ul><li class=title>A</ul>", "- A"),
    ],
)
def test_heading_of_a_part_is_not_the_title_of_the_admonition(md, inside: str, expected: str) -> None:
    quoted = "\n".join(f"> {line}".rstrip() for line in expected.split("\n"))
    assert md(f"<div class=note>{inside}</div>") == f"> **Note**\n>\n{quoted}"


def test_title_of_an_admonition_is_known_by_the_name_that_both_share(md) -> None:
    html = '<div class="directive {}"><div class="directive-title">{}</div><p>Mind the gap.</p></div>'
    assert md(html.format("info", "INFO")) == "> **Info**\n>\n> Mind the gap."
    assert md(html.format("tip", "Old stations")) == "> **Tip: Old stations**\n>\n> Mind the gap."
    assert md('<div class="info"><div class="card-title">Lamp</div><p>Brass.</p></div>') == "Lamp\n\nBrass."
