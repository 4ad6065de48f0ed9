"""Search what is kept, letting the model catch up with new pages for a moment first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from mcp_web import trace
from mcp_web.errors import WebError

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery

MODEL_SECONDS = 15.0
CATCH_UP_SECONDS = 2.0  # new pages are found by words at once; by meaning as far as this time goes
CATCH_UP_PAGES = 20


async def search_archive(app: App, query: ArchiveQuery) -> ArchiveAnswer:
    """The documents that answer, best first."""
    if query.mode != "text" and app.embedder.dim != 0:
        await _catch_up(app, query.text)
    return await (await app.archive()).search(query)


async def _catch_up(app: App, question: str) -> None:
    """Let the model read pages that are new or changed; words answer for those that stay behind."""
    reader, store = await app.reader(), await app.store()
    try:
        keys = await store.lacking_vectors(reader.model, CATCH_UP_PAGES)
        if keys:
            with anyio.fail_after(MODEL_SECONDS):
                await app.embedder.embed([question], "query")  # the first question waits for the model to load
        with anyio.move_on_after(CATCH_UP_SECONDS):
            for key in keys:
                if (kept := await store.latest(key)) is not None:
                    await reader.complete(key, kept.document.markdown, kept.document.headings)
    except TimeoutError:
        trace.log("error", "catch_up", error_code="TIMEOUT")
    except WebError as error:
        trace.log("error", "catch_up", error_code=error.code)
