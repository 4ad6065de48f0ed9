"""The part of every store that keeps what callers were shown of a page, as long as the page, at most three months."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mcp_web.model.snapshot import ReadingRecord


class ReadingStore(Protocol):
    async def add_readings(self, key: str, readings: Sequence[ReadingRecord]) -> None:
        """Add what was shown of a page; nothing for an unknown page, and nothing while another process writes."""
        ...

    async def readings(self, key: str) -> list[ReadingRecord]:
        """The last readings of a page, newest first."""
        ...

    async def remove_readings(self, key: str) -> int:
        """Delete the readings of a page; returns how many there were."""
        ...
