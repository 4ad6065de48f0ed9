"""The URLs that failed permanently in the last minutes: gone pages and unknown hosts are not fetched again at once."""

from __future__ import annotations

import copy
import time

from mcp_web.errors import FetchFailed, HttpError, WebError
from mcp_web.lru import LruDict
from mcp_web.store.best_effort import BestEffortNotes

KIND = "failure"
_GONE = frozenset({404, 410, 451})
_GONE_SECONDS = 300.0  # that a page counts as gone
_NO_NAME_SECONDS = 60.0  # that a host name counts as unknown
_REMEMBERED = 1024


class Failures:
    """Remembers permanent failures by URL, in memory and in the store, so that other processes know them too."""

    def __init__(self, notes: BestEffortNotes) -> None:
        self._notes = notes
        self._kept: LruDict[str, tuple[float, WebError]] = LruDict(_REMEMBERED)

    async def recall(self, url: str) -> WebError | None:
        """The permanent error that this URL failed with in the last minutes, if any."""
        until, error = self._kept.get(url, (0.0, None))
        now = time.time()
        if error is not None and now < until <= now + _GONE_SECONDS:  # beyond: the clock was wrong
            return copy.copy(error)  # a copy: an error raised repeatedly collects traceback frames without end
        self._kept.pop(url, None)
        kept = await self._notes.get(KIND, url)
        if (
            not isinstance(kept, dict)
            or (kept.get("details") or {}).get("remembered_until", 0) > now + _GONE_SECONDS + 1
        ):
            return None
        return FetchFailed.from_dict(kept)

    async def remember(self, url: str, error: WebError) -> None:
        """Remember an error, if it is permanent."""
        seconds = _lasting(error)
        if seconds is None:
            return
        until = time.time() + seconds
        error.details["remembered_until"] = round(until)
        self._kept[url] = (until, copy.copy(error).bare())
        await self._notes.keep(KIND, url, error.as_dict(), until)


def _lasting(error: WebError) -> float | None:
    """Seconds that an error is remembered; None for one that is not permanent."""
    if isinstance(error, HttpError):
        return _GONE_SECONDS if error.status_code in _GONE else None
    if isinstance(error, FetchFailed) and error.details.get("reason") == "dns":
        return _NO_NAME_SECONDS
    return None
