"""List kept documents, the most recently used first; `filters` are fields of `DocumentFilter`."""

from __future__ import annotations

from typing import Any

from mcp_web.app import App
from mcp_web.model.snapshot import SnapshotInfo
from mcp_web.store.protocol import DocumentFilter


async def list_documents(app: App, *, limit: int, after: str = "", **filters: Any) -> tuple[list[SnapshotInfo], str]:
    """(at most `limit` documents that match the filters; the value of `after` for the next call, "" at the end)."""
    return await (await app.store()).browse(limit, after=after, filter=DocumentFilter(**filters))


async def list_shared_documents(app: App, *, limit: int, **filters: Any) -> dict[str, list[SnapshotInfo]]:
    """At most `limit` matching documents of each tenant that shares such ones with this tenant, by owner."""
    wanted = DocumentFilter(**filters)
    found = {one.owner: (await one.store.browse(limit, filter=wanted))[0] for one in await app.shared_stores()}
    return {owner: infos for owner, infos in found.items() if infos}
