"""A comparison names the words that differ."""

from __future__ import annotations

from mcp_web.web.changed_words import lines_of


def test_the_words_that_differ_are_marked_in_both_lines() -> None:
    before, after, same = lines_of("-It is made of iron today.\n+It is made of steel today.\n The rest.")
    assert before == ("removed", [("It is made of ", False), ("iron", True), (" today.", False)])
    assert after == ("added", [("It is made of ", False), ("steel", True), (" today.", False)])
    assert same == ("same", [("The rest.", False)])


def test_lines_that_have_little_in_common_are_not_compared() -> None:
    assert lines_of("-One thing.\n+Quite another matter here.") == [
        ("removed", [("One thing.", False)]),
        ("added", [("Quite another matter here.", False)]),
    ]


def test_lines_without_a_counterpart_are_listed_in_order() -> None:
    kinds = [kind for kind, _ in lines_of(" a\n-b\n-c\n+d\n-e\n f")]
    assert kinds == ["same", "removed", "added", "removed", "removed", "same"]


def test_a_link_is_shown_as_its_text_unless_only_its_target_changed() -> None:
    page, other = '[the page](https://a.example/x_(y) "Title")', "[the page](https://b.example/)"
    (_, before), (_, after) = lines_of(f"-See {page} of iron.\n+See {page} of steel.")
    assert "".join(text for text, _ in before) == "See the page of iron."
    assert "".join(text for text, _ in after) == "See the page of steel."
    (_, before), (_, after) = lines_of(f"-See {page} of iron.\n+See {other} of iron.")
    assert "https://a.example/x_(y)" in "".join(text for text, _ in before)
    assert "https://b.example/" in "".join(text for text, _ in after)
    assert lines_of(" return calls[0](x)") == [("same", [("return calls[0](x)", False)])]
