# ruff: noqa: E501 (a page a line)
"""Tables stay tables: spans filled, cells on one line, layout dissolved."""

from __future__ import annotations


def test_header_and_rows_are_piped(md) -> None:
    html = "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    assert md(html) == "| A | B |\n| --- | --- |\n| 1 | 2 |"


def test_spans_keep_columns_aligned(md) -> None:
    html = (
        "<table><tr><th colspan=2>AB</th><th>C</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr>"
        "<tr><td>4</td><td>5</td></tr></table>"
    )
    assert md(html).split("\n") == ["| AB |  | C |", "| --- | --- | --- |", "| 1 | 2 | 3 |", "|  | 4 | 5 |"]


def test_absurd_spans_are_clamped(md) -> None:
    html = "<table><tr><td colspan=100000000>a<td rowspan=100000000>b</tr><tr><td>c<td>d</tr></table>"
    assert max(len(line) for line in md(html).split("\n")) < 3000


def test_pipes_and_breaks_stay_inside_their_cell(md) -> None:
    html = "<table><tr><th>a|b<th>c</tr><tr><td><code>x|y</code><td>one<br>two<p>three</tr></table>"
    assert md(html).split("\n")[2] == "| `x\\|y` | one<br>two<br>three |"


def test_list_in_a_cell_is_flattened(md) -> None:
    html = "<table><tr><th>a<th>b</tr><tr><td>x<td><ul><li>p<li>q</ul></tr></table>"
    assert md(html).split("\n")[2] == "| x | - p<br>- q |"


def test_layout_table_is_dissolved(md) -> None:
    html = "<table role=presentation><tr><td><h2>T</h2><p>text</p></td><td><p>more</p></td></tr></table>"
    assert md(html) == "## T\n\ntext\n\nmore"


def test_table_around_tables_becomes_its_parts(md) -> None:
    inner = "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
    assert md(f"<table><tr><td>left</td><td>{inner}</td></tr><tr><td>low</td><td>x</td></tr></table>") == (
        "left\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nlow\n\nx"
    )


def test_caption_stands_above(md) -> None:
    html = "<table><caption>Sizes</caption><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
    assert md(html).startswith("*Sizes*\n\n| A")


def test_data_table_that_holds_tables_becomes_a_list(md) -> None:
    inner = "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
    html = f"<table><tr><th>Name</th><th>Sizes</th></tr><tr><td>x</td><td>{inner}</td></tr></table>"
    assert md(html) == "- Name\n\n  Sizes\n\n- x\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |"


def test_heading_row_parts_the_table(md) -> None:
    html = "<table><tr><td colspan=2><h2>Public</h2></td></tr><tr><td>int</td><td>f()</td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert md(html) == "## Public\n\n| int | f() |\n| --- | --- |\n| a | b |"


def test_grid_with_the_roles_of_a_table_is_a_table(md) -> None:
    row = "<div role=row><span role=cell>{}</span><span role=cell>{}</span></div>"
    head = "<div role=row><span role=columnheader>Part</span><span role=columnheader>Price</span></div>"
    html = f"<div role=table>{head}{row.format('Valve', 3)}{row.format('Pipe', 2)}</div>"
    assert md(html) == "| Part | Price |\n| --- | --- |\n| Valve | 3 |\n| Pipe | 2 |"


def test_grid_with_words_outside_its_cells_keeps_them(md) -> None:
    html = "<div role=grid><div role=row><b role=cell>a</b><b role=cell>b</b></div><div role=row>c <b role=cell>d</b></div></div>"
    assert "c" in md(html)


def test_row_that_only_holds_a_fold_is_written_between_two_tables(md) -> None:
    rows = "<tr><td>Eq</td><td>By number.</td></tr>"
    fold = "<tr><td colspan=2><details><summary>More</summary><pre>a\nb</pre></details></td></tr>"
    text = md(f"<table>{rows}{fold}{rows}</table>")
    assert text.split("\n\n")[1:3] == ["**More**", "```\na\nb\n```"]
    assert text.count("| --- | --- |") == 2


def test_labels_that_only_their_style_separates_are_words(md) -> None:
    assert md("<p>open <span class=mlabel>static</span><span class=mlabel>virtual</span></p>") == "open static virtual"


def test_single_row_of_facts_stays_together_and_one_of_links_does_not(md) -> None:
    row = "<table><tr><td>message_size_limit</td><td>Use: <i>main</i></td><td>Default: 50M</td></tr></table>"
    assert md(row).splitlines()[0] == "| message_size_limit | Use: *main* | Default: 50M |"
    assert "|" not in md("<table><tr><td><a href=/a>A</a></td><td><a href=/b>B</a></td><td>C</td></tr></table>")


def test_foot_of_a_table_comes_last_wherever_it_is_written(md) -> None:
    html = "<table><thead><tr><th>a<th>b</thead><tfoot><tr><td>3<td>4</tfoot><tbody><tr><td>1<td>2</tbody></table>"
    assert md(html) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    html = "<table><tr><td>1<td>2<thead><tr><th>a<th>b</thead><tbody><tr><td>3<td>4<thead><tr><th>c<th>d</table>"
    assert md(html) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n| c | d |"


def test_cells_after_a_table_in_a_cell_are_still_cells(md) -> None:
    rows = "<div role=row><i role=cell>p</i><i role=cell>q</i></div>" * 2
    html = f"<table><tr><th>a<th>b<tr><td><div role=table>{rows}</div><td><code>List&lt;T></code></table>"
    assert md(html).endswith("| List&lt;T> |")
