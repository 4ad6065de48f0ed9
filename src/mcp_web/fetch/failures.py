"""The URLs that failed permanently in the last minutes: gone pages and unknown hosts are not fetched again at once."""

from __future__ import annotations

import time

from mcp_web.errors import FetchFailed, HttpError, WebError
from mcp_web.store.best_effort import BestEffortNotes

KIND = "failure"
_GONE = frozenset({404, 410, 451})
_GONE_SECONDS = 300.0  # that a page counts as gone
_NO_NAME_SECONDS = 60.0  # that a host name counts as unknown


class Failures:
    """Remembers in the store, for some minutes, which URLs failed permanently: pages that are gone, unknown hosts."""

    def __init__(self, notes: BestEffortNotes) -> None:
        self._notes = notes

    async def recall(self, url: str) -> WebError | None:
        """The permanent error that this URL failed with in the last minutes; None if there is none."""
        kept = await self._notes.get(KIND, url)
        if not isinstance(kept, dict):
            return None
        until = (kept.get("details") or {}).get("remembered_until", 0)
        return None if until > time.time() + _GONE_SECONDS + 1 else FetchFailed.from_dict(kept)  # the clock was wrong

    async def remember(self, url: str, error: WebError) -> None:
        """Remember an error of this URL if it is permanent, until the Unix time that is put into its `details`."""
        seconds = _lasting(error)
        if seconds is not None:
            until = time.time() + seconds
            error.details["remembered_until"] = round(until)
            await self._notes.keep(KIND, url, error.as_dict(), until)


def _lasting(error: WebError) -> float | None:
    """How many seconds an error is remembered; None if it is not permanent."""
    if isinstance(error, HttpError):
        return _GONE_SECONDS if error.status_code in _GONE else None
    if isinstance(error, FetchFailed) and error.details.get("reason") == "dns":
        return _NO_NAME_SECONDS
    return None
