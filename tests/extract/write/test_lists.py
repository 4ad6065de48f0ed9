# ruff: noqa: E501 (a page a line)
"""Lists: nesting, numbers, tasks, terms."""

from __future__ import annotations

import pytest


def test_nested_lists_are_moved_in(md) -> None:
    assert md("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>") == "- a\n  - b\n    1. c\n- d"


def test_list_without_item_around_it_is_nested(md) -> None:
    assert md("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>") == "- a\n  - b\n- c"
    assert md("<ul><ul><li>a</li></ul><li>b</li></ul>") == "- a\n- b"


def test_numbers_start_where_the_page_says(md) -> None:
    assert md("<ol start=9><li>a<li>b<li value=20>c</ol>") == "9. a\n10. b\n20. c"


def test_blocks_in_items_stand_under_their_item(md) -> None:
    assert md("<ol><li><p>a</p><pre>x\ny</pre></li><li>b</li></ol>") == "1. a\n\n   ```\n   x\n   y\n   ```\n\n2. b"


def test_tasks_keep_their_boxes(md) -> None:
    assert md("<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>") == "- [x] a\n- [ ] b"


def test_terms_and_definitions(md) -> None:
    html = "<dl><dt>a<dt>b<dd>one<dt>c<dd><p>two</p><pre>x</pre></dl>"
    assert md(html) == "a\nb\n: one\n\nc\n: two\n\n  ```\n  x\n  ```"


def test_signatures_are_code_and_their_text_is_not_moved_in(md) -> None:
    html = '<dl class="py function"><dt class="sig sig-object py"><span class="sig-name descname">f</span>(<em>x</em>)</dt><dd><p>Text.</p></dd></dl>'
    assert md(html) == "`f(x)`\n\nText."


def test_term_of_texinfo_without_a_category_is_no_definition(md) -> None:
    html = '<dl><dt><span class="category">: </span><strong>f</strong> <em>(<var>a</var>, <var>b</var>)</em></dt><dd>Text.</dd></dl>'
    assert md(html) == "**f** *(a, b)*\n: Text."


def test_list_that_only_lays_out_sections_is_dissolved(md) -> None:
    assert md("<ul><li><section><h2>A</h2><p>x</p></section></li><li><h2>B</h2></li></ul>") == "## A\n\nx\n\n## B"


def test_type_of_a_parameter_is_told_from_its_name(md) -> None:
    html = '<dl><dt><strong>a</strong><span class="classifier">array_like</span></dt><dd><p>Elements.</p></dd></dl>'
    assert md(html) == "**a** : array_like\n: Elements."
    delimiter = '<span class="classifier-delimiter">:</span>'
    html = f'<dl><dt>max {delimiter} <span class="classifier">int</span></dt><dd><p>Most.</p></dd></dl>'
    assert md(html) == "max : int\n: Most."


def test_checkbox_outside_of_a_list_is_no_task(md) -> None:
    assert md("<p><input type=checkbox> toggle</p>") == "toggle"


def test_text_directly_in_a_list_is_kept(md) -> None:
    assert md("<ul>Intro<li>a<li>b</ul>") == "- Intro\n- a\n- b"
    assert md("<ul><li>a</li>(see below)<li>b</li></ul>") == "- a\n- (see below)\n- b"
    assert md("<ul>Intro<li><h2>A</h2></li></ul>") == "Intro\n\n## A"


def test_content_of_a_definition_list_beside_its_terms_is_kept(md) -> None:
    html = "<dl>Intro<h3>Part</h3><dt>a<dd>one</dd><ul><li>x</ul><div><div><dt>b<dd>two</div></div><div>y<dt>c<dd>three</div></dl>"
    assert md(html) == "Intro\n\n### Part\n\na\n: one\n\n- x\n\nb\n\ntwo\n\ny\n\nc\n: three"
    assert md("<dl><dt>a</dt><dl><dt>b<dd>two</dl></dl>") == "a\n\nb\n: two"
    assert md('<dl><dt class="sig">f()</dt>Text.<dd>More.</dd></dl>') == "`f()`\n\nText.\n\nMore."


def test_paragraph_that_begins_with_a_decimal_number_is_no_nested_list(md) -> None:
    assert md("<ul><li><p>a</p><p>1.5 million</p></li></ul>") == "- a\n\n  1.5 million"


def test_definition_without_term_that_begins_with_code_has_no_blank_lines_before_it(md) -> None:
    assert md("<p>a</p><dl><dd><pre>x</pre></dd></dl>") == "a\n\n  ```\n  x\n  ```"


def test_term_that_is_an_image_is_written_if_images_are(md) -> None:
    assert md("<dl><dt><img src=/i.png alt=A></dt><dd>x</dd></dl>", include_images=True) == (
        "![A](https://docs.example.org/i.png)\n: x"
    )


def test_number_in_other_digits_than_decimal_is_not_read(md) -> None:
    assert md("<ol start=²><li value=²>a<li>b</ol>") == "1. a\n2. b"
    assert (
        md("<table><tr><th colspan=²>a<th rowspan=²>b<tr><td>c<td>d</table>") == "| a | b |\n| --- | --- |\n| c | d |"
    )


def test_text_and_links_beside_the_items_of_a_list_are_items(md) -> None:
    assert (
        md("<ol> <a href=/t>table</a> of events <li>b</li> last </ol>")
        == "1. [table](https://docs.example.org/t) of events\n2. b\n3. last"
    )


@pytest.mark.parametrize(
    ("done", "open_"), [("✓ ", "❏ "), ('<i class="fa fa-check-square-o"></i> ', '<i class="fa fa-square-o"></i> ')]
)
def test_asciidoctor_checklist_is_a_list_of_tasks(md, done: str, open_: str) -> None:
    html = f'<ul class="checklist"><li><p>{done}write</p></li><li><p>{open_}compare</p></li></ul>'
    assert md(html) == "- [x] write\n- [ ] compare"
    assert md("<ul><li>✓ Free shipping</li></ul>") == "- ✓ Free shipping"


def test_name_and_value_in_two_columns_are_two_words(md) -> None:
    assert md('<div><span class="name">Weight</span><span class="value">24 kg</span></div>') == "Weight 24 kg"
    assert md('<p><span class="initial">O</span><span class="rest">nce</span></p>') == "Once"
