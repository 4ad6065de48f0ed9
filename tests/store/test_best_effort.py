"""Notes that are only a cache: in a store, else in memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mcp_web.store.best_effort import BestEffortNotes
from mcp_web.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio


async def test_the_last_value_counts_wherever_the_one_before_is(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "store.sqlite")
    notes, later = BestEffortNotes(store), time.time() + 1000
    for value, on_disk in enumerate([True, False, True]):
        await notes.keep("kind", "key", value, later, on_disk=on_disk)
        assert await notes.get("kind", "key") == value
    await store.close()


async def test_a_note_is_kept_in_memory_where_the_store_fails_or_there_is_none(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "store.sqlite")
    await store.close()
    for place in (store, None):
        notes = BestEffortNotes(place)
        assert await notes.get("kind", "key") is None
        await notes.keep("kind", "key", 1, time.time() + 1000)
        assert await notes.get("kind", "key") == 1
        await notes.keep("kind", "key", 1, time.time() - 1)
        assert await notes.get("kind", "key") is None
