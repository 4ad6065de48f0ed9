"""`Store` over a PostgreSQL server with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
import anyio.to_thread

from mcp_web.model.snapshot import ReadingRecord, Snapshot, SnapshotInfo, Source
from mcp_web.store.base import PreparedRecord, StoreBase
from mcp_web.store.pack import pack_json
from mcp_web.store.postgres import (
    citations,
    copying,
    figures,
    labels,
    lacking,
    nearest,
    notes,
    pages,
    pictures,
    postings,
    purge,
    records,
    shares,
)
from mcp_web.store.postgres import readings as reading_rows
from mcp_web.store.postgres import vectors as vector_rows
from mcp_web.store.postgres.check import faults
from mcp_web.store.postgres.connect import Connection, parameters
from mcp_web.store.postgres.replica import CONNECT_SECONDS, SearchWorker
from mcp_web.store.postgres.schema import tenant_id, tenant_number
from mcp_web.store.postgres.search import SearchState
from mcp_web.store.postgres.size import size_of
from mcp_web.store.postgres.tenants import prepare_database
from mcp_web.store.postgres.worker import ConnectionWorker
from mcp_web.store.posting_blobs import MERGE_AT
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import (
    Candidate,
    DocumentFilter,
    DocumentRow,
    Edge,
    Headline,
    PageRecord,
    Purged,
    PurgeRule,
    Record,
    Share,
    StoredVectors,
    StoreSize,
    WordMatches,
    WordQuery,
)

DEFAULT_TENANT = "default"


class PostgresStore(StoreBase):
    """Every call takes a connection of the pool; writers of one tenant's index take turns."""

    def __init__(
        self,
        worker: ConnectionWorker,
        tenant: int,
        clock: Callable[[], float],
        searches: SearchWorker,
        *,
        is_shared: bool = False,
    ) -> None:
        """`is_shared`: the connections are another tenant's, which sees what this one shares with it."""
        super().__init__(clock, is_shared=is_shared)
        self.tenant = tenant
        self._worker, self._searches = worker, searches
        self._look, self._write = worker.look, worker.write
        self._search = SearchState(tenant, visible_only=is_shared)
        self._searching = anyio.Lock()
        self._numbers: dict[str, int] = {}  # of tenants by name
        self._lacking: dict[str, lacking.Lacking] = {}  # by model

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        tenant: str = DEFAULT_TENANT,
        connections: int = 8,
        wait_seconds: float = 20.0,
        clock: Callable[[], float] = time.time,
        read_url: str = "",
    ) -> PostgresStore:
        """Connect, create and migrate the tables; failures say what to correct. `read_url` names a read replica."""
        given = parameters(url, wait_seconds)
        number = await anyio.to_thread.run_sync(prepare_database, given, tenant)
        worker = ConnectionWorker(given, connections, wait_seconds, number)
        await worker.open()
        replica = None
        if read_url:
            given = {"connect_timeout": int(CONNECT_SECONDS)} | parameters(read_url, wait_seconds)
            replica = ConnectionWorker(given, connections, CONNECT_SECONDS, number)
        searches = SearchWorker(worker, replica)
        await searches.open()
        return cls(worker, number, clock, searches)

    async def for_tenant(self, tenant: str) -> PostgresStore:
        """The store of another tenant over the same connections."""
        number = await self._worker.write(lambda db: tenant_number(db, tenant))
        worker = self._worker.for_tenant(number)
        return PostgresStore(worker, number, self._clock, self._searches.for_tenant(worker, number))

    async def shared_by(self, owner: str, reader: str) -> PostgresStore:
        """What one tenant shares with another, for reading."""
        number = await self._number(reader)
        worker = self._worker.for_tenant(number, read_only=True)
        searches = self._searches.for_tenant(worker, number)
        return PostgresStore(worker, await self._number(owner), self._clock, searches, is_shared=True)

    # pages and snapshots
    async def latest(self, key: str) -> Snapshot | None:
        found = await self._look(lambda db: pages.newest(db, self.tenant, key))
        if found is not None:
            await self._mark_used(key)
        return found

    async def snapshot(self, hash_or_prefix: str) -> Snapshot | None:
        return await self._look(lambda db: pages.by_hash(db, self.tenant, hash_or_prefix))

    async def versions(self, key: str) -> list[SnapshotInfo]:
        return await self._look(lambda db: pages.versions(db, self.tenant, key))

    async def _keep_prepared(self, ready: Sequence[Prepared], now: float) -> None:
        def work(db: Connection) -> None:
            first = postings.lock(db, self.tenant, len(ready))
            with db.pipeline():
                for number, prepared in enumerate(ready, start=first):
                    page, version, is_new = pages.keep(db, self.tenant, prepared, now)
                    self._index(db, page, version, prepared, number, is_new=is_new)
            self._maintain_sometimes(db, now, len(ready))

        await self._write(work)

    async def page_records(self, keys: Sequence[str]) -> dict[str, PageRecord]:
        return await self._worker.read(lambda db: copying.page_records(db, self.tenant, keys))

    async def _keep_records(self, ready: Sequence[PreparedRecord], now: float) -> None:
        def work(db: Connection) -> None:
            first = postings.lock(db, self.tenant, len(ready))
            with db.pipeline():
                places = copying.keep_page_records(db, self.tenant, ready)
                for number, ((page, version), (versions, _)) in enumerate(zip(places, ready, strict=True), first):
                    self._index(db, page, version, versions[-1], number, is_new=True)
            self._maintain_sometimes(db, now, len(ready))

        await self._write(work)

    async def confirm(self, key: str, checked_at: float, fresh_until: float) -> None:
        await self._write(lambda db: pages.confirm(db, self.tenant, key, checked_at, fresh_until))

    async def recent(self, limit: int, source: Source | None = None) -> list[SnapshotInfo]:
        await self._write_uses()
        return await self._look(lambda db: pages.recent(db, self.tenant, limit, source))

    async def browse(
        self, limit: int, *, after: str = "", filter: DocumentFilter | None = None
    ) -> tuple[list[SnapshotInfo], str]:
        await self._write_uses()
        return await self._look(lambda db: pages.browse(db, self.tenant, limit, after, filter))

    async def complete(self, prefix: str, limit: int) -> list[str]:
        return await self._look(lambda db: pages.complete(db, self.tenant, prefix, limit))

    async def seen(self, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
        return await self._look(lambda db: pages.seen(db, self.tenant, urls))

    async def keep_picture(self, hash_: str, png: bytes) -> None:
        await self._write(lambda db: pictures.keep(db, self.tenant, hash_, png))

    async def picture(self, hash_: str) -> bytes | None:
        return await self._look(lambda db: pictures.picture(db, self.tenant, hash_))

    # readings
    async def add_readings(self, key: str, readings: Sequence[ReadingRecord]) -> None:
        await self._worker.write_if_free(lambda db: reading_rows.add_to(db, self.tenant, key, readings))

    async def readings(self, key: str) -> list[ReadingRecord]:
        return [one for _, one in await self._look(lambda db: reading_rows.readings(db, self.tenant, [key]))]

    async def remove_readings(self, key: str) -> int:
        return await self._write(lambda db: reading_rows.remove(db, self.tenant, key))

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        await self._write_uses()
        now = self._clock()

        def work(db: Connection) -> Purged:
            postings.lock(db, self.tenant)
            return purge.purge(db, self.tenant, rule, now, dry_run=dry_run)

        return await self._write(work)

    async def trim_versions(self, most: int) -> int:
        return await self._write(lambda db: purge.trim_versions(db, self.tenant, most))

    # vectors
    async def _stored_vectors(self, key: str, model: str) -> list[StoredVectors]:
        return [one for _, one in await self._look(lambda db: vector_rows.load(db, self.tenant, [key], model))]

    async def _keep_stored_vectors(self, stored: Mapping[str, StoredVectors]) -> None:
        await self._write(lambda db: vector_rows.keep(db, self.tenant, stored))

    async def drop_vectors(self, keep: Sequence[str]) -> int:
        dropped = await self._write(lambda db: vector_rows.drop(db, self.tenant, keep))
        self._lacking.clear()
        return dropped

    # search
    async def find_by_words(self, query: WordQuery, limit: int, *, rows: int = 0) -> WordMatches:
        async with self._searching:
            return await self._searches.read(lambda db: self._search.by_words(db, query, limit, rows))

    async def find_by_vector(
        self,
        model: str,
        vector: Sequence[float],
        limit: int,
        filter: DocumentFilter | None = None,
        *,
        also: Sequence[str] = (),
        quick: bool = False,
    ) -> list[Candidate]:
        if not len(vector):
            return []
        return await self._searches.read(
            lambda db: nearest.find(db, self.tenant, model, vector, limit, filter, also, quick)
        )

    async def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        async with self._searching:
            return await self._searches.read(lambda db: self._search.word_counts(db, words))

    async def unindexed(self, limit: int) -> list[str]:
        return await self._look(lambda db: postings.unindexed(db, self.tenant, limit))

    async def documents(self, keys: Sequence[str]) -> dict[str, DocumentRow]:
        return await self._searches.read(lambda db: pages.documents(db, self.tenant, keys))

    async def headlines(self, keys: Sequence[str]) -> dict[str, Headline]:
        return await self._searches.read(lambda db: pages.headlines(db, self.tenant, keys))

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        found = self._lacking.setdefault(model, lacking.Lacking(model))
        return await self._worker.read(lambda db: found.keys(db, self.tenant, limit))

    async def count_lacking_vectors(self, model: str) -> int:
        return await self._look(lambda db: lacking.count(db, self.tenant, model))

    async def cites(self, keys: Sequence[str], limit: int) -> list[Edge]:
        return await self._searches.read(lambda db: citations.cites(db, self.tenant, keys, limit))

    async def cited_by(self, keys: Sequence[str], limit: int) -> list[Edge]:
        return await self._searches.read(lambda db: citations.cited_by(db, self.tenant, keys, limit))

    async def listing(self, source: Source, path_prefix: str = "") -> list[tuple[str, str, str, str | None]]:
        return await self._look(lambda db: pages.listing(db, self.tenant, source, path_prefix))

    async def keys(
        self, after: str = "", limit: int = 1000, source: Source | None = None, collection: str | None = None
    ) -> list[str]:
        return await self._look(lambda db: pages.keys(db, self.tenant, after, limit, source, collection))

    async def hosts(self, limit: int) -> list[tuple[str, int]]:
        return await self._look(lambda db: pages.hosts(db, self.tenant, limit))

    async def collections(self) -> dict[str, int]:
        return await self._look(lambda db: labels.counts(db, self.tenant))

    async def remove(self, keys: Sequence[str]) -> int:
        def work(db: Connection) -> int:
            postings.lock(db, self.tenant)
            return purge.remove(db, list(pages.numbers(db, self.tenant, keys).values()))

        return await self._write(work)

    async def maintain(self) -> None:
        def work(db: Connection) -> None:
            with db.transaction():
                postings.lock(db, self.tenant)
                postings.merge(db, self.tenant)
                postings.drop_deleted(db, self.tenant)
                self._drop_expired(db, self._clock())
            nearest.build_indexes(db, self.tenant)

        await self._write_uses()
        await self._worker.outside(work)

    # records
    async def record(self, kind: str, key: str) -> Any | None:
        now = self._clock()
        return await self._look(lambda db: records.record(db, self.tenant, kind, key, now))

    async def records(self, kind: str, *, limit: int = 100_000, newest_first: bool = False) -> list[Record]:
        now = self._clock()
        return await self._look(lambda db: records.records(db, self.tenant, kind, now, limit, newest_first))

    async def record_kinds(self) -> list[str]:
        return await self._look(lambda db: records.kinds(db, self.tenant))

    async def add_records(self, kind: str, items: Mapping[str, Any], expires_at: float | None = None) -> list[str]:
        now = self._clock()
        return await self._write(lambda db: records.add(db, self.tenant, kind, items, expires_at, now))

    async def keep_record(self, kind: str, key: str, value: Any, expires_at: float | None = None) -> None:
        await self._write(lambda db: records.keep(db, self.tenant, kind, key, value, expires_at))

    async def replace_record(
        self, kind: str, key: str, value: Any, *, expected: Any, expires_at: float | None = None
    ) -> bool:
        now = self._clock()
        return await self._write(
            lambda db: records.replace(db, self.tenant, kind, key, value, expected, expires_at, now)
        )

    async def remove_records(self, kind: str, keys: Sequence[str] | None = None) -> list[str]:
        return await self._write(lambda db: records.remove(db, self.tenant, kind, keys))

    # notes
    async def note(self, kind: str, key: str) -> Any | None:
        now = self._clock()
        return await self._look(lambda db: notes.note(db, self.tenant, kind, key, now))

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        packed = pack_json(value)
        await self._write(lambda db: notes.keep(db, self.tenant, kind, key, packed, expires_at))

    async def notes(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[tuple[str, Record]]:
        now = self._clock()
        return await self._look(lambda db: notes.notes(db, self.tenant, after, limit, now))

    # figures
    async def add_figures(self, drained: dict[str, Any]) -> None:
        await self._write(lambda db: figures.add(db, self.tenant, drained))

    async def figures(self) -> dict[str, Any]:
        return await self._look(lambda db: figures.totals(db, self.tenant))

    # shared collections
    async def shares(self, tenant: str) -> list[Share]:
        return await self._worker.for_tenant(await self._number(tenant)).look(shares.shares)

    async def add_share(self, share: Share) -> None:
        owner = await self.for_tenant(share.owner)
        await owner._write(lambda db: shares.add(db, owner.tenant, share))

    async def remove_shares(self, owner: str, collection: str, reader: str | None = None) -> int:
        store = await self.for_tenant(owner)
        return await store._write(lambda db: shares.remove(db, store.tenant, collection, reader))

    async def size(self) -> StoreSize:
        return await self._worker.read(lambda db: size_of(db, self.tenant))

    async def check(self) -> list[str]:
        return await self._worker.outside(lambda db: faults(db, self.tenant))

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            await self._searches.close()
            await self._worker.close()

    async def _number(self, tenant: str) -> int:
        if tenant not in self._numbers:
            self._numbers[tenant] = await self._worker.write(lambda db: tenant_id(db, tenant))
        return self._numbers[tenant]

    async def _keep_uses(self, uses: Mapping[str, float]) -> None:
        await self._worker.write_if_free(lambda db: pages.mark_used(db, self.tenant, uses))

    def _index(self, db: Connection, page: int, version: int, prepared: Prepared, number: int, *, is_new: bool) -> None:
        # For a new page nothing is read back here, so that its statements go with the next one that is.
        labels.keep(db, self.tenant, page, prepared.labels, is_new=is_new)
        postings.add(db, self.tenant, page, version, prepared, number, is_new=is_new)
        citations.keep(db, self.tenant, page, prepared.names, prepared.mentions, is_new=is_new)

    def _maintain_sometimes(self, db: Connection, now: float, kept: int) -> None:
        """With a write that happens anyway."""
        if self._counts_now(kept) and postings.waiting(db, self.tenant) >= MERGE_AT:
            postings.merge(db, self.tenant)
        if self._expires_now(now):
            self._drop_expired(db, now)

    def _drop_expired(self, db: Connection, now: float) -> None:
        notes.drop_expired(db, self.tenant, now)
        records.drop_expired(db, self.tenant, now)
        reading_rows.drop_old(db, self.tenant, now)
