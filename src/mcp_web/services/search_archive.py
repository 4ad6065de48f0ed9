"""Search the archive. Nothing is written: a document without vectors is found by its words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_web.app import App
from mcp_web.services.find_snapshot import find_snapshot

if TYPE_CHECKING:
    from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery
    from mcp_web.archive.fuse import Scales


async def search_archive(app: App, query: ArchiveQuery) -> ArchiveAnswer:
    """The documents that match, of this tenant and shared with it, best first; notes say how many a search by meaning
    alone misses, or compares less well, because they lack vectors."""
    from mcp_web.archive.answer import merged
    from mcp_web.archive.fuse import UNKNOWN, Scales

    scales = UNKNOWN
    if query.mode != "text":  # the calibration of each signal, so that only near documents are shown
        vectors = await app.document_vectors()
        scales = Scales(*[await vectors.scale(model) for model in vectors.models])
    own = await _search_own(app, query, scales)
    shared = await app.shared_stores()
    return merged(own, {one.owner: await app.archive_over(one.store).search(query, scales) for one in shared})


async def _search_own(app: App, query: ArchiveQuery, scales: Scales) -> ArchiveAnswer:
    """The tenant's own documents that match, with notes of a search by meaning alone about those without vectors."""
    answer = await (await app.archive()).search(query, scales)
    if query.mode != "semantic":  # words and the match of passages need no vectors
        return answer
    from mcp_web.services.embed_documents import pending_notes

    return replace(answer, notes=(*answer.notes, *await pending_notes(app)))


async def search_similar(app: App, name: str, query: ArchiveQuery) -> ArchiveAnswer:
    """The documents most like the kept one that `name` refers to, without itself; of `query`, the filters and the limit
    count. Raises NotFound if there is none of that name."""
    from mcp_web.archive.derive import distinctive_words

    like = await find_snapshot(app, name)
    text = await distinctive_words(await app.store(), like)
    query = replace(query, text=text, fuzzy=False)
    answer = await search_archive(app, replace(query, limit=query.limit + 1))
    others = tuple(one for one in answer.results if one.document.url != like.url)
    return replace(answer, query=query, results=others[: query.limit])
