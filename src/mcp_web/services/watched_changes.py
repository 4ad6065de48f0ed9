"""The changes between the kept versions of watched pages, newest first. Nothing is fetched."""

from __future__ import annotations

from itertools import pairwise

from mcp_web.app import App
from mcp_web.errors import NotFound
from mcp_web.model.snapshot import SnapshotInfo
from mcp_web.services.compare_versions import compare_versions
from mcp_web.services.watch_pages import Watched, watched_urls

_MOST_PAGES = 1000  # watched pages that are looked at


async def watched_changes(app: App, limit: int) -> list[tuple[float, Watched]]:
    """The last `limit` changes, each with its time."""
    store = await app.store()
    kept = await store.seen((await watched_urls(app))[:_MOST_PAGES])
    steps: list[tuple[SnapshotInfo, SnapshotInfo]] = []
    for info in kept.values():
        versions = await store.versions(info.key)
        steps += pairwise(versions)
    steps.sort(key=lambda step: -step[0].since)
    found = []
    for newer, older in steps[:limit]:
        if (change := await _change(app, newer, older)) is not None:
            found.append((newer.since, change))
    return found


async def _change(app: App, newer: SnapshotInfo, older: SnapshotInfo) -> Watched | None:
    """The change between two versions; None if one of them was deleted meanwhile."""
    version = await (await app.store()).snapshot(newer.hash)
    if version is None:  # deleted meanwhile
        return None
    try:
        _, changes = await compare_versions(app, version, older.hash)
    except NotFound:
        return None
    return Watched(newer.url, newer.title, "changed", newer.hash, older.hash, changes)
