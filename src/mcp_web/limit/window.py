"""The arithmetic of a pace, without a clock of its own: a log of the latest grants.

A log is exact where a bucket with a burst is not: a bucket of five refilled at five a second lets nine
through in an unlucky second, and providers count seconds.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

# A clock that was set back must not freeze a provider for years: moments further ahead than this are forgotten.
_FARTHEST = 3600.0
_STALE = 60.0


@dataclass(slots=True)
class Window:
    """Who went when, who was promised a moment, and until when nobody goes."""

    went: list[float] = field(default_factory=list)  # in order
    promised: list[float] = field(default_factory=list)  # in order
    paused_until: float = 0.0

    def next_slot(self, now: float, rate: int, per: float) -> float:
        """When the next caller may go: after everyone who was promised a moment before."""
        self._forget(now, per)
        taken = sorted((*self.went, *self.promised))
        slot = max(now, self.paused_until, *self.promised[-1:])
        if len(taken) >= rate:
            slot = max(slot, taken[-rate] + per)
        return slot

    def take(self, slot: float, now: float) -> None:
        insort(self.promised if slot > now else self.went, slot)

    def confirm(self, slot: float, now: float, rate: int, per: float) -> float | None:
        """At the end of a wait: None to go now, or the later moment to wait for.

        Sleepers wake late on a busy machine, and then two promises can fall into one window. What a provider counts
        is when callers really went, so that is looked at once more before anyone goes.
        """
        self._forget(now, per)
        self.release(slot)
        later = max(now, self.paused_until, self.went[-rate] + per if len(self.went) >= rate else 0.0)
        self.take(later, now)
        return later if later > now else None

    def release(self, slot: float) -> None:
        if slot in self.promised:
            self.promised.remove(slot)

    def pause(self, until: float) -> None:
        self.paused_until = max(self.paused_until, until)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Any) -> Window:
        """A window from a file that anyone may have damaged: what cannot be read is a fresh start."""
        if not isinstance(value, dict):
            return cls()
        try:
            went, promised = (sorted(float(one) for one in value.get(name, ())) for name in ("went", "promised"))
            return cls(went, promised, float(value.get("paused_until", 0.0)))
        except (TypeError, ValueError):
            return cls()

    def _forget(self, now: float, per: float) -> None:
        """What is over, what a cancelled caller left behind, and what a clock that was set back put ahead."""
        self.went = [moment for moment in self.went if now - per < moment <= now + _FARTHEST]
        self.promised = [moment for moment in self.promised if now - _STALE < moment <= now + _FARTHEST]


def month_of(now: float) -> str:
    """The calendar month a moment lies in, UTC: 2026-11."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m")


def until_next_month(now: float) -> float:
    """Seconds to the first moment of the next month, UTC."""
    today = datetime.fromtimestamp(now, UTC)
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp() - now
