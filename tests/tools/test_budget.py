"""What an answer costs."""

from __future__ import annotations

import random

import pytest

from mcp_web.tools import budget

# Tokens as counted by o200k, cl100k and Claude's public tokenizer (the largest of the three) for texts made as below.
_random = random.Random(1)
WORST = {
    "prose": ("The quick brown fox jumps over the lazy dog. " * 400, 4_001),
    "digits": (" ".join(str(_random.randrange(10**9)) for _ in range(1_000)), 4_000),
    "letters": ("".join(_random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(10_000)), 5_400),
    "marks": ("".join(_random.choice("{}[]()<>;:,.|/*&^%$#@!-+=~") for _ in range(10_000)), 6_600),
    "chinese": ("".join(chr(_random.randrange(0x4E00, 0x9FA5)) for _ in range(3_000)), 7_100),
}


@pytest.mark.parametrize("kind", WORST)
def test_the_estimate_is_not_far_below_what_tokenizers_count(kind: str) -> None:
    text, counted = WORST[kind]
    assert budget.estimate(text) >= counted * budget.AIM / budget.CEILING


def test_ordinary_prose_is_not_overestimated_by_more_than_a_third() -> None:
    text, counted = WORST["prose"]
    assert budget.estimate(text) <= counted * 4 / 3


@pytest.mark.parametrize("kind", WORST)
def test_a_cut_text_fits_and_is_a_beginning(kind: str) -> None:
    text, _ = WORST[kind]
    piece = budget.cut(text, 300)
    assert text.startswith(piece)
    assert 0 < budget.estimate(piece) <= 300


def test_a_cut_falls_between_blocks_where_it_can() -> None:
    text = "\n\n".join(f"Paragraph {number} has a few words in it." for number in range(200))
    assert budget.cut(text, 200).endswith("in it.")


def test_a_text_that_fits_is_left_alone() -> None:
    assert budget.cut("short", 10) == "short"
    assert budget.chars_for("short", 10) == 5
