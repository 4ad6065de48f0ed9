"""The breaker: rests longer each time, keeps rate limits, forgives success."""

from __future__ import annotations

import pytest

from mcp_web.search.health import Health
from mcp_web.search.options import SearchOptions

OPTIONS = SearchOptions()


def test_one_failure_is_forgiven_three_are_not() -> None:
    health = Health()
    for _ in range(2):
        health.failed(0, "error", "x", OPTIONS)
        assert not health.wait(0)
    health.failed(0, "error", "x", OPTIONS)
    assert health.wait(0)
    assert health.wait(0) == pytest.approx(5, rel=0.06)


def test_each_further_rest_is_twice_as_long_up_to_an_hour() -> None:
    health = Health()
    waits = []
    for _ in range(20):
        health.failed(0, "timeout", "x", OPTIONS)
        waits.append(health.wait(0))
    assert waits[3] / waits[2] == pytest.approx(2, rel=0.12)
    assert waits[-1] == pytest.approx(3600, rel=0.06)


def test_a_rate_limit_rests_at_once_for_the_time_it_names() -> None:
    health = Health()
    health.failed(100, "rate_limited", "x", OPTIONS, retry_after=7)
    assert health.wait(100) == 7
    unnamed = Health()
    unnamed.failed(100, "rate_limited", "x", OPTIONS)
    unnamed.failed(100, "rate_limited", "x", OPTIONS)
    assert unnamed.wait(100) == pytest.approx(120, rel=0.06)


def test_an_answer_heals() -> None:
    health = Health()
    for _ in range(5):
        health.failed(0, "unreachable", "x", OPTIONS)
    health.succeeded(1)
    assert not health.wait(1)
    assert health.failures == 0
