# ruff: noqa: E501 (a page a line)
"""Lists: nesting, numbers, tasks, terms."""

from __future__ import annotations


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
