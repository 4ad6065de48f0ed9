"""Sync the archive with a folder of notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcp_web.app import App
from mcp_web.archive import folder as notes
from mcp_web.archive.folder import SyncReport
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.model.progress import OnProgress
from mcp_web.services.embed_documents import embed_documents, pending_notes


async def sync_folder(
    app: App,
    folder: Path,
    *,
    name: str | None = None,
    tags: Sequence[str] = (),
    exclude: Sequence[str] = (),
    on_progress: OnProgress | None = None,
) -> SyncReport:
    """Keep the new and changed files of a folder as research, delete the documents of files that are gone, and compute
    static vectors of the new ones.

    The documents are kept under `name`, by default the folder's, with these tags; `exclude` has patterns of files that
    are left out.
    """
    await app.require_kept_store()
    report = await notes.sync_folder(
        await app.store(), folder, app.extract, name=name, tags=tags, exclude=exclude, on_progress=on_progress
    )
    # So that the documents can be found by meaning at once.
    await embed_documents(app, only=STATIC_MODEL, on_progress=on_progress)
    return replace(report, notes=await pending_notes(app))
