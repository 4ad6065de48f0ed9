"""What changed, by section."""

from __future__ import annotations

import pytest

from mcp_web.read.diff import diff

OLD = "# P\n\nSame.\n\n## A\n\nOne thing. Two things.\n\n## B\n\nGone soon.\n\n## C\n\nKept text.\n"
NEW = "# P\n\nSame.\n\n## A\n\nOne thing. Three things.\n\n## D\n\nBrand new.\n\n## C2\n\nKept text.\n"


def test_changes_are_named_by_section():
    found = {(c.change, c.path[-1]) for c in diff(OLD, NEW)}
    assert found == {("changed", "A"), ("added", "D"), ("renamed", "C2"), ("removed", "B")}


def test_hunk_shows_only_the_sentences_that_changed():
    changed = next(c for c in diff(OLD, NEW) if c.change == "changed")
    assert changed.hunk == " One thing.\n-Two things.\n+Three things."
    assert NEW[changed.new_start :].startswith("## A")


def test_same_text_has_no_changes():
    assert diff(OLD, OLD) == []
    assert diff("", "") == []


def test_reflowed_lines_are_no_change():
    assert diff("# A\n\none two\nthree.\n", "# A\n\none two three.\n") == []


def test_sections_of_the_same_name_are_told_apart():
    old = "# X\n\n## Notes\n\na\n\n## Notes\n\nb\n"
    assert [(c.change, c.hunk) for c in diff(old, old.replace("b\n", "c\n"))] == [("changed", "-b\n+c")]


def test_long_hunk_says_how_much_is_left_out():
    change = diff("# A\n\n", "# A\n\n" + "\n".join(f"- item number {n}" for n in range(500)))[0]
    assert "more lines" in change.hunk
    assert len(change.hunk) < 1400


WORDS = " ".join(f"word{n}" for n in range(5000))


@pytest.mark.parametrize(
    ("new", "shown"),
    [
        (WORDS.replace("word4000", "other"), "other"),
        (WORDS.replace("word40 ", "").replace("word60 ", "other "), "other"),
        (f"other {WORDS}", "other"),
        (f"{WORDS} other", "other"),
        (WORDS.replace(" ", ""), "word0word1"),
        ("other " * 5000, "other other"),
    ],
)
def test_hunk_shows_what_changed_in_a_long_line(new: str, shown: str) -> None:
    change = diff(f"# A\n\n- x\n- {WORDS}\n- y", f"# A\n\n- x\n- {new}\n- y")[0]
    before, old, added, after = change.hunk.splitlines()
    assert (before, old[0], added[0], after) == (" - x", "-", "+", " - y")
    assert shown in added
    assert shown not in old
    assert len(change.hunk) < 1400


def test_hunk_shows_new_text_even_if_much_was_replaced() -> None:
    old, new = ("\n".join(f"- {word} {n} {'x' * 500}" for n in range(50)) for word in ("old", "new"))
    change = diff(f"# A\n\n{old}", f"# A\n\n{new}")[0]
    assert [line[:7] for line in change.hunk.splitlines()] == ["-- old ", "+- new ", "… 98 mo"]


def test_hunk_shows_the_beginning_of_a_long_line_that_was_added() -> None:
    change = diff("# A\n\n- x", f"# A\n\n- x\n- {WORDS}")[0]
    assert change.hunk.splitlines()[1].startswith("+- word0 word1")
