"""Ranking by words."""

from __future__ import annotations

import numpy as np
import pytest

from mcp_web.index.words import PageWords, page_terms

PASSAGES = [
    "Install the package with pip. It needs Python.",
    "The server listens on a port that you choose.",
    "To choose another port, set the PORT variable before the server starts.",
    "Licences and authors are listed at the end.",
]


def best(query: str, passages: list[str] = PASSAGES) -> int:
    return int(np.argmax(PageWords(passages).scores(query)))


@pytest.mark.parametrize(
    ("query", "place"), [("how do I install it?", 0), ("setting port variables", 2), ("author", 3)]
)
def test_words_find_their_passage_in_any_form(query: str, place: int) -> None:
    assert best(query) == place


def test_words_that_stand_together_count_more() -> None:
    passages = ["a key of silver opens the api door", "get an api key first", "silver key, api door, other things"]
    assert best("api key", passages) == 1


def test_question_without_known_words_scores_nothing() -> None:
    assert PageWords(PASSAGES).scores("zebra xylophone").max() == 0
    assert PageWords(PASSAGES).coverage("zebra xylophone").max() == 0


def test_question_of_stop_words_alone_still_finds_them() -> None:
    words = PageWords(["to be or not to be", "something else entirely"])
    assert words.coverage("zzz to be").shape == (2,)


def test_coverage_is_the_share_of_the_questions_words() -> None:
    coverage = PageWords(PASSAGES).coverage("choose a port")
    assert coverage[2] == pytest.approx(1.0)
    assert coverage[0] == 0


def test_headings_above_a_passage_count() -> None:
    words = PageWords(["Use the flag.", "Use the file."], [("Windows",), ("Linux",)])
    assert int(np.argmax(words.scores("linux"))) == 1


@pytest.mark.parametrize("query", ["heapify", "heapq.heapify", "heapq.heapify()?", "What does heapq.heapify() return?"])
def test_a_name_is_found_where_it_is_defined_before_where_it_is_mentioned(query: str) -> None:
    mentions = "A heap is made with heapq.heapify, and heapq.heapify needs a list. heapify is fast: use heapify."
    definition = "`heapq.heapify(x)`\n\nTransform the list into a heap, in linear time."
    assert best(query, [mentions, definition, mentions + " Again.", "Other functions."]) == 1


@pytest.mark.parametrize(
    ("query", "definition"),
    [
        ("core.bigFileThreshold", "core.bigFileThreshold\n: The size of files that are considered big."),
        ("--depth", "`--depth <n>`\n: Create a shallow clone."),
    ],
)
def test_a_setting_or_flag_is_found_where_it_is_defined(query: str, definition: str) -> None:
    mention = f"See {query}: the option {query} is like the other options, and {query} may be repeated."
    assert best(query, [mention, definition, f"Like {query}."]) == 1


def test_what_continues_a_definition_counts_as_a_part_of_it() -> None:
    texts = ["If the order of the pairs matters, use a list.", "The pairs of parse_qs have an order."]
    assert int(np.argmax(PageWords(texts, [("parse_qs()",), ()]).coverage("order of the pairs of parse_qs"))) == 0


def test_identifiers_and_other_scripts_are_words_too() -> None:
    assert page_terms("ReadTimeout", "en") == (["read", "timeout"], ["readtimeout"])
    assert page_terms("max_results", "en")[0] == page_terms("max results", "en")[0]
    assert best("数据库配置", ["安装软件", "配置数据库的方法", "许可证"]) == 1
    assert "example" not in " ".join(page_terms("see [docs](https://example.org/x)", "en")[0])


@pytest.mark.parametrize(
    ("query", "passages"),
    [
        ("Wann öffnen die Museen?", ["Der Park ist groß und schön.", "Das Museum öffnet um neun Uhr."]),
        ("Когда открываются музеи?", ["Парк очень большой и красивый.", "Музей открывается в девять часов."]),
        ("संग्रहालयों का समय", ["यह उद्यान बहुत बड़ा है।", "संग्रहालय सुबह नौ बजे खुलता है।"]),
        ("متى يفتح المتحف؟", ["الحديقة كبيرة جدا في المدينة.", "يفتح متحف المدينة في التاسعة صباحا."]),
        ("พิพิธภัณฑ์เปิดกี่โมง", ["สวนสาธารณะมีขนาดใหญ่", "เวลาเปิดของพิพิธภัณฑ์คือเก้าโมงเช้า"]),
    ],
)
def test_a_page_is_read_in_its_own_language(query: str, passages: list[str]) -> None:
    assert best(query, passages) == 1


def test_empty_page_answers_nothing() -> None:
    assert len(PageWords([]).scores("anything")) == 0


def test_name_is_found_where_it_is_mentioned_if_only_its_class_major_version_or_last_letter_is_defined() -> None:
    mention = "Since v1.29 lists are sorted by Queue.order, as in the U.S. edition."
    page = PageWords(["The interface has 29 methods.", "It lists objects.", mention], [("v1", "S"), ("Queue",), ()])
    for name in ("v1.29", "Queue.order", "U.S."):
        assert page.coverage(name).tolist()[2] == 1.0
        assert max(page.coverage(name).tolist()[:2]) < 1.0
