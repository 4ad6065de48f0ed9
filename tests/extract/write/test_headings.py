"""Headings: clean lines with offsets and anchors."""

from __future__ import annotations

import pytest
from tests.extract.reading import read


@pytest.mark.parametrize(
    "html",
    [
        '<h2 id="a">Title<a class="headerlink" href="#a">¶</a></h2>',
        '<h2 id="a"><a class="anchor" href="#a" aria-hidden="true">#</a>Title</h2>',
        '<h2 id="a"><a href="#a">Title</a></h2>',
        '<h2 id="a"><a class="doc-anchor" href="#a">§</a>Title</h2>',
        '<h2><a id="a"></a>Title <a href="#a">🔗</a></h2>',
        '<h2><a name="a"></a><strong>Title</strong></h2>',
        '<section id="a"><h2>Title<a href="#a" class="hash-link">​</a></h2></section>',
        '<a id="a"></a><h2>Title</h2>',
        '<h2 id="a"><span>Title</span><a href="#a"><svg></svg></a></h2>',
        '<h2 id="a">\n  Title\n  <a class="permalink" href="#a">Permalink</a></h2>',
    ],
)
def test_permalink_signs_are_left_out_and_the_anchor_kept(written, html: str) -> None:
    result = written(html)
    assert result.markdown == "## Title"
    assert [(heading.level, heading.text, heading.anchor) for heading in result.headings] == [(2, "Title", "a")]


def test_offsets_point_at_the_headings_after_cleaning(written) -> None:
    result = written("<p>a\u200bb</p><h1>One</h1><p>x\u202ey</p><blockquote><h2>Two <code>c</code></h2></blockquote>")
    assert [result.markdown[heading.start :].split("\n")[0] for heading in result.headings] == ["# One", "## Two `c`"]
    assert [heading.text for heading in result.headings] == ["One", "Two c"]


def test_bold_in_a_heading_is_not_repeated(md) -> None:
    assert md("<h3><b>Bold</b> <i>it</i></h3>") == "### Bold *it*"


def test_card_carries_its_link_in_the_heading(md) -> None:
    html = '<a href="/p"><div><h3>Post</h3><p>About it.</p></div></a>'
    assert md(html) == "### [Post](https://docs.example.org/p)\n\nAbout it."


@pytest.mark.parametrize(("title", "line"), [("C#", "## C#"), ("F# and C#", "## F# and C#"), ("Part #", "## Part")])
def test_sharp_is_part_of_a_name(md, title: str, line: str) -> None:
    assert md(f"<h2>{title}</h2>") == line


def test_elements_of_a_pages_own_making_are_inline_unless_they_hold_blocks(md) -> None:
    assert md("<p><x-emoji>🚀</x-emoji> go</p>") == "🚀 go"
    assert md("<x-card><h3>T</h3><p>x</p></x-card>") == "### T\n\nx"


def test_heading_that_links_its_own_place_by_the_pages_address_is_only_text(md) -> None:
    assert md('<h2><a href="page.html#a">Title</a></h2><a href="#b"><h3>Part</h3></a>') == "## Title\n\n### Part"


def test_sections_that_a_quote_element_only_indents_are_not_quoted(md) -> None:
    html = (
        "<blockquote><h1>Questions</h1><h3>Is it free?</h3><p>It is.</p></blockquote><blockquote>Said he.</blockquote>"
    )
    assert md(html) == "# Questions\n\n### Is it free?\n\nIt is.\n\n> Said he."


@pytest.mark.parametrize(
    ("url", "anchor"), [("https://e.org/A_(b)", "t"), ("https://e.org/a", "f()"), ("https://e.org/a|b", "t")]
)
def test_link_of_a_heading_to_itself_is_left_out_whatever_its_address(url: str, anchor: str) -> None:
    page = f'<h2 id="{anchor}"><a href="#{anchor}">Title</a></h2><p>Text.</p>'
    assert read(page, "text/html", url).markdown == "## Title\n\nText."
