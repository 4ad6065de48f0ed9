"""Names in questions, and pages that never mention them."""

from __future__ import annotations

import pytest

from mcp_web.index.words import PageWords, names


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What do four amber flashes on the Kestrel 300 mean?", ["Kestrel", "300"]),
        ("My Aurora display shows E07, what should I do?", ["Aurora", "E07"]),
        ("What replaces Queue.peek in Tidewater 4.2?", ["Queue.peek", "Tidewater", "4.2"]),
        ("How long are Draye's works?", ["Draye"]),
        ("how does useEffect differ from flushSync", ["useEffect", "flushSync"]),
        ("How To Bake Bread In The Morning", []),
        ("Wie hoch ist der Berg in Bayern, und was war im Jahr 1917?", ["1917"]),
        ("2015年に東京で何がありましたか", ["2015"]),
        ("how many wheels did the machine have", []),
        ("Are activities (e.g., visits at 9 a.m., i.e. early) in the U.S. recorded?", ["9", "U.S"]),
        ("Was ist z.B. in Bayern erlaubt, d.h. ohne Antrag?", []),
        ("What is the theme of 'There Is a Way' by Carey?", ["Way", "Carey"]),
    ],
)
def test_names_are_capitalised_words_identifiers_and_numbers(question: str, found: list[str]) -> None:
    assert names(question) == found


def test_method_that_a_page_defines_under_its_class_is_mentioned() -> None:
    page = PageWords(["The class String holds text.", "`strip()`\n\nReturns the text without white space at its ends."])
    assert page.missing_names("What does String.strip() remove?", "String (Java)") == ()
    assert page.missing_names("What does String.title() do?", "String (Java)") == ("String.title",)
    assert page.missing_names("What does String.strip() remove?", "Path (Java)") == ("String.strip",)


def test_version_is_not_mentioned_by_a_heading_for_its_major_version() -> None:
    page = PageWords(["The stable interface has 29 methods.", "The next one is a draft."], [("v1",), ("v2",)])
    assert page.missing_names("Is watch supported in v1.29?") == ("v1.29",)


def test_a_page_about_another_product_does_not_mention_the_name() -> None:
    page = PageWords(["The Kestrel 200 holds one litre of water.", "Use version 4.1 of the firmware."])
    assert page.missing_names("How much water does the Kestrel 300 hold?") == ("300",)
    assert page.missing_names("Does the Kestrel's firmware 4.2 fix it?") == ("4.2",)
    assert page.missing_names("How much water does the Kestrel 300 hold?", "Kestrel 200 and 300") == ()
    season = PageWords(["The season of 2011–12 was long."])
    assert season.missing_names("Who won in the 2011-12 season?") == ()


def test_endings_after_an_apostrophe_are_no_part_of_a_name() -> None:
    assert names("Bilgisayar ilk olarak Türkiye'de ve 1997'den sonra nerede?", "tr") == ["Türkiye", "1997"]
    assert names("Where did O'Neill meet Chopin's sister?") == ["O'Neill", "Chopin"]


def test_a_name_is_found_where_an_item_of_a_list_describes_it() -> None:
    texts = [
        "The signal of a request: a signal is one object, and one signal stops the request and its signal.",
        "Options:\n\n- **method** `string` - The method.\n- **signal** `AbortSignal` (optional) - Stops the request.",
        "- `method`\n- `signal`",
    ]
    assert int(PageWords(texts).scores("signal").argmax()) == 1
    defined = [*texts, "`signal(number)`\n\nCalled when a signal is received, whatever its number."]
    assert int(PageWords(defined).scores("signal").argmax()) == 3
