"""Copy one store into another, or check one."""

from __future__ import annotations

from contextlib import AsyncExitStack

from mcp_web.app import App
from mcp_web.archive import transfer
from mcp_web.archive.transfer import CopyReport
from mcp_web.errors import InvalidInput
from mcp_web.model.progress import OnProgress
from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions


async def copy_store(app: App, source: str, target: str, on_progress: OnProgress | None = None) -> CopyReport:
    """Copy everything in one store into another; each is the path of a SQLite file or a PostgreSQL URL. Raises
    InvalidInput if both are the same or `source` does not exist."""
    if source == target:
        raise InvalidInput("The two stores are the same.")
    if not engine_of(source).exists(source):
        raise InvalidInput(f"There is no store {source}.")
    options = app.settings.of(StoreOptions)
    async with AsyncExitStack() as ends:
        opened = []
        for place in (source, target):
            opened.append(await engine_of(place).open(place, options))
            ends.push_async_callback(opened[-1].close)
        return await transfer.copy_store(opened[0], opened[1], on_progress)


async def check_store(app: App, place: str | None) -> list[str]:
    """A sentence for each fault of the store at `place` (default: the configured one), a SQLite file or PostgreSQL URL.
    Raises InvalidInput if there is no store."""
    if place is None:
        store = await app.store()
        note = app.take_store_note()  # that it was damaged and replaced, or cannot be used
        return [note] if note else await store.check()
    if not engine_of(place).exists(place):
        raise InvalidInput(f"There is no store {place}.")
    store = await engine_of(place).open(place, app.settings.of(StoreOptions))
    try:
        return await store.check()
    finally:
        await store.close()
