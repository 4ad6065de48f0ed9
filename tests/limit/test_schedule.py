"""The next allowed moment of a key."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.limit.schedule import Schedule, period_of, until_next

EVER = 1e9


@settings(deadline=None)
@given(interval=st.floats(0.1, 10), gaps=st.lists(st.floats(0, 5), min_size=1, max_size=60))
def test_promised_moments_are_in_order_and_an_interval_apart(interval: float, gaps: list[float]) -> None:
    schedule, now, slots = Schedule(), 0.0, []
    for gap in gaps:
        now += gap
        slots.append(now + schedule.apply("reserve", now, interval, EVER))
    for earlier, later in pairwise(slots):
        assert later - earlier >= interval - 1e-6


@settings(deadline=None)
@given(late=st.lists(st.tuples(st.floats(0, 3), st.booleans()), min_size=2, max_size=25))
def test_callers_that_wake_late_or_are_cancelled_never_start_within_one_interval(
    late: list[tuple[float, bool]],
) -> None:
    """Everyone asks at once, oversleeps by a different time, and some give up when they wake."""
    schedule, started, waiting = Schedule(), [], []
    for oversleeps, gives_up in late:
        wait = schedule.apply("reserve", 0.0, 1.0, EVER)
        waiting.append((wait + oversleeps if wait else 0.0, oversleeps, gives_up, wait == 0.0))
    while waiting:
        waiting.sort()
        now, oversleeps, gives_up, already = waiting.pop(0)
        if already:
            started.append(now)
        elif gives_up:
            schedule.apply("cancel", now, 1.0, 0.0)
        elif wait := schedule.apply("start", now, 1.0, 0.0):
            waiting.append((now + wait + oversleeps, oversleeps, gives_up, False))
        else:
            started.append(now)
    for earlier, later in pairwise(started):
        assert later - earlier >= 1.0 - 1e-6


def test_a_clock_set_back_does_not_block_a_key() -> None:
    kept = asdict(Schedule(1e9, 1e9))
    assert Schedule.from_json(kept, 1000.0).apply("reserve", 1000.0, 1.0, 0.0) == 0.0


@pytest.mark.parametrize("damaged", [None, [], "x", {"next_free": ["a"]}, {"open_at": 3}, {"next_free": 1}])
def test_a_damaged_file_starts_afresh(damaged: object) -> None:
    assert Schedule.from_json(damaged, 0.0) == Schedule()


def test_the_month_ends_at_its_end() -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp()
    assert period_of(moment, "month") == "2026-12"
    assert until_next(moment, "month") == until_next(moment, "minute") == 60
