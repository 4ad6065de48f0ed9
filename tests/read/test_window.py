"""Windows tile the text and keep blocks whole."""

from __future__ import annotations

import random

import pytest

from mcp_web.errors import InvalidInput
from mcp_web.read.window import cut
from mcp_web.text.markdown import blocks, with_closed_fence


def windows(text: str, size: int) -> list[str]:
    found, start = [], 0
    while True:
        window = cut(text, start, size)
        assert window.text == text[window.start : window.end]
        assert len(window.text) <= size
        found.append(window.text)
        if window.next_start is None:
            return found
        assert window.next_start > start
        start = window.next_start


def random_page(seed: int) -> str:
    dice = random.Random(seed)
    parts = []
    for _ in range(60):
        words = " ".join(dice.choice(["alpha", "beta.", "gamma", "delta!"]) for _ in range(dice.randrange(3, 80)))
        parts.append(
            dice.choice(
                [
                    words,
                    f"## {words[:20]}",
                    "```\n" + "\n\n".join(words.split()[:12]) + "\n```",
                    "| a | b |\n|---|---|\n"
                    + "\n".join(f"| {n} | {word} |" for n, word in enumerate(words.split()[:9])),
                    "\n".join(f"- {word}" for word in words.split()[:20]),
                ]
            )
        )
    return "\n\n".join(parts)


@pytest.mark.parametrize("seed", range(12))
def test_windows_tile_the_text_and_never_cut_code_or_tables(seed):
    text = random_page(seed)
    size = random.Random(seed).randrange(400, 3000)
    pieces = windows(text, size)
    assert "".join(pieces) == text
    cuts, at = set(), 0
    for piece in pieces[:-1]:
        at += len(piece)
        cuts.add(at)
    for block in blocks(text):
        if block.kind in ("code", "table") and block.end - block.start <= size:
            assert not any(block.start < place < block.end for place in cuts)


def test_short_text_is_one_window():
    window = cut("one\n\ntwo\n", 0, 100)
    assert (window.text, window.next_start) == ("one\n\ntwo\n", None)


def test_empty_text_is_one_empty_window():
    assert cut("", 0, 10).text == ""


def test_heading_is_not_left_alone_at_the_end():
    text = "first paragraph of words\n\n## Next\n\nsecond paragraph of words"
    assert cut(text, 0, 40).text == "first paragraph of words\n\n"


def test_code_larger_than_the_window_is_cut_at_line_ends():
    text = "```\n" + "\n".join(f"line {n}" for n in range(100)) + "\n```\n"
    for piece in windows(text, 90)[:-1]:
        assert piece.endswith("\n")


def test_one_endless_word_still_advances():
    assert "".join(windows("x" * 1000, 300)) == "x" * 1000


def test_start_outside_the_text_is_refused_with_the_range():
    with pytest.raises(InvalidInput, match="10 characters") as caught:
        cut("0123456789", 50)
    assert "0 to 9" in caught.value.suggestion


def test_window_ends_where_the_section_ends():
    text = "# A\n\none\n\n# B\n\ntwo\n"
    window = cut(text, 0, 1000, stop=text.index("# B"))
    assert window.text == "# A\n\none\n\n"
    assert window.next_start is None


def test_blank_lines_alone_are_cut_too():
    assert "".join(windows("\n" * 50, 20)) == "\n" * 50


@pytest.mark.parametrize(
    ("cut_text", "closed"),
    [
        ("Text.\n\n```py\nx = 1\n", "Text.\n\n```py\nx = 1\n```"),
        ("> ~~~~\n> x", "> ~~~~\n> x\n> ~~~~"),
        ("- an item\n\n  ```\n  x", "- an item\n\n  ```\n  x\n  ```"),
        ("```\nx\n```\n\nText.\n", "```\nx\n```\n\nText.\n"),
        ("```\nx\n```\n```\ny", "```\nx\n```\n```\ny\n```"),
        ("", ""),
    ],
)
def test_code_that_is_cut_is_closed_in_the_quote_or_list_where_it_began(cut_text: str, closed: str) -> None:
    assert with_closed_fence(cut_text) == closed
