"""Embed the kept documents that lack vectors: for `archive reindex` and the background work of the server."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from mcp_web import trace
from mcp_web.app import App
from mcp_web.archive.derive import reindex_outdated
from mcp_web.errors import EmbeddingError, WebError
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.model.progress import OnProgress
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Store
from mcp_web.text.amounts import amount

if TYPE_CHECKING:
    from mcp_web.index.documents import DocumentVectors


# Documents per batch; between two batches it is checked whether a call is running. Both take tenths of a second.
STATIC_BATCH, MODEL_BATCH = 32, 2
CHARS_AT_ONCE = 500_000  # of documents in memory: 32 of the longest that are kept would take 64 MB and more
_LOOKED_AT = 128  # documents without vectors among which a process looks for unclaimed ones
# How long a claim keeps other processes from a document: the slowest model takes seconds for a batch.
CLAIM_SECONDS = 120.0
_CLAIMS = "embedding_claims"
LOOK_EVERY = 1.0  # seconds between two checks for new documents
_MANY = 100  # documents after which the store finishes pending work, such as an index over their vectors


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many documents there are, and how many of them lack the vectors of a model."""

    model: str
    documents: int
    lacking: int

    @property
    def covered(self) -> int:
        return max(0, self.documents - self.lacking)


async def coverage(app: App) -> list[Coverage]:
    """For each model in use: how many documents have its vectors, and how many lack them."""
    store, vectors = await app.store(), await app.document_vectors()
    documents = (await store.size()).pages
    return [Coverage(model, documents, await store.count_lacking_vectors(model)) for model in vectors.models]


async def pending_notes(app: App) -> tuple[str, ...]:
    """Sentences about the documents that lack vectors: how many a search by meaning misses, because they have none, and
    how many it compares by their static vectors, because they lack those of the model."""
    store, vectors = await app.store(), await app.document_vectors()
    # Counting reads all documents; finding one that lacks vectors does not, and mostly there is none.
    lacking = [
        await store.count_lacking_vectors(model) if await store.lacking_vectors(model, 1) else 0
        for model in vectors.models
    ]
    missed = min(lacking)
    found = (
        (missed, "Not yet embedded, and missed by meaning"),
        (lacking[-1] - missed, "Not yet embedded by the model, and compared by static word vectors alone"),
    )
    how = "A running server or `mcp-web archive reindex` embeds them."
    return tuple(f"{state}: {amount(count, 'document')}. {how}" for count, state in found if count)


async def embed_documents(
    app: App, *, only: str | None = None, background: bool = False, on_progress: OnProgress | None = None
) -> int:
    """Compute the vectors of documents that lack them, model by model; returns how many were computed, counting a
    document once for each model. Before that, documents whose index format is out of date are reindexed.

    An interrupted run can be resumed. Several processes share the work by claims in the store. `only` is the one model
    to use; with `background`, the work pauses while calls are running. Raises EmbeddingError if a model fails; one that
    refuses a document, after it has embedded the others.
    """
    store, vectors = await app.store(), await app.document_vectors()
    await reindex_outdated(store)
    done = 0
    for model in (only,) if only else vectors.models:
        total = await store.count_lacking_vectors(model) if on_progress else 0
        batches = _Batches(app, store, vectors, model, background)
        before = done
        while (count := await batches.embed_next()) is not None:
            done += count
            if on_progress is not None:
                on_progress(f"embedding with {model}", min(done - before, total), total)
        for error in batches.refused.values():
            raise error
    return done


async def reindex_archive(app: App, on_progress: OnProgress | None = None) -> int:
    """Compute the vectors that documents lack and return how many. If then none lacks any, and a model is set, delete
    the vectors of other models."""
    done = await embed_documents(app, on_progress=on_progress)
    if app.process.embedder.dim != 0 and not any(one.lacking for one in await coverage(app)):
        vectors, reader = await app.document_vectors(), await app.reader()
        await (await app.store()).drop_vectors(keep=(*vectors.models, reader.model))
    return done


