"""Where robots.txt files and failures are kept beyond the process: any store with these methods."""

from __future__ import annotations

from typing import Any, Protocol

from mcp_web import trace
from mcp_web.errors import WebError


class Notes(Protocol):
    """Small JSON values that expire."""

    async def note(self, kind: str, key: str) -> Any | None: ...

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None: ...


class OptionalNotes:
    """Notes whose store may be absent or fail; pages are fetched all the same."""

    def __init__(self, notes: Notes | None) -> None:
        self._notes = notes

    async def recall(self, kind: str, key: str) -> Any | None:
        try:
            return await self._notes.note(kind, key) if self._notes else None
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
            return None

    async def keep(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        try:
            if self._notes:
                await self._notes.keep_note(kind, key, value, expires_at)
        except WebError as error:
            trace.log("error", "notes", kind=kind, error_code=error.code)
