"""When the next request to a service may start: two times per key. The caller says what time it is now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

# The longest pause, in seconds. Stored times further in the future are ignored, so that a clock that was set back
# cannot block a provider for years.
LONGEST_PAUSE = 3600.0

Step = Literal["reserve", "start", "cancel", "pause"]
Period = Literal["minute", "day", "month"]
_FORMATS: dict[Period, str] = {"minute": "%Y-%m-%dT%H:%M", "day": "%Y-%m-%d", "month": "%Y-%m"}
_LENGTHS: dict[Period, float] = {"minute": 60.0, "day": 86400.0}


@dataclass(slots=True)
class Schedule:
    """The schedule of one key: one request per interval.

    `next_free` is the first time that is not reserved for a waiting caller. It is an estimate: callers are cancelled
    and wake late on a busy machine. `open_at` is exact: nobody starts before it, and every start moves it.
    """

    next_free: float = 0.0
    open_at: float = 0.0

    def apply(self, step: Step, now: float, seconds: float, patience: float) -> float:
        """Apply one step; returns how many seconds the caller has to wait for its start, 0 if it starts now.

        "reserve" takes the next free time, if it is at most `patience` seconds ahead; a longer wait is returned and
        nothing is taken. "start" starts after that wait, unless it is still too early. "cancel" gives up the
        reservation. For these, `seconds` is the interval. "pause" allows no start for `seconds`. `now` is in seconds,
        of any clock that all callers of this schedule share.
        """
        match step:
            case "reserve":
                return self._reserve(now, seconds, patience)
            case "start":
                return self._start(now, seconds)
            case "cancel":
                self.next_free -= seconds
            case "pause":
                self.open_at = max(self.open_at, now + seconds)
        return 0.0

    def _reserve(self, now: float, interval: float, patience: float) -> float:
        """The step "reserve" of `apply`."""
        slot = max(now, self.next_free, self.open_at)
        if slot - now > patience:
            return slot - now
        self.next_free = slot + interval
        if slot == now:
            self.open_at = self.next_free
        return slot - now

    def _start(self, now: float, interval: float) -> float:
        """Start at the end of a wait; returns how much longer to wait if it is still too early."""
        if self.open_at > now:
            return self.open_at - now
        self.open_at = now + interval
        return 0.0

    @classmethod
    def from_json(cls, value: Any, now: float) -> Schedule:
        """Read the value in a file; one that is invalid is reset, and so is a time too far in the future."""
        try:
            moments = [float(value[name]) for name in ("next_free", "open_at")]
        except (TypeError, ValueError, KeyError):
            return cls()
        return cls(*(moment if moment <= now + LONGEST_PAUSE else 0.0 for moment in moments))


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
