# ruff: noqa: E501 (a page a line)
"""Links: absolute, safe, listed once."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("other.html", "https://docs.example.org/guide/other.html"),
        ("../up.html?q=1#f", "https://docs.example.org/up.html?q=1#f"),
        ("/root", "https://docs.example.org/root"),
        ("//cdn.example.org/x", "https://cdn.example.org/x"),
        ("copy/https://a.example/", "https://docs.example.org/guide/copy/https://a.example/"),
        ("#part", "https://docs.example.org/guide/page.html#part"),
        ("https://a.example/b c", "https://a.example/b%20c"),
        ("https://a.example/b_(c)", "<https://a.example/b_(c)>"),
        ("https://a.example/b)x", "<https://a.example/b)x>"),
        ("https://a.example/&gt;x&lt;", "https://a.example/%3Ex%3C"),
        (" https://a.example/x\n", "https://a.example/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ],
)
def test_target_is_absolute_and_cannot_leave_the_link(md, href: str, target: str) -> None:
    assert md(f'<p><a href="{href}">t</a></p>') == f"[t]({target})"


@pytest.mark.parametrize(
    "href",
    ["javascript:alert(1)", "JaVaScRiPt:x", "java\nscript:x", " \x01javascript:x", "data:text/html,x", "vbscript:x", "blob:x", ""],
)  # fmt: skip
def test_dangerous_targets_leave_only_the_text(md, href: str) -> None:
    assert md(f'<p>a <a href="{href}">t</a> b</p>') == "a t b"


def test_each_url_is_listed_once_in_order(written) -> None:
    result = written('<a href="/b">B</a> <a href="/a(1)">A</a> <a href="/b">again</a>')
    assert [(link.text, link.url) for link in result.links] == [
        ("B", "https://docs.example.org/b"),
        ("A", "https://docs.example.org/a(1)"),
    ]


def test_brackets_in_a_link_text_do_not_end_it(md) -> None:
    assert md('<a href="/x">a]b</a>') == "[a\\]b](https://docs.example.org/x)"
    assert md('<a href="/x">[1]</a>') == "[[1]](https://docs.example.org/x)"


def test_a_word_that_means_permalink_elsewhere_is_text_here(md) -> None:
    assert md('<p>the <a href="/x#y">link</a></p>') == "the [link](https://docs.example.org/x#y)"


def test_lazy_images_show_their_real_address(md) -> None:
    assert md('<img src="data:image/gif;base64,x" data-src="/a.png" alt="A">', include_images=True) == (
        "![A](https://docs.example.org/a.png)"
    )
    assert md('<img srcset="/s.png 300w, /l.png 900w" alt="B">', include_images=True).endswith("/l.png)")


def test_images_are_listed_but_not_written_unless_wanted(written) -> None:
    result = written('<p>a <img src="/a.png" alt="A"> b</p>')
    assert result.markdown == "a b"
    assert [image.url for image in result.images] == ["https://docs.example.org/a.png"]


def test_emoji_image_is_its_character(md) -> None:
    assert md('<p>ok <img class="emoji" src="/1f600.png" alt="😀"></p>') == "ok 😀"


def test_videos_and_posts_become_links(md) -> None:
    assert md('<iframe src="https://www.youtube.com/embed/abcdefghijk?rel=0"></iframe>') == (
        "[Video: youtube.com](https://www.youtube.com/watch?v=abcdefghijk)"
    )
    assert md('<iframe src="https://ads.example/frame"></iframe>') == ""
    assert md('<video><source src="/v.mp4">old browser</video>') == (
        "[Video: docs.example.org](https://docs.example.org/v.mp4)"
    )


def test_listed_texts_are_plain(written) -> None:
    result = written('<p><a href="/a"><code>Vec&lt;T&gt;</code> and *all*</a></p>')
    assert [link.text for link in result.links] == ["Vec<T> and *all*"]


def test_picture_that_links_what_words_link_too_says_nothing(md) -> None:
    card = '<div><a href="/one"><img src="1.jpg" alt="Rams at work"></a><p><a href="/one">How rams work</a></p></div>'
    assert md(card) == "[How rams work](https://docs.example.org/one)"


def test_picture_that_alone_links_a_page_names_the_link(md) -> None:
    assert (
        md('<p><a href="/one"><img src="1.jpg" alt="Rams at work"></a></p>')
        == "[Rams at work](https://docs.example.org/one)"
    )


def test_picture_that_links_its_own_large_form_is_no_link(md) -> None:
    assert md('<p>Seen.</p><p><a href="/large/1.JPG?w=2000"><img src="1.jpg" alt="Rams at work"></a></p>') == "Seen."


def test_pictures_that_turn_the_pages_of_a_manual_are_left_out(md) -> None:
    html = '<p>Seen.</p><p><a href="a.html"><img src="u.png" alt="[Up]"></a> <a href="b.html"><img src="n.png" alt="&lt;- Next"></a></p>'
    assert md(html) == "Seen."


@pytest.mark.parametrize(
    "html",
    [
        '<iframe src="http://[youtu"></iframe>',
        '<video src="http://[v"></video>',
        '<img src="https://[latex">',
        '<a href="http://[x">link</a>',
    ],
)
def test_page_with_an_impossible_address_is_read(md, html: str) -> None:
    assert "Kept text" in md(f"<p>Kept text {html}</p>")


def test_character_of_an_image_starts_no_markup(md) -> None:
    assert md('<p><img src=a alt="`·"> a <img src=b alt="`·"></p>') == "\\`· a \\`·"
