# ruff: noqa: E501 (a page a line)
"""Footnotes: references and definitions meet under one label."""

from __future__ import annotations

import pytest

EXPECTED = "Text.[^1] More.\n\n[^1]: The note."


@pytest.mark.parametrize(
    "html",
    [
        '<p>Text.<sup id="fnref1"><a href="#fn1">1</a></sup> More.</p><ol><li id="fn1"><p>The note. <a href="#fnref1">↩</a></p></li></ol>',
        '<p>Text.<a href="#fn:a" id="fnref:a" class="footnote-ref">[1]</a> More.</p><div class="footnotes"><ol><li id="fn:a">The note.<a class="footnote-backref" href="#fnref:a">↩︎</a></li></ol></div>',
        '<p>Text.<a class="footnote-reference" href="#id2" id="id1" role="doc-noteref">[1]</a> More.</p><aside class="footnote" id="id2"><span class="label">[<a role="doc-backlink" href="#id1">1</a>]</span><p>The note.</p></aside>',
        '<p>Text.<a class="footnote-reference" href="#id2" id="id1">1</a> More.</p><dl class="footnote"><dt class="label" id="id2"><a class="fn-backref" href="#id1">1</a></dt><dd><p>The note.</p></dd></dl>',
        '<p>Text.<a class="footnote-reference" href="#id2" id="id1">[1]</a> More.</p><table class="footnote" id="id2"><tr><td class="label"><a class="fn-backref" href="#id1">[1]</a></td><td>The note.</td></tr></table>',
        '<p>Text.<a name="r1" href="#Footnote_1"><span>1</span></a> More.</p><p><a name="Footnote_1" href="#r1">1</a> The note.</p>',
        '<p>Text.<sup class="footnote">[<a id="r1" class="footnote" href="#d1">1</a>]</sup> More.</p><div class="footnote" id="d1"><a href="#r1">1</a>. The note.</div>',
        '<p>Text.<sup><a href="#fn-a" id="ref-a">1</a></sup> More.</p><ol><li id="#fn-a"><p>The note. <a href="#ref-a">↩</a></p></li></ol>',
        "<p>Text.<sup>1</sup> More.</p><hr><p><sup>1</sup> The note.</p>",
    ],
)  # fmt: skip
def test_note_is_written_the_markdown_way(md, html: str) -> None:
    assert md(html).replace("---\n\n", "") == EXPECTED


def test_every_reference_to_a_note_shares_its_label(md) -> None:
    html = '<p>a<sup><a href="#fn9">*</a></sup> b<sup><a href="#fn9">*</a></sup></p><p id="fn9">* Once.</p>'
    assert md(html).startswith("a[^1] b[^1]")


def test_numbers_that_link_elsewhere_stay_links(md) -> None:
    assert "[^" not in md('<p>see <a href="#thm">1</a></p><h3 id="thm">Theorem 1</h3><p>Text.</p>')


def test_long_notes_keep_their_blocks(md) -> None:
    html = '<p>a<sup><a href="#fn1">1</a></sup></p><ol><li id="fn1"><p>One.</p><pre>x</pre></li></ol>'
    assert md(html).endswith("[^1]: One.\n\n    ```\n    x\n    ```")


def test_notes_under_headings_that_hold_their_numbers(md) -> None:
    html = (
        '<p>It opens<a id="DOCF2" href="#FOOT2"><sup>2</sup></a>.</p><div class="footnote"><hr><h4>Footnotes</h4>'
        '<h5><a id="FOOT2" href="#DOCF2">(2)</a></h5><p>When the limit is reached.</p></div>'
    )
    assert md(html) == "It opens[^2].\n\n---\n\n#### Footnotes\n\n[^2]: When the limit is reached."


def test_entries_of_a_definition_list_that_are_no_notes_are_kept(md) -> None:
    html = (
        '<p>It opens<a id="r1" href="#fn1"><sup>1</sup></a>.</p><dl><dt><a href="#r1">1</a></dt><dd id="fn1">At dawn.</dd>'
        "<dt>[2]</dt><dd>Nothing refers to this.</dd><dt>lock</dt><dd>A gate.<dl><dt>weir</dt><dd>A dam.</dd></dl></dd></dl>"
    )
    assert md(html) == (
        "It opens[^1].\n\n[^1]: At dawn.\n\n[2]\n\nNothing refers to this.\n\nlock\n\nA gate.\n\nweir\n: A dam."
    )


def test_note_that_refers_to_another_keeps_the_number(md) -> None:
    html = (
        '<p>a<a id="r1" href="#fn1"><sup>1</sup></a> b<a id="r2" href="#fn2"><sup>2</sup></a></p><ol>'
        '<li id="fn1">One. <a href="#r1">↩</a></li><li id="fn2">As in <a href="#fn1">1</a>. <a href="#r2">↩</a></li></ol>'
    )
    assert md(html).endswith("[^2]: As in [1](https://docs.example.org/guide/page.html#fn1).")


def test_reference_to_a_page_with_a_shorter_name_is_a_link(md) -> None:
    assert md('<p>a<sup><a href="e.html#n1">1</a></sup></p><p id=n1>1 Text.</p>').startswith("a[1](")
    assert md('<p>a<sup><a href="page.html#n1">1</a></sup></p><p id=n1>1 Text.</p>').startswith("a[^1]")
