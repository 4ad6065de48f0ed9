"""The arithmetic of a pace."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.limit.window import Window, month_of, until_next_month


@settings(deadline=None)
@given(
    rate=st.integers(1, 8),
    per=st.floats(0.1, 10),
    gaps=st.lists(st.floats(0, 5), min_size=1, max_size=60),
)
def test_no_window_of_time_ever_holds_more_than_the_rate(rate: int, per: float, gaps: list[float]) -> None:
    window, now, slots = Window(), 0.0, []
    for gap in gaps:
        now += gap
        slot = window.next_slot(now, rate, per)
        window.take(slot, now)
        slots.append(slot)
    assert slots == sorted(slots)
    for earlier, later in zip(slots, slots[rate:], strict=False):
        assert later - earlier >= per - 1e-6


@settings(deadline=None)
@given(
    rate=st.integers(1, 4),
    late=st.lists(st.floats(0, 3), min_size=2, max_size=25),
)
def test_sleepers_that_wake_late_still_keep_their_distance(rate: int, late: list[float]) -> None:
    """Everyone asks at once and oversleeps by a different time."""
    window, per, went = Window(), 1.0, []
    waiting = []
    for oversleeps in late:
        slot = window.next_slot(0.0, rate, per)
        window.take(slot, 0.0)
        waiting.append((slot + oversleeps if slot > 0 else 0.0, slot, oversleeps))
    while waiting:
        waiting.sort()
        now, slot, oversleeps = waiting.pop(0)
        later = window.confirm(slot, now, rate, per) if now > 0 else None
        if later is None:
            went.append(now)
        else:
            waiting.append((later + oversleeps, later, oversleeps))
    for earlier, after in zip(went, went[rate:], strict=False):
        assert after - earlier >= per - 1e-6


def test_a_clock_set_back_does_not_freeze_a_key() -> None:
    window = Window([1e9], [1e9])
    assert window.next_slot(1000.0, 1, 1.0) == 1000.0


def test_a_damaged_file_is_a_fresh_start() -> None:
    for damaged in (None, [], "x", {"went": ["a"]}, {"promised": 3}):
        assert Window.from_json(damaged) == Window()


def test_the_month_ends_at_its_end() -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp()
    assert month_of(moment) == "2026-12"
    assert until_next_month(moment) == 60
