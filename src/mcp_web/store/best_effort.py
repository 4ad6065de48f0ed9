"""Notes that are only a cache: a store that fails must not fail the fetch or the search that uses them."""

from __future__ import annotations

import time
from typing import Any

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.lru import LruDict
from mcp_web.store.protocol import Store

_MOST_IN_MEMORY = 256


class BestEffortNotes:
    """Notes (cached values that expire) in a store, or in memory: without a store, when writing to it fails (which is
    logged), and for notes that must not be stored. A failure of the store is never raised."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._memory: LruDict[tuple[str, str], tuple[float, Any]] = LruDict(_MOST_IN_MEMORY)

    async def get(self, kind: str, key: str) -> Any | None:
        """The value of a note, from memory or the store; None if there is none, it has expired or the store failed."""
        expires_at, value = self._memory.get((kind, key), (0.0, None))
        if expires_at > time.time():
            return value
        try:
            return await self._store.note(kind, key) if self._store else None
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
            return None

    async def keep(self, kind: str, key: str, value: Any, expires_at: float, *, on_disk: bool = True) -> None:
        """Keep a note until the Unix time `expires_at`; without `on_disk`, or if the store fails, in memory only."""
        try:
            if on_disk and self._store:
                await self._store.keep_note(kind, key, value, expires_at)
                self._memory.pop((kind, key), None)  # an earlier value, which was not stored
                return
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
        self._memory[kind, key] = (expires_at, value)
