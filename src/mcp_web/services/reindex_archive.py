"""Embed everything that is kept with the configured model, then delete the vectors of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_web.model.progress import OnProgress
from mcp_web.services.embed_documents import coverage, embed_documents

if TYPE_CHECKING:
    from mcp_web.app import App


async def reindex_archive(app: App, on_progress: OnProgress | None = None) -> int:
    """How many documents were embedded: those that are new or changed. Until the end, earlier vectors still serve."""
    done = await embed_documents(app, on_progress=on_progress)
    if app.process.embedder.dim != 0 and not any(one.lacking for one in await coverage(app)):
        vectors, reader = await app.document_vectors(), await app.reader()
        await (await app.store()).drop_vectors(keep=(*vectors.models, reader.model))
    return done
