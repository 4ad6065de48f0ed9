"""What is shown around a found passage."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mcp_web.index.evidence import Evidence
from mcp_web.index.rank import rank
from mcp_web.index.widen import widen
from mcp_web.model.passage import Passage


def document(sections: list[str], words: int = 80) -> tuple[str, list[Passage]]:
    text, found = "", []
    for number, section in enumerate(sections):
        piece = " ".join([f"w{number}"] * words)
        found.append(Passage(number, piece, len(text), len(text) + len(piece), (section,), f"d{number}"))
        text += piece + "\n\n"
    return text, found


def test_better_neighbour_of_the_section_is_shown_too() -> None:
    text, found = document(["a", "a", "a"])
    shown, first, last = widen(text, found, 1, np.array([0.1, 1.0, 0.5]))
    assert (first, last) == (1, 2)
    assert shown.text == text[shown.start : shown.end] == text[found[1].start : found[2].end]
    assert shown.number == 1


def test_other_sections_are_left_alone() -> None:
    text, found = document(["a", "b", "c"])
    assert widen(text, found, 1, np.array([1.0, 1.0, 1.0]))[0] == found[1]


def test_long_passage_and_long_neighbours_stay_apart() -> None:
    text, found = document(["a", "a"], words=160)
    assert widen(text, found, 0, np.ones(2))[0] == found[0]
    text, found = document(["a", "a"], words=149)
    assert widen(text, found, 0, np.ones(2))[1:] == (0, 1)
    assert widen(text, found, 0, np.ones(2), words=0)[0] == found[0]


def test_neighbour_shown_with_a_better_passage_is_not_shown_again() -> None:
    text, found = document(["a", "a", "b"])
    evidence = Evidence(np.array([3.0, 2.0, 1.0]), np.array([0.9, 0.8, 0.7]))
    ranked = rank("q", found, evidence, max_results=8, widen=lambda n, s, t: widen(text, found, n, s, t))
    assert [one.passage.number for one in ranked.passages] == [0, 2]
    spans = [(one.passage.start, one.passage.end) for one in ranked.passages]
    assert spans[0][1] <= spans[1][0]


def test_gap_left_by_a_repetition_is_not_bridged() -> None:
    text, found = document(["a", "a", "a"])
    kept = [found[0], found[2]]
    assert widen(text, kept, 0, np.ones(2))[0] == found[0]


def test_what_is_shown_already_is_not_shown_as_a_neighbour() -> None:
    text, found = document(["a"] * 4)
    evidence = Evidence(np.array([0.5, 2.0, 3.0, 2.5]), np.array([0.5, 0.8, 0.9, 0.8]))
    ranked = rank("q", found, evidence, max_results=8, widen=lambda n, s, t: widen(text, found, n, s, t))
    spans = sorted((one.passage.start, one.passage.end) for one in ranked.passages)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert len(spans) == 2


def test_entries_of_a_reference_are_shown_without_their_neighbours() -> None:
    entries = "--skip\n: Skip the patch.\n\n--quit\n: Stop, and keep what was done."
    text = f"{entries}\n\nSomething else."
    found = [
        Passage(0, entries, 0, len(entries), ("a",), "d0"),
        Passage(1, "Something else.", len(entries) + 2, len(text), ("a",), "d1"),
    ]
    assert widen(text, found, 0, np.ones(2))[0] == found[0]


def test_what_a_passage_repeats_of_the_one_before_is_not_shown() -> None:
    text = "One sentence here. Another sentence there."
    found = [Passage(0, text[:18], 0, 18, ("a",), "d0"), Passage(1, text[4:], 4, len(text), ("b",), "d1")]
    shown, _, _ = widen(text, found, 1, np.ones(2))
    assert shown.text == text[shown.start : shown.end] == "Another sentence there."
