"""Let the configured model read everything that is kept, and adopt it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_web.app import App

BATCH = 50


async def reindex_archive(app: App, on_progress: Callable[[str, float, float], None] | None = None) -> int:
    """Passages embedded: of pages that are new, changed or half read. Interrupted, the next run goes on from there."""
    from mcp_web.index.calibrate import forget_mark

    store, reader = await app.store(), await app.reader()
    await forget_mark(store)
    total = (await store.size()).pages
    done = passages = 0
    before: list[str] = []
    while (keys := await store.lacking_vectors(reader.model, BATCH)) and keys != before:
        for key in keys:
            kept = await store.latest(key)
            if kept is not None:
                passages += await reader.complete(key, kept.document.markdown, kept.document.headings)
            done += 1
            if on_progress is not None:
                on_progress(kept.document.title[:60] if kept else "", done, max(total, done))
        before = keys  # the same ones again: they cannot be kept
    if not keys:
        await store.drop_vectors(but=reader.model)
    return passages
