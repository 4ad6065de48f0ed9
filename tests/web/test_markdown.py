"""Kept Markdown as HTML: where its links lead."""

from __future__ import annotations

from mcp_web.web.markdown import Parsed

PAGE = (
    "[one](file:///notes/one.md#part) [lost](file:///notes/lost.md) [`two`](https://a.example/two#end) "
    "[three](https://a.example/three) [script](javascript:alert(1))"
)


def test_links_lead_to_kept_copies_whatever_part_they_point_to() -> None:
    parsed = Parsed(PAGE)
    assert parsed.addresses() == [
        "file:///notes/one.md",
        "file:///notes/lost.md",
        "https://a.example/two",
        "https://a.example/three",
    ]
    html = parsed.html({"file:///notes/one.md": "11", "https://a.example/two": "22"}).html
    assert '<a href="/archive/11" class="kept" title="A copy is kept">one</a>' in html
    assert '<a href="/archive/22" class="kept" title="A copy is kept"><code>two</code></a>' in html
    assert '<a href="https://a.example/three" rel="noreferrer noopener" target="_blank">three</a>' in html


def test_a_link_to_a_file_that_is_not_kept_is_its_text() -> None:
    html = Parsed(PAGE).html({}).html
    assert html.startswith("<p>one lost <a ")
    assert "file:" not in html
    assert 'href="javascript' not in html


def test_an_address_inside_the_text_of_a_link_is_a_link_of_its_own() -> None:
    inner = '<a href="https://a.example/" rel="noreferrer noopener" target="_blank">https://a.example/</a>'
    lost = Parsed("[see <https://a.example/>](file:///notes/lost.md)")
    assert sorted(lost.addresses()) == ["file:///notes/lost.md", "https://a.example/"]
    assert lost.html({}).html == f"<p>see {inner}</p>\n"
    assert inner in Parsed("[see <https://a.example/>](https://b.example/)").html({}).html
