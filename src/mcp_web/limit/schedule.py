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
    """Apply a step to a key: "start" starts a request and closes the key for `seconds`, if it was open; if not, it
    changes nothing. "pause" closes it for at least `seconds`. Returns the time from which the next request may start,
    and for how many seconds the key was still closed before the step (0: it was open). `open_at` is the first of these
    before the step; `now` is in seconds, of any clock that all callers of the key share."""
    wait = max(0.0, open_at - now)
    if step == "pause":
        return max(open_at, now + seconds), wait
    return (open_at, wait) if wait else (now + seconds, 0.0)


def stored_time(value: Any, now: float) -> float:
    """The time, read from a file, from which a key is open; 0 if it is no number or beyond `now` plus LONGEST_PAUSE."""
    valid = isinstance(value, int | float) and value <= now + LONGEST_PAUSE
    return float(value) if valid else 0.0


def period_of(now: float, period: Period) -> str:
    """The calendar month, day or minute (UTC) of a Unix time, as text: such as "2026-11" for a month."""
    return datetime.fromtimestamp(now, UTC).strftime(_FORMATS[period])


def until_next(now: float, period: Period) -> float:
    """Seconds from a Unix time to the beginning of the next calendar month, day or minute, UTC."""
    if period != "month":
        length = _LENGTHS[period]
        return length - now % length
    today = datetime.fromtimestamp(now, UTC)
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp() - now
