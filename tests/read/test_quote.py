"""Quotes are checked against the text."""

from __future__ import annotations

import unicodedata

import pytest

from mcp_web.read.quote import Difference, verify

PAGE = """# Report

Opening words.

## Findings

The **committee** found that — in “most” cases — [the method](https://x.example/m) works
well; it isn’t perfect. A second sentence follows with 42 percent more detail than the first one had.

| year | value |
|------|-------|
| 2024 | 17.5  |

- Item one ends here.
"""


def one(quote: str):
    return verify(PAGE, [quote])[0]


def test_exact_quote_has_its_place_and_section():
    check = one("it isn’t perfect")
    assert check.verdict == "exact"
    assert PAGE[check.start : check.end] == check.found == "it isn’t perfect"
    assert check.section_path == ("Report", "Findings")


@pytest.mark.parametrize(
    "quote",
    [
        'the committee found that - in "most" cases - the method works well; it isn\'t perfect.',
        "The committee found that—in most cases—the method   works\nwell",
        "THE COMMITTEE FOUND",
        "2024 17.5",
        "“The committee found that – in ‘most’ cases”".replace("‘", "“").replace("’", "”"),
        "the [method](https://elsewhere.example) works well",
        "The committee found … it isn't perfect",
    ],
)
def test_space_quotes_dashes_case_and_markdown_do_not_count(quote):
    check = one(quote)
    assert check.verdict == "normalised"
    assert PAGE[check.start : check.end] == check.found
    assert check.section_path == ("Report", "Findings")


@pytest.mark.parametrize(
    "quote",
    [
        "__le__, __lt__ and __hash__ are inherited",
        "`__le__`, `__lt__` and `__hash__` are **inherited**",
        "a pattern “**” matches *args",
        'write <element attr="x"> once',
        "class E: def __iter__(self): ... def __next__(self):",
    ],
)
def test_names_and_signs_that_look_like_markdown_may_be_quoted_as_they_are_read(quote):
    page = (
        "`__le__`, `__lt__` and `__hash__` are *inherited*; a pattern “`**`” matches `*args`; write "
        '`<element attr="x">` once.\n\n```py\nclass E:\n    def __iter__(self): ...\n    def __next__(self):\n```\n'
    )
    assert verify(page, [quote])[0].verdict == "normalised"


@pytest.mark.parametrize(
    "quote", ["an <Object> & a name", "an &lt;Object> & a name", "raised to the power pow is the same"]
)
def test_escaped_signs_and_breaks_in_cells_are_read_as_the_page_shows_them(quote):
    table = "| f | what |\n|---|---|\n| `power` | raised to the power<br>`pow` is the same |\n"
    page = f"Takes an &lt;Object> &amp; a name.\n\n{table}"
    assert verify(page, [quote])[0].verdict == "normalised"


def test_what_was_found_ends_with_a_whole_entity():
    assert verify("Takes *a* name &lt;", ["takes a name <"])[0].found == "Takes *a* name &lt;"


@pytest.mark.parametrize(
    "text", ["Die Küche blieb geöffnet", "Tiếng Việt là ngôn ngữ chính", "한국어 문장이 있다", "カタログがある"]
)
def test_letters_may_be_composed_of_several_characters(text):
    for form, other in (("NFC", "NFD"), ("NFD", "NFC")):
        page = unicodedata.normalize(form, text)
        found = verify(f"# {page}.", [unicodedata.normalize(other, text)])[0]
        assert (found.verdict, found.found) == ("normalised", page)


@pytest.mark.parametrize(
    "quote", ["…that begins in the middle", "that begins in the middle […]", "... in the middle ..."]
)
def test_an_ellipsis_at_the_edge_of_a_quote_leaves_its_words_as_they_are(quote):
    found = verify("A sentence that begins in the middle of a page.", [quote])[0]
    assert (found.verdict, found.differences) == ("normalised", ())
    assert found.found in quote


@pytest.mark.parametrize(
    "quote", ["It costs $1", "It costs $1,000 and 5", "000 and 5.75 percent", "75 percent", "And we can", "we won"]
)
def test_a_part_of_a_number_or_of_a_negation_is_not_what_the_page_says(quote):
    page = "It costs $1,000 and 5.75 percent. And we can’t go, so we won't."
    assert verify(page, [quote])[0].verdict in ("fuzzy", "absent")
    assert verify(page, ["It costs $1,000", "5.75 percent", "And we can't", "we won’t"])[3].verdict == "normalised"


def test_reworded_quote_shows_the_differing_words():
    check = one("A second sentence follows with 24 percent more detail than the first one had")
    assert check.verdict == "fuzzy"
    assert check.differences == (Difference("24", "42"),)
    assert check.found.startswith("A second sentence")
    assert 0.9 < check.similarity < 1


@pytest.mark.parametrize(
    "quote", ["The committee rejected every single method it was shown", "", "  ", "xyzzy", "mittee"]
)
def test_invented_quote_is_absent(quote):
    check = one(quote)
    assert check.verdict == "absent"
    assert check.start is None


def test_many_quotes_keep_their_order():
    assert [c.verdict for c in verify(PAGE, ["Opening words.", "no such thing here", "opening  words"])] == [
        "exact",
        "absent",
        "normalised",
    ]


def test_parts_far_apart_are_not_one_quote():
    text = "Alpha beta gamma.\n\n" + "filler words here.\n\n" * 400 + "Delta epsilon zeta.\n"
    assert verify(text, ["Alpha beta gamma … Delta epsilon zeta"])[0].verdict == "absent"


