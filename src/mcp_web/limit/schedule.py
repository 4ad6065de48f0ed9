"""When the next request to a service may start, and when a period ends. The caller says what time it is now."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

# The longest pause, in seconds. Stored times further in the future are ignored, so that a clock that was set back
# cannot block a provider for years.
LONGEST_PAUSE = 3600.0

Step = Literal["start", "pause"]
Period = Literal["minute", "day", "month"]
_FORMATS: dict[Period, str] = {"minute": "%Y-%m-%dT%H:%M", "day": "%Y-%m-%d", "month": "%Y-%m"}
_LENGTHS: dict[Period, float] = {"minute": 60.0, "day": 86400.0}


def apply_step(open_at: float, step: Step, now: float, seconds: float) -> tuple[float, float]:
    """The time from which the next request of a key may start, and how many seconds it stays closed (0: it is open).

    `open_at` is that time before the step. "start" starts a request if the key is open, and closes it for `seconds`.
    "pause" closes it for at least `seconds`. `now` is in seconds, of any clock that all callers of the key share.
    """
    wait = max(0.0, open_at - now)
    if step == "pause":
        return max(open_at, now + seconds), wait
    return (open_at, wait) if wait else (now + seconds, 0.0)


def stored_time(value: Any, now: float) -> float:
    """The time in a file from which a key is open; 0 for one that is invalid, or too far in the future."""
    valid = isinstance(value, int | float) and value <= now + LONGEST_PAUSE
    return float(value) if valid else 0.0


def period_of(now: float, period: Period) -> str:
    """The calendar month (such as 2026-11), day or minute of a time, UTC."""
    return datetime.fromtimestamp(now, UTC).strftime(_FORMATS[period])


def until_next(now: float, period: Period) -> float:
    """Seconds to the first moment of the next month, day or minute, UTC."""
    if period != "month":
        length = _LENGTHS[period]
        return length - now % length
    today = datetime.fromtimestamp(now, UTC)
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp() - now
