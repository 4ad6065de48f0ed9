"""The arithmetic of a pace, without a clock of its own: a log of the latest grants.

A log is exact where a bucket with a burst is not: a bucket of five refilled at five a second lets nine
through in an unlucky second, and providers count seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

# A clock that was set back must not freeze a provider for years: grants further ahead than this are forgotten.
_FARTHEST = 3600.0


@dataclass(slots=True)
class Window:
    """Grants of one key (past and promised, in order) and until when there are none."""

    grants: list[float] = field(default_factory=list)
    paused_until: float = 0.0

    def next_slot(self, now: float, rate: int, per: float) -> float:
        """When the next caller may go."""
        if self.grants and self.grants[-1] > now + _FARTHEST:
            self.grants.clear()
        slot = max(now, self.paused_until)
        if self.grants:
            slot = max(slot, self.grants[-1])  # first come, first served
        if len(self.grants) >= rate:
            slot = max(slot, self.grants[-rate] + per)
        return slot

    def take(self, slot: float, rate: int) -> None:
        self.grants.append(slot)
        del self.grants[: max(0, len(self.grants) - max(rate, 64))]

    def pause(self, until: float) -> None:
        self.paused_until = max(self.paused_until, until)

    def as_json(self) -> dict[str, Any]:
        return {"grants": self.grants, "paused_until": self.paused_until}

    @classmethod
    def from_json(cls, value: Any) -> Window:
        """A window from a file that anyone may have damaged: what cannot be read is a fresh start."""
        if not isinstance(value, dict):
            return cls()
        try:
            grants = sorted(float(grant) for grant in value.get("grants", ()))
            return cls(grants, float(value.get("paused_until", 0.0)))
        except (TypeError, ValueError):
            return cls()


def month_of(now: float) -> str:
    """The calendar month a moment lies in, UTC: 2026-11."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m")


def until_next_month(now: float) -> float:
    """Seconds to the first moment of the next month, UTC."""
    today = datetime.fromtimestamp(now, UTC)
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp() - now