async def embed_in_background(app: App) -> None:
    """Embed the documents that lack vectors, again every second and pausing during calls, until cancelled."""
    while True:
        await embed_pending(app)
        await anyio.sleep(LOOK_EVERY)


async def embed_pending(app: App) -> None:
    """Embed the documents that lack vectors, pausing during calls; logs errors. Does nothing without an open store."""
    if not app.store_is_open:
        return
    try:
        if await embed_documents(app, background=True) >= _MANY:
            await (await app.store()).maintain()
    except WebError as error:
        trace.log("error", "embed_in_background", error_code=error.code, message=error.message)


@dataclass(slots=True)
class _Batches:
    """Embeds the documents that lack the vectors of one model, batch by batch."""

    app: App
    store: Store
    vectors: DocumentVectors
    model: str
    background: bool
    last: tuple[str, ...] = ()
    refused: dict[str, EmbeddingError] = field(default_factory=dict)  # documents that the model refused, by key

    async def embed_next(self) -> int | None:
        """Embed one batch and return how many documents were embedded; None when there is nothing to claim. A batch
        that comes again, because its vectors could not be kept, stays claimed, so that the others get their turn."""
        if self.background:
            await self.app.process.calls.wait_until_idle()
        claimed = await self._claimed()
        if claimed and claimed == self.last:
            claimed = await self._claimed()
        if not claimed:
            return None
        self.last = claimed
        try:
            # Another process may have finished some of them before they were claimed.
            still = set(await self.store.lacking_vectors(self.model, _LOOKED_AT))
            keys = [key for key in claimed if key in still]
            try:
                await self._embed(keys)
            except EmbeddingError as error:
                if error.retryable and (error.status_code or 0) < 500:  # some servers answer 500 to a long text
                    raise
                await self._embed_each(keys)
        finally:
            with anyio.CancelScope(shield=True):
                await self.store.remove_records(_CLAIMS, [self._claim(key) for key in claimed])
        return len([key for key in keys if key not in self.refused])

    async def _embed_each(self, keys: Sequence[str]) -> None:
        """Embed documents one by one, and leave out of this run those that the model refuses. Raises EmbeddingError if
        it refuses all of several documents: then something else is wrong."""
        for key in keys:
            try:
                await self._embed([key])
            except EmbeddingError as error:
                self.refused[key] = error
        if len(keys) > 1 and self.refused.keys() >= set(keys):
            raise self.refused[keys[0]]

    async def _embed(self, keys: Sequence[str]) -> None:
        """Embed documents by their keys, as many together as hold `CHARS_AT_ONCE` characters."""
        waiting: list[Snapshot] = []
        for key in keys:
            if (kept := await self.store.snapshot(key)) is not None:
                waiting.append(kept)
            if sum(len(one.document.markdown) for one in waiting) >= CHARS_AT_ONCE:
                await self.vectors.embed(self.model, waiting)
                waiting = []
        if waiting:
            await self.vectors.embed(self.model, waiting)

    async def _claimed(self) -> tuple[str, ...]:
        """Claim up to a batch of documents that lack vectors, so that no other process embeds them, and return their
        keys; () if there are none to claim."""
        size = STATIC_BATCH if self.model == STATIC_MODEL else MODEL_BATCH
        lacking = await self.store.lacking_vectors(self.model, _LOOKED_AT)
        lacking = [key for key in lacking if key not in self.refused]
        claims = {self._claim(key): key for key in lacking}
        for at in range(0, len(lacking), size):
            part = dict.fromkeys([self._claim(key) for key in lacking[at : at + size]], os.getpid())
            added = await self.store.add_records(_CLAIMS, part, expires_at=time.time() + CLAIM_SECONDS)
            if added:
                return tuple(claims[one] for one in added)
        return ()

    def _claim(self, key: str) -> str:
        """The key of the record by which a process claims a document."""
        return f"{self.model} {key}"
