"""Page text cannot become structure, and is not escaped beyond need."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a", "\\# a"),
        ("#hashtag", "#hashtag"),
        ("- a", "\\- a"),
        ("-5 degrees", "-5 degrees"),
        ("1. a", "1\\. a"),
        ("1.5 metres", "1.5 metres"),
        ("2) b", "2\\) b"),
        ("&gt; a", "\\> a"),
        ("---", "\\---"),
        ("===", "\\==="),
        ("~~~", "\\~\\~~"),
        ("snake_case_name", "snake_case_name"),
        ("_x_", "\\_x\\_"),
        ("lib/__init__.py", "lib/\\_\\_init\\_\\_.py"),
        ("snake__case", "snake__case"),
        ("2 * 3", "2 * 3"),
        ("a*b*c", "a\\*b\\*c"),
        ("`x`", "\\`x\\`"),
        ("[1]", "[1]"),
        ("a[0] = b", "a[0] = b"),
        ("[x](y)", "[x\\](y)"),
        ("![x](y)", "![x\\](y)"),
        ("[^1]", "\\[^1]"),
        ("[a]: https://x.example", "\\[a]: https://x.example"),
        ("&lt;b&gt;", "&lt;b>"),
        ("a &lt; b", "a < b"),
        ("AT&amp;T", "AT&T"),
        ("&amp;lt;", "&amp;lt;"),
        ("C:\\dir", "C:\\dir"),
        ("\\*", "\\\\\\*"),
        ("| a | b |", "\\| a | b |"),
    ],
)
def test_text_is_escaped_only_where_it_would_start_a_structure(md, text: str, expected: str) -> None:
    assert md(f"<p>{text}</p>") == expected


def test_text_split_over_elements_makes_no_link(md) -> None:
    assert md("<p>[click]<span>(https://evil.example)</span></p>") == "[click\\](https://evil.example)"


def test_line_after_a_break_starts_no_structure(md) -> None:
    assert md("<p>a<br># b<br>- c</p>") == "a  \n\\# b  \n\\- c"


def test_exclamation_mark_makes_no_image_of_the_link_after_it(md) -> None:
    assert md('<p>Look!<a href="/x">here</a></p>') == "Look! [here](https://docs.example.org/x)"


def test_control_characters_cannot_forge_our_marks(md) -> None:
    assert md("<p>[a]&#2;(https://evil.example)</p>") == "[a\\](https://evil.example)"
    assert "\x00" not in md("<h2>a\x00b</h2>")


def test_fence_is_longer_than_any_inside(md) -> None:
    assert md("<pre>a\n````\nb</pre>").split("\n")[0] == "`````"


def test_inline_code_holds_backticks(md) -> None:
    assert md("<p><code>a`b``c</code> <code>`</code></p>") == "```a`b``c``` `` ` ``"


def test_code_that_looks_like_a_link_stays_as_typed(md) -> None:
    assert md("<p><code>f[0](x)</code></p>") == "`f[0](x)`"


def test_breaks_at_the_ends_of_emphasis_stay_outside_of_its_marks(md) -> None:
    assert md("<p><b>Valves<br></b>open<b><i><br></i></b> and <b><br>close</b></p>") == (
        "**Valves**  \nopen  \nand  \n**close**"
    )


def test_emphasis_inside_the_same_emphasis_is_marked_once(md) -> None:
    assert md("<p><em>(<var>a</var>, <i>b</i>)</em> <b>c <strong>d</strong></b></p>") == "*(a, b)* **c d**"
    assert md("<p><em>a <b>b</b> c</em></p>") == "*a **b** c*"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f](http://evil.example) x", "f\\](http://evil.example) x"),
        ("[a](http://evil.example) x", "\\[a\\](http://evil.example) x"),
        ("foo](bar", "foo\\](bar"),
        ("a\\] b [", "a\\\\\\] b \\["),
        ("a[0]", "a[0]"),
    ],
)
@pytest.mark.parametrize("block", ["", "<p>"])
def test_text_of_a_link_makes_no_other_link(written, block: str, text: str, expected: str) -> None:
    found = written(f'<a href="/x">{block}{text}</a>')
    assert found.markdown == f"[{expected}](https://docs.example.org/x)"
    assert [link.text for link in found.links] == [text]
