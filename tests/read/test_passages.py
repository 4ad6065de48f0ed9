"""Passages: size, wholeness, offsets, and names that stay."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from mcp_web.read.passages import Size, passages
from mcp_web.text.markdown import blocks
from mcp_web.text.sizes import count_words

WORDS = ["river", "stone", "winter", "market", "signal", "paper", "garden", "engine", "letter", "bridge", "copper"]


def prose(dice: random.Random, count: int) -> str:
    said = []
    while count > 0:
        length = min(count, dice.randrange(6, 22))
        said.append(" ".join(dice.choice(WORDS) for _ in range(length)).capitalize() + ".")
        count -= length
    return " ".join(said)


def page(seed: int, sections: int = 12) -> str:
    dice = random.Random(seed)
    parts = ["# A page"]
    for number in range(sections):
        parts.append(f"## Section {number}")
        parts += [prose(dice, dice.randrange(8, 170)) for _ in range(dice.randrange(1, 5))]
        parts.append("```py\n" + "\n".join(f"call({n})" for n in range(dice.randrange(2, 30))) + "\n```")
        parts.append("| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {prose(dice, 5)} |" for n in range(9)))
        parts.append("\n".join(f"- {prose(dice, 12)}" for _ in range(dice.randrange(2, 9))))
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_passages_cover_the_text_and_are_slices_of_it(seed):
    text = page(seed)
    found = passages(text)
    covered = bytearray(len(text))
    for one in found:
        assert one.text == text[one.start : one.end]
        covered[one.start : one.end] = b"x" * (one.end - one.start)
    assert not "".join(char for char, seen in zip(text, covered, strict=True) if not seen).strip()
    assert [one.number for one in found] == list(range(len(found)))


@pytest.mark.parametrize("seed", range(6))
def test_code_tables_and_lists_stay_whole(seed):
    text = page(seed)
    found = passages(text)
    for block in blocks(text):
        if block.kind in ("code", "table", "list"):
            assert any(one.start <= block.start and block.end <= one.end for one in found)


def test_prose_passages_have_about_a_hundred_words():
    found = passages("\n\n".join(prose(random.Random(n), 150) for n in range(40)))
    counts = sorted(count_words(one.text) for one in found)
    assert 100 <= counts[len(counts) // 2] <= 135
    assert counts[-1] <= 130 * 1.2 + 20


def test_neighbours_overlap_by_a_tenth_or_so():
    text = prose(random.Random(1), 3000)
    found = passages(text)
    repeated = sum(max(0, a.end - b.start) for a, b in pairwise(found))
    assert 0.10 <= repeated / len(text) <= 0.18


def test_passages_carry_the_headings_above_them():
    text = f"# Top\n\n## One\n\n{prose(random.Random(1), 60)}\n\n### Deep\n\n{prose(random.Random(2), 60)}\n"
    assert [one.section_path for one in passages(text)] == [("Top", "One"), ("Top", "One", "Deep")]


def test_short_sections_are_read_together_under_their_common_heading():
    text = "# API\n\n" + "\n\n".join(f"## `f{n}`\n\nReturns {n}." for n in range(10))
    found = passages(text)
    assert len(found) <= 2
    assert found[0].section_path == ("API",)


def test_huge_table_is_cut_between_rows():
    rows = [f"| row {n} | {prose(random.Random(n), 8)} |" for n in range(200)]
    text = "| a | b |\n|---|---|\n" + "\n".join(rows)
    found = passages(text)
    assert len(found) > 5
    for one in found:
        assert one.text.startswith("|")
        assert one.text.endswith("|")


def test_huge_list_is_cut_between_items():
    text = "\n".join(f"- {prose(random.Random(n), 30)}\n  more of {n}" for n in range(60))
    for one in passages(text):
        assert one.text.startswith("- ")


def test_changed_paragraph_changes_only_the_passages_near_it():
    dice = random.Random(5)
    paragraphs = [prose(dice, dice.randrange(20, 90)) for _ in range(120)]
    before = {one.digest for one in passages("\n\n".join(paragraphs))}
    paragraphs[60] = "Something else altogether stands here now. " + paragraphs[60][:50]
    after = {one.digest for one in passages("\n\n".join(paragraphs))}
    assert len(after - before) <= 8
    assert len(before) > 60


def test_token_cap_makes_passages_smaller_and_the_contract_size_larger():
    text = prose(random.Random(3), 3000)
    assert all(count_words(one.text) <= 60 for one in passages(text, size=Size.capped(64)))
    assert max(count_words(one.text) for one in passages(text, size=Size.of_tokens(512))) > 300
    assert Size.capped(2000) == Size.capped(None) == Size()


def test_names_are_the_same_on_every_machine():
    text = page(42, sections=3)
    found = passages(text)
    assert [one.digest[:12] for one in found] == GOLDEN
    assert [(one.start, one.end) for one in found][:3] == GOLDEN_OFFSETS


def test_nothing_comes_of_nothing():
    assert passages("") == []
    assert passages("\n\n---\n\n") == []


def test_long_sentence_without_any_stop_is_still_bounded():
    assert max(count_words(one.text) for one in passages("word " * 5000)) <= 200
    assert max(len(one.text) for one in passages("x" * 50_000)) < 3000


GOLDEN = [
    "551f44ef8d26",
    "45cee834effb",
    "582713d56731",
    "b4359f36f3f8",
    "b6e24b619e9b",
    "103abbe49a5f",
    "d2972cad3fc0",
    "3ea7fdad9873",
    "e956fed3d4c7",
    "39f95f9c11ba",
    "82174c61ba9d",
]
GOLDEN_OFFSETS = [(0, 8), (10, 682), (684, 1023)]


@pytest.mark.parametrize(
    "sentence",
    [
        "市立图书馆早上九点开门，晚上很晚才关门。",
        "ห้องสมุดประจำเมืองเปิดเวลาเก้าโมงเช้าและปิดในช่วงค่ำ ",
        "शहर का पुस्तकालय सुबह नौ बजे खुलता है और शाम को देर से बंद होता है। ",
    ],
)
def test_passages_have_one_size_in_every_script(sentence: str) -> None:
    found = passages("\n\n".join(f"{number} " + sentence * 12 for number in range(6)))
    assert all(60 <= count_words(one.text) <= 180 for one in found[:-1])
    assert len(found) > 4


def test_an_endless_sentence_of_an_unspaced_script_is_cut_to_size() -> None:
    assert all(count_words(one.text) <= 180 for one in passages("图书馆早上九点开门" * 300))


def entries(count: int) -> str:
    """An API reference: a signature, then what it does, in lengths that do not fit the size of a passage."""
    parts = ["# Tasks"]
    for number in range(count):
        parts.append(f"`Task.method{number}(timeout: float = 3)`")
        parts.append(
            " ".join(f"Sentence {at} about method{number} says what it returns." for at in range(5 + number % 4))
        )
    return "\n\n".join(parts)


def test_signature_stays_with_its_description() -> None:
    found = passages(entries(20))
    for number in range(20):
        with_signature = [one.text for one in found if f"`Task.method{number}(" in one.text]
        assert with_signature
        assert all(f"Sentence 0 about method{number} " in text for text in with_signature)


def test_passage_inside_an_entry_carries_the_name_of_the_entry() -> None:
    said = prose(random.Random(1), 300)
    parts = ("# API", "`@cached(size=128, *, typed=False)`", said, "**Note**", said, "## More", said)
    text = "\n\n".join(parts)
    found = passages(text)
    assert found[0].entry == ""  # where the signature stands itself
    inside = [one for one in found[1:] if one.section_path == ("API",)]
    assert {one.entry for one in inside} == {"@cached"}
    assert inside[0].above == ("API", "@cached")
    assert {one.entry for one in found if one.section_path == ("API", "More")} == {""}
    assert found[2].digest != passages(text.replace("@cached(", "@stored("))[2].digest


@pytest.mark.parametrize("lead", ["`npm install --save thing`", "**A term**", "Is it so?", f"`{'x' * 300}()`"])
def test_term_question_or_command_is_no_entry(lead: str) -> None:
    text = f"# Page\n\n{lead}\n\n{prose(random.Random(1), 400)}"
    assert {one.entry for one in passages(text)} == {""}


def test_question_stays_with_its_answer() -> None:
    pairs = "\n\n".join(
        f"How does thing {number} work?\n\n" + f"Thing {number} works in this way, as was said. " * 6
        for number in range(12)
    )
    for one in passages(pairs):
        assert not one.text.rstrip().endswith("?")


def test_the_last_line_of_an_entry_stays_with_the_entry() -> None:
    entries = [
        f"`measure_{number}(value)`\n\nReturn the measure {number}. {'It is a whole number. ' * (3 + number % 5)}\n\n"
        f"The *value* has a size, as the {number} items of a list have.\n\nNew in version 3.{number}."
        for number in range(60)
    ]
    page = "# Measures\n\n" + "\n\n".join(entries) + "\n"
    assert not [found for found in passages(page) if page[found.end :].lstrip().startswith("New in version")]


CONTENTS = """# Kettles

How to live with a kettle.

## Table of contents

- [Descaling with vinegar](#descaling)
- [Changing the cord](#cord)
  - [`water()`](#water)
- [Warranty](#warranty)
- [See also](#also)

## Descaling with vinegar

Fill it, boil it, rinse it.

## Changing the cord

These parts are for the cord:

- Descaling with vinegar
- Changing the cord
- Warranty

### `water()`

Heats the water.

## Warranty

Two years.
"""


def test_a_table_of_contents_is_in_no_passage() -> None:
    found = passages(CONTENTS)
    assert found[0].text == "# Kettles\n\nHow to live with a kettle."
    assert found[0].section_path == ("Kettles",)
    assert not any("#descaling" in one.text or "Table of contents" in one.text for one in found)


def test_a_list_of_headings_that_a_sentence_introduces_is_no_table_of_contents() -> None:
    assert any("These parts are for the cord:\n\n- Descaling" in one.text for one in passages(CONTENTS))
