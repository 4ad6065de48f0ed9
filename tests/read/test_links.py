"""How links are shown."""

from __future__ import annotations

from mcp_web.model.page import Link
from mcp_web.read.links import numbered, reference_list, text_only

TEXT = (
    "See [the *guide*](https://a.example/g(1)) and [again](https://a.example/g(1)), "
    '`[code](x)` or [b](<https://b.example/> "title").\n\n```\n[kept](as-is)\n```\n'
)


def test_links_are_numbered_once_per_address():
    text, links = numbered(TEXT)
    assert "[the *guide*][1] and again" in text
    assert "[b][2]" in text
    assert links == (Link("the guide", "https://a.example/g(1)"), Link("b", "https://b.example/"))


def test_code_is_untouched():
    for text in (numbered(TEXT)[0], text_only(TEXT)):
        assert "`[code](x)`" in text
        assert "[kept](as-is)" in text


def test_text_only_leaves_the_words():
    assert text_only(TEXT).startswith("See the *guide* and again, ")


def test_reference_list_is_markdown():
    assert reference_list(numbered(TEXT)[1]).splitlines()[0] == "[1]: https://a.example/g(1)"


def test_images_and_escaped_brackets_stay():
    text = r"![alt](https://i.example/x.png) \[not](a-link) [unclosed"
    assert numbered(text)[0] == text


def test_image_inside_a_link_keeps_its_alt_as_label():
    _, links = numbered("[![Logo](https://i.example/l.png)](https://a.example/)")
    assert links == (Link("Logo", "https://a.example/"),)


def test_many_unclosed_brackets_take_linear_time():
    assert numbered("[" * 20_000)[1] == ()


def test_places_on_the_same_page_stay_as_their_text():
    text, _ = numbered("[a](#x) [b](https://a.example/p#y) [c](https://a.example/q#y)", "https://a.example/p")
    assert text == "a b [c][1]"


def test_links_beyond_the_most_stay_as_their_text():
    text, links = numbered("[a](https://a.example/) [b](https://b.example/)", most=1)
    assert text == "[a][1] b"
    assert [link.url for link in links] == ["https://a.example/"]


def test_a_signature_with_linked_types_is_one_piece_of_code():
    signature = "`reschedule(when:` [`float`](https://docs.example/f) `|` [`None`](https://docs.example/n)`)`"
    assert text_only(f"{signature}\n\nSee [`a`](/a) [`b`](/b).") == "`reschedule(when: float | None)`\n\nSee `a` `b`."


def test_code_beside_a_link_that_is_left_out_stays_one_code_span():
    text = "`method` [`Pool.`](https://a.example/p#Pool)`dispose()`, `` ` ``[`x`](https://a.example/p#x)"
    assert text_only(text) == "`method` `Pool.dispose()`, `` ` `` `x`"
    assert numbered(text, "https://a.example/p")[0] == "`method` `Pool.dispose()`, `` ` `` `x`"
    assert text_only(r"\`[`x`](https://a.example/p)") == r"\``x`"


def test_a_name_and_its_type_stay_two_words_where_the_link_is_left_out():
    assert text_only("`name`[`string`](https://a.example/string)") == "`name` `string`"
