from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.archive.highlight import Highlight, Marker, highlights, holds_phrase
from mcp_web.archive.query import parse
from mcp_web.text.languages import language_of


def _shown(query: str, title: str, text: str) -> dict[str, tuple[str, ...]]:
    return {
        item.field: tuple(one.as_html() for one in item.snippets)
        for item in highlights(Marker(parse(query), "en"), title, text)
    }


def test_the_seeds_example_is_marked_in_title_and_content() -> None:
    shown = _shown(
        "machine learning",
        "Introduction to Machine Learning",
        "Machine learning is a subset of artificial intelligence.",
    )
    assert shown == {
        "title": ("Introduction to <mark>Machine Learning</mark>",),
        "content": ("<mark>Machine learning</mark> is a subset of artificial intelligence.",),
    }


def test_page_text_is_escaped() -> None:
    shown = _shown("alert", "<script>", "<img onerror=alert(1)> & more")["content"][0]
    assert shown == "&lt;img onerror=<mark>alert</mark>(1)&gt; &amp; more"


def test_paragraphs_of_a_snippet_are_one_space_apart() -> None:
    shown = _shown("zebra", "", "A zebra is here.\n\nAnother zebra is there.")["content"]
    assert shown == ("A <mark>zebra</mark> is here. Another <mark>zebra</mark> is there.",)


def test_forms_and_accents_and_prefixes_are_marked() -> None:
    assert _shown("run", "", "She was running.")["content"] == ("She was <mark>running</mark>.",)
    assert _shown("cafe", "", "Das Café.")["content"] == ("Das <mark>Café</mark>.",)
    assert _shown("appl*", "", "an application")["content"] == ("an <mark>application</mark>",)
    assert _shown("日本", "", "私は日本語を話す")["content"] == ("私は<mark>日本</mark>語を話す",)
    assert _shown("art", "", "start of art")["content"] == ("start of <mark>art</mark>",)
    assert _shown("useful", "", "by using it")["content"] == ("by <mark>using</mark> it",)
    assert _shown("probably", "", "the probability")["content"] == ("the <mark>probability</mark>",)


def test_markup_and_link_targets_are_not_shown() -> None:
    shown = _shown("docs", "", '## Head\n\n**See** the [docs](https://docs.example/docs "t") `now`')
    assert shown["content"] == ("See the <mark>docs</mark> now",)


def test_escaped_characters_are_shown_as_themselves() -> None:
    text = r"Its source, [Lib/json/\_\_init\_\_.py](https://e.org/), has 2 \* 3."
    assert _shown("source", "", text)["content"] == ("Its <mark>source</mark>, Lib/json/__init__.py, has 2 * 3.",)


def test_the_piece_with_the_most_words_is_shown_and_a_second_only_for_what_it_adds() -> None:
    filler = "nothing to see here " * 40
    both = _shown("alpha beta", "", f"alpha {filler} alpha beta {filler} beta")["content"]
    assert len(both) == 1
    assert "<mark>alpha beta</mark>" in both[0]
    apart = _shown("alpha beta", "", f"alpha {filler} beta {filler}")["content"]
    assert len(apart) == 2


def test_a_piece_that_begins_or_ends_with_an_ellipsis_gets_no_second_one() -> None:
    filler = "nothing to see here " * 20
    (piece,) = _shown("alpha", "", f"{filler}\n\n... alpha follows")["content"]
    assert piece == "... <mark>alpha</mark> follows"


def test_a_document_found_by_meaning_alone_shows_its_beginning() -> None:
    assert _shown("absent", "Title", "The beginning.") == {"content": ("The beginning.",)}


@given(st.text(max_size=400), st.text(max_size=30))
def test_the_places_of_words_lie_in_the_snippet_in_order(text: str, query: str) -> None:
    for item in highlights(Marker(parse(query), "en"), text, text):
        for snippet in item.snippets:
            assert "".join(part for part, _ in snippet.parts()) == snippet.text
            assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.spans)
            assert all(one[1] < other[0] for one, other in pairwise(snippet.spans))


def test_code_is_shown_as_it_is_written() -> None:
    text = "Push with `heap[*args] | _x_`:\n\n```python\n>>> h = []\n>>> heappush(h, a &lt; b)\n```\n\nThen **pop** it."
    (found,) = highlights(Marker(parse("heappush"), "en"), "", text)
    assert ">>> heappush(h, a &lt; b) Then pop it." in found.snippets[0].text
    (found,) = highlights(Marker(parse("push"), "en"), "", text)
    assert "Push with heap[*args] | _x_:" in found.snippets[0].text


def test_entities_of_the_markdown_are_escaped_once_and_quotes_not_at_all() -> None:
    shown = _shown("retain", "Title", 'pub fn retain&lt;F>(f: "F") where it\'s said')
    assert shown == {"content": ('pub fn <mark>retain</mark>&lt;F&gt;(f: "F") where it\'s said',)}


def test_a_phrase_is_words_side_by_side() -> None:
    assert holds_phrase(("machine", "learning"), "of Machine-\nLearning", "en")
    assert not holds_phrase(("learning", "machine"), "of machine learning", "en")
    assert not holds_phrase(("machine", "learning"), "machine for learning", "en")
    assert holds_phrase(("日本", "本語"), "私は日本語を", "en")
    assert holds_phrase(("東京", "大阪"), "東京 大阪 線", "ja")
    assert not holds_phrase(("東京", "大阪"), "東京都 大阪", "ja")


def test_a_very_long_line_is_no_hardship() -> None:
    assert highlights(Marker(parse("word"), "en"), "", "word " * 200_000)[0] == Highlight(
        "content", highlights(Marker(parse("word"), "en"), "", "word " * 200_000)[0].snippets
    )


def test_names_with_underscores_stay_as_they_are_written() -> None:
    shown = _shown("respect", "Title", "Set MCP_WEB_RESPECT_ROBOTS to _false_ and the rules are off.")
    assert "MCP_WEB_<mark>RESPECT</mark>_ROBOTS to false and" in " ".join(shown["content"])


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        ("haus", "Die alten Häuser der Stadt sind nicht teuer.", "<mark>Häuser</mark>"),
        ("strasse", "Die Straße ist nicht sehr lang und auch nicht breit.", "<mark>Straße</mark>"),
        ("lopen", "Wij hebben gisteren met de kinderen door het bos gelopen.", "<mark>gelopen</mark>"),
        ("книгами", "В библиотеке много книг и газет.", "<mark>книг</mark>"),
        ("كتاب", "يوجد الكتاب في المكتبة", "<mark>الكتاب</mark>"),
        ("भाषाओं", "यह एक पुरानी भाषा है", "<mark>भाषा</mark>"),
        ("หนังสือ", "ห้องสมุดมีหนังสือหลายภาษา", "<mark>หนังสือ</mark>"),
        ("図書館", "市立図書館は九時に開館します", "<mark>図書館</mark>"),
    ],
)
def test_words_of_other_languages_are_marked_in_any_form(question: str, text: str, marked: str) -> None:
    found = highlights(Marker(parse(question), language_of(text)), "", text)
    assert marked in found[0].snippets[0].as_html()
