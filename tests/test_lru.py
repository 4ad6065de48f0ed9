"""Caches of limited size."""

from __future__ import annotations

from mcp_web.lru import LruDict, cached_if_short


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


def test_results_for_short_texts_alone_are_cached() -> None:
    called = []

    @cached_if_short(3, entries=2)
    def length(text: str) -> int:
        called.append(text)
        return len(text)

    assert [length(text) for text in ("abc", "abc", "long", "long")] == [3, 3, 4, 4]
    assert called == ["abc", "long", "long"]
