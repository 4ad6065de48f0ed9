"""A mapping of limited size."""

from __future__ import annotations

from mcp_web.lru import LruDict


def test_what_was_not_used_for_longest_is_deleted() -> None:
    recent: LruDict[str, int] = LruDict(2)
    recent["a"], recent["b"] = 1, 2
    assert recent.get("a") == 1
    recent["c"] = 3
    assert list(recent.items()) == [("a", 1), ("c", 3)]
    assert recent.get("b") is None


def test_an_entry_written_again_counts_as_used() -> None:
    recent: LruDict[str, int] = LruDict(2)
    recent["a"], recent["b"] = 1, 2
    recent["a"] = 3
    recent["c"] = 4
    assert dict(recent) == {"a": 3, "c": 4}
