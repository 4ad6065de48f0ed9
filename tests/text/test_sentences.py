"""Sentences in every script, with offsets."""

from __future__ import annotations

import pytest

from mcp_web.text.sentences import sentence_around, sentences


def parts(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["It was late.", "Nobody came!", "Why?", "“Because.”", "(So it was.)"],
        ["Dr. Jones met Gov. Smith at 5 p.m. in the U.S. House.", "They talked, e.g. about costs vs. benefits."],
        ["See fig. 3 and no. 5 on pp. 10.", "But no.", "He had won’t.", "It’s theirs."],
        ["Dekalb, Ill. — The Eagles won.", "What? she asked nobody."],
        ["Am 3. Oktober wird gefeiert.", "Das gilt z. B. im Norden bzw. im Süden.", "Es sind 5.", "Nun zwei."],
        ["Театр им. Чехова был закрыт.", "Потом пошёл дождь.", "Зачем?"],
        ["これは文です。", "次の文「はい！」", "終わり？", "はい。"],
        ["यह एक वाक्य है।", "यह दूसरा है॥"],
        ["هل هذا سؤال؟", "نعم."],
        ["Call `a. B()` now.", "See [x. Y](https://a.example/b.C) too.", "Done."],
    ],
)
def test_sentences_end_where_a_reader_would_end_them(expected: list[str]) -> None:
    unspaced = expected[0][-1] in "。"
    assert parts(("" if unspaced else " ").join(expected)) == expected


def test_a_space_ends_a_clause_of_thai_but_not_a_word_of_a_list() -> None:
    clause = "ปั๊มน้ำแบบตะบันน้ำใช้พลังงานจากน้ำที่ไหลลงมาเพื่อส่งน้ำขึ้นที่สูง"
    assert parts(f"{clause} {clause}") == [clause, clause]
    assert len(parts("หนึ่ง สอง สาม สี่")) == 1


def test_sentences_cover_the_text() -> None:
    text = "  One. Two!\n\nThree… Four。Five"
    spans = sentences(text, base=10)
    assert "".join(text[start - 10 : end - 10] for start, end in spans) == text


def test_sentence_around_a_place_is_without_the_space_beside_it() -> None:
    text = "One is here. Two [a link](https://a.example/x.Y) is there. Three."
    start, end = sentence_around(text, text.index("["))
    assert text[start:end] == "Two [a link](https://a.example/x.Y) is there."
    assert sentence_around("", 0) == (0, 0)


@pytest.mark.parametrize("hostile", [". ", ".", "\n", "`", "](", "<", '!"', "。", "A. ", ".\u0e01 ", "\n "])
def test_a_megabyte_of_marks_is_split(hostile: str) -> None:
    text = hostile * (300_000 // len(hostile))
    spans = sentences(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
