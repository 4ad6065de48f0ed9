"""The next allowed moment of a key."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.limit.schedule import apply_step, period_of, stored_time, until_next


@settings(deadline=None)
@given(
    interval=st.floats(0.1, 10),
    tries=st.lists(st.tuples(st.floats(0, 5), st.sampled_from(("start", "start", "pause"))), min_size=1, max_size=60),
)
def test_starts_are_an_interval_apart_and_never_during_a_pause(interval: float, tries: list[tuple[float, str]]) -> None:
    open_at, now, started, paused_until = 0.0, 0.0, [], 0.0
    for gap, step in tries:
        now += gap
        if step == "pause":
            open_at, _ = apply_step(open_at, "pause", now, gap)
            paused_until = max(paused_until, now + gap)
            continue
        open_at, wait = apply_step(open_at, "start", now, interval)
        if not wait:
            started.append(now)
            assert now >= paused_until
        else:  # it may start when it was told
            assert apply_step(open_at, "start", now + wait + 1e-6, interval)[1] == 0.0
    for earlier, later in pairwise(started):
        assert later - earlier >= interval - 1e-6


def test_a_clock_set_back_does_not_block_a_key() -> None:
    assert apply_step(stored_time(1e9, 1000.0), "start", 1000.0, 1.0)[1] == 0.0


@pytest.mark.parametrize("damaged", [None, [], "x", {"a": 1}, math.nan, math.inf])
def test_a_damaged_time_starts_afresh(damaged: object) -> None:
    assert stored_time(damaged, 0.0) == 0.0


def test_the_month_ends_at_its_end() -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp()
    assert period_of(moment, "month") == "2026-12"
    assert until_next(moment, "month") == until_next(moment, "minute") == 60
