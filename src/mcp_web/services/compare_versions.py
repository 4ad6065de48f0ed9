"""What changed between two versions of a page, by section."""

from __future__ import annotations

from itertools import pairwise

import anyio

from mcp_web.app import App
from mcp_web.errors import NotFound
from mcp_web.model.snapshot import Snapshot
from mcp_web.read.diff import SectionChange, diff
from mcp_web.services.find_snapshot import find_document, find_snapshot


async def compare_versions(app: App, newer: Snapshot, other: str) -> tuple[Snapshot, list[SectionChange]]:
    """(the other version, the sections of `newer` that differ from it). `other` is a hash, id or URL of what is kept,
    or "previous" for the version before `newer`. Raises NotFound if there is none."""
    older = await (_previous(app, newer) if other.strip().lower() == "previous" else find_snapshot(app, other))
    changes = await anyio.to_thread.run_sync(
        diff, older.document.markdown, newer.document.markdown, older.document.headings, newer.document.headings
    )
    return older, changes


async def _previous(app: App, newer: Snapshot) -> Snapshot:
    """The version of the same page before `newer`; raises NotFound if none is kept."""
    store = (await find_document(app, newer.hash)).store
    steps = pairwise(await store.versions(newer.key))
    older = next((before.hash for info, before in steps if info.hash == newer.hash), None)
    if older is None:
        raise NotFound(
            f"No version before {newer.hash[:16]} is kept of {newer.url}.",
            suggestion="Open the page again after it has changed; cache_get then shows the difference.",
        )
    return await find_snapshot(app, older)
