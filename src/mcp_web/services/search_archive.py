"""Search what is kept. Nothing is written: what the model has not read yet is found by its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery


async def search_archive(app: App, query: ArchiveQuery) -> ArchiveAnswer:
    """The documents that match, best first."""
    return await (await app.archive()).search(query)
