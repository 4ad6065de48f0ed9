"""Notes that are only a cache: a store that fails must not fail the fetch or the search that uses them."""

from __future__ import annotations

from typing import Any

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.store.protocol import Store


class BestEffortNotes:
    """Reads and writes notes in a store, if there is one; an error of the store is logged and not raised."""

    def __init__(self, store: Store | None) -> None:
        self._store = store

    async def get(self, kind: str, key: str) -> Any | None:
        """The value of a note; None if there is none or the store failed."""
        try:
            return await self._store.note(kind, key) if self._store else None
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
            return None

    async def keep(self, kind: str, key: str, value: Any, expires_at: float) -> bool:
        """Write a note; returns whether it was stored."""
        try:
            if self._store:
                await self._store.keep_note(kind, key, value, expires_at)
            return self._store is not None
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
            return False