def check(page: str, quote: str):
    return verify(page, [quote])[0]


@pytest.mark.parametrize(
    ("page", "quote", "hidden"),
    [
        ("The new drug is not safe for small children.", "The new drug is […] safe for small children", "not"),
        (
            "Das Mittel ist für Kinder nicht geeignet und teuer.",
            "Das Mittel ist für Kinder […] geeignet und teuer",
            "nicht",
        ),
        ("Этот метод больше не работает на практике.", "Этот метод больше […] работает на практике", "не"),
        ("这种药物对儿童不安全。", "这种药物对儿童[…]安全", "不"),
    ],
)
def test_an_elision_that_hides_a_negation_is_a_difference(page, quote, hidden):
    found = check(page, quote)
    assert found.verdict == "fuzzy"
    assert found.differences == (Difference("[…]", hidden),)
    assert found.similarity < 1


def test_an_elision_may_leave_out_a_sentence_with_its_negation():
    page = "The method works well. It was not tested on mice. The results are clear to everyone."
    assert check(page, "The method works well. […] The results are clear").verdict == "normalised"


@pytest.mark.parametrize(
    ("page", "quote", "difference"),
    [
        (
            "Sales rose by 15% in the last quarter.",
            "Sales rose by 15 in the last quarter",
            ("", "%"),
        ),
        (
            "Between 10–20 people came to every meeting.",
            "Between 10 20 people came to every meeting",
            ("", "-"),
        ),
        ("It fell to -5 degrees during the night in town.", "It fell to 5 degrees during the night in town", ("", "-")),
        (
            "The ticket costs €5 for every visitor.",
            "The ticket costs $5 for every visitor",
            ("$", "€"),
        ),
    ],
)
def test_signs_that_change_a_statement_are_differences(page, quote, difference):
    found = check(page, quote)
    assert found.verdict == "fuzzy"
    assert found.differences == (Difference(*difference),)


def test_an_ellipsis_binds_to_the_nearest_places():
    page = "The first test failed badly.\n\nThe first test was repeated later and it passed in the end."
    found = check(page, "The first test … passed in the end")
    assert found.verdict == "normalised"
    assert found.found.startswith("The first test was repeated")


@pytest.mark.parametrize(
    "quote",
    [
        "图书馆早上九点\n开门，晚上才关门。",
        "图书馆早上 九点开门，晚上才关门",
        "图书馆早上九点开门,晚上才关门",
    ],
)
def test_space_between_ideographs_and_the_width_of_punctuation_do_not_count(quote):
    assert check("# 标题\n\n图书馆早上九点开门，晚上才关门。读者可以借书。", quote).verdict == "normalised"


def test_a_wrong_ideograph_is_shown_with_the_right_one():
    found = check("图书馆早上九点开门，晚上才关门。", "图书馆早上八点开门，晚上才关门")
    assert found.verdict == "fuzzy"
    assert found.differences == (Difference("八", "九"),)


@pytest.mark.parametrize(
    ("quote", "difference"),
    [
        ("24 percent of all members voted for it", Difference("24", "42")),
        ("of all members voted for it in 1989", Difference("1989", "1998")),
    ],
)
def test_a_wrong_number_at_the_edge_of_a_quote_is_shown_with_the_right_one(quote, difference):
    found = check("Some say that 42 percent of all members voted for it in 1998. Others disagree.", quote)
    assert found.differences == (difference,)


SENTENCES = {
    "english": ("Let the cold dough rest for two hours in a bowl", "stone"),
    "chinese": ("图书馆早上九点开门晚上六点才关门", "八"),
}


@pytest.mark.parametrize("script", SENTENCES)
def test_a_changed_word_is_shown_with_the_source_s_word_wherever_it_stands(script):
    sentence, other = SENTENCES[script]
    space = " " if " " in sentence else ""
    words = sentence.split() if space else list(sentence)
    stop = ". " if space else "。"
    page = f"# Title\n\nBefore it{stop}{sentence}{stop}Behind it{stop}"
    for at, word in enumerate(words):
        found = check(page, space.join([*words[:at], other, *words[at + 1 :]]))
        assert found.verdict == "fuzzy"
        assert found.found == sentence
        assert found.differences == (Difference(other, word.lower()),)


@pytest.mark.parametrize(
    ("quote", "found", "difference"),
    [
        ("Let the dough rest for one hour", "Let the dough rest for two hours", ("one hour", "two hours")),
        ("You let the dough rest for two hours", "Let the dough rest for two hours", ("you", "")),
        ("Let the dough rest for two hours only today", "Let the dough rest for two hours", ("only today", "")),
        ("Always bake it in a hot oven", "Then bake it in a hot oven", ("always", "then")),
        ("Then bake it in a hot stove until done", "Then bake it in a hot oven", ("stove until done", "oven")),
    ],
)
def test_words_at_the_edge_of_a_quote_are_compared_within_the_sentence(quote, found, difference):
    page = "# Bread\n\nLet the dough rest for two hours. Then bake it in a hot oven\n\n- flour\n- water\n"
    checked = check(page, quote)
    assert checked.found == found
    assert checked.differences == (Difference(*difference),)


def test_the_target_of_a_link_does_not_end_a_sentence():
    page = 'Most of them like [the old method](https://x.example/m. "t") very much.'
    assert check(page, "Most of them like the old method very little").differences == (Difference("little", "much"),)
