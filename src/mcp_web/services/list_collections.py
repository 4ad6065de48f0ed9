"""The collections of the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_web.app import App


async def list_collections(app: App) -> dict[str, int]:
    """How many documents each tag and each synced folder has, the largest first."""
    return await (await app.store()).collections()
