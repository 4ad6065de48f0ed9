from __future__ import annotations

from email.utils import formatdate

import pytest

from contracts.store_samples import snapshot
from mcp_web.archive.freshness import fresh_until, is_fresh
from mcp_web.archive.options import ArchiveOptions

NOW = 1_700_000_000.0
BOUNDS = ArchiveOptions()
HOUR, DAY = 3600.0, 86400.0


def _lifetime(*headers: tuple[str, str]) -> float:
    return fresh_until(headers, NOW, BOUNDS) - NOW


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([], DAY),
        ([("cache-control", "max-age=3600")], HOUR),
        ([("cache-control", 'public, MAX-AGE="3600"')], HOUR),
        ([("cache-control", "public"), ("cache-control", "max-age=3600")], HOUR),
        ([("cache-control", "max-age=3600"), ("age", "1800")], 1800.0),
        ([("cache-control", "max-age=0, must-revalidate")], 300.0),
        ([("cache-control", "no-store")], 300.0),
        ([("cache-control", "no-cache, max-age=99999")], 300.0),
        ([("cache-control", "max-age=999999999999999999999")], 7 * DAY),
        ([("cache-control", "max-age=-5")], DAY),
        ([("cache-control", "max-age=abc")], DAY),
        ([("expires", formatdate(NOW + HOUR, usegmt=True))], HOUR),
        ([("expires", formatdate(NOW + 2 * HOUR)), ("date", formatdate(NOW + HOUR))], HOUR),
        ([("expires", "0")], 300.0),
        ([("cache-control", "max-age=3600"), ("expires", "0")], HOUR),
        ([("last-modified", formatdate(NOW - 10 * HOUR))], HOUR),
        ([("last-modified", formatdate(NOW - 1000 * DAY))], DAY),
        ([("last-modified", formatdate(NOW + DAY))], DAY),
        ([("last-modified", "never")], DAY),
    ],
)
def test_lifetime_follows_the_headers_within_our_bounds(headers: list[tuple[str, str]], seconds: float) -> None:
    assert _lifetime(*headers) == pytest.approx(seconds, abs=1)


def test_without_a_wish_the_policy_decides() -> None:
    kept = snapshot(at=NOW)
    assert is_fresh(kept, NOW + 99)
    assert not is_fresh(kept, NOW + 100)


def test_max_age_is_the_callers_own_bound() -> None:
    kept = snapshot(at=NOW)
    assert not is_fresh(kept, NOW, 0)
    assert not is_fresh(kept, NOW + 50, 20)
    assert is_fresh(kept, NOW + 5000, 6000)
