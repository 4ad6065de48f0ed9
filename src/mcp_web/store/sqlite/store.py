"""`Store` over one SQLite file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_web.model.snapshot import ReadingRecord, Snapshot, SnapshotInfo, Source
from mcp_web.store.base import PreparedRecord, StoreBase
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
from mcp_web.store.sqlite import (
    citations,
    copying,
    figures,
    labels,
    notes,
    pages,
    pictures,
    postings,
    purge,
    records,
    shares,
)
from mcp_web.store.sqlite import readings as reading_rows
from mcp_web.store.sqlite import vectors as vector_rows
from mcp_web.store.sqlite.check import faults
from mcp_web.store.sqlite.lacking import Lacking
from mcp_web.store.sqlite.lacking import count as count_lacking
from mcp_web.store.sqlite.recent import RecentPages
from mcp_web.store.sqlite.search import SearchState
from mcp_web.store.sqlite.worker import ConnectionWorker


class SqliteStore(StoreBase):
    """Reads and writes go over their own connections, so a reader never waits for a writer."""

    def __init__(
        self,
        path: Path,
        *,
        size_limit: int,
        wait_seconds: float,
        clock: Callable[[], float] = time.time,
        collections: Sequence[str] | None = None,
    ) -> None:
        super().__init__(clock, is_shared=collections is not None)
        self.path = path
        self._size_limit = size_limit
        self._reads = ConnectionWorker(path, wait_seconds, on_replaced=self._forget, collections=collections)
        self._recent = RecentPages(path)
        # A larger cache than the others have: postings and texts are read again and again.
        self._searches = ConnectionWorker(
            path, wait_seconds, cache_bytes=64 << 20, on_replaced=self._forget, collections=collections
        )
        self._writes = ConnectionWorker(path, wait_seconds, collections=collections)
        self._search = SearchState(visible_only=self._is_shared)
        self._lacking: dict[str, Lacking] = {}

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        size_limit: int = 0,
        wait_seconds: float = 20.0,
        clock: Callable[[], float] = time.time,
        collections: Sequence[str] | None = None,
    ) -> SqliteStore:
        """Open the file, creating and migrating it; a damaged one is moved aside with a note in the log. With
        `collections` nothing else is visible, and nothing can be written."""
        store = cls(path, size_limit=size_limit, wait_seconds=wait_seconds, clock=clock, collections=collections)
        await store._reads.open()
        return store

    # pages and snapshots
    async def latest(self, key: str) -> Snapshot | None:
        found = self._recent.get(key)
        if found is None:
            before = self._recent.signature()
            found = await self._reads.read(lambda db: pages.newest(db, key))
            if found is not None:
                self._recent.keep(key, found, before)
        if found is not None:
            await self._mark_used(key)
        return found

    async def snapshot(self, hash_or_prefix: str) -> Snapshot | None:
        return await self._reads.read(lambda db: pages.by_hash(db, hash_or_prefix))

    async def versions(self, key: str) -> list[SnapshotInfo]:
        return await self._reads.read(lambda db: pages.versions(db, key))

    async def _keep_prepared(self, ready: Sequence[Prepared], now: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            page = 0
            for prepared in ready:
                page = _keep(db, prepared, now)
            self._maintain_sometimes(db, now, len(ready))
            if self._size_limit and purge.used_bytes(db) > self._size_limit:
                purge.shrink_to_limit(db, self._size_limit, page)

        await self._writes.write(work)

    async def page_records(self, keys: Sequence[str]) -> dict[str, PageRecord]:
        return await self._reads.read(lambda db: copying.page_records(db, keys))

    async def _keep_records(self, ready: Sequence[PreparedRecord], now: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            for versions, record in ready:
                page, version = copying.keep_page_record(db, versions, record)
                _index(db, page, version, versions[-1])
            self._maintain_sometimes(db, now, len(ready))

        await self._writes.write(work)

    async def confirm(self, key: str, checked_at: float, fresh_until: float) -> None:
        await self._writes.write(lambda db: pages.confirm(db, key, checked_at, fresh_until))

    async def recent(self, limit: int, source: Source | None = None) -> list[SnapshotInfo]:
        await self._write_uses()
        return await self._reads.read(lambda db: pages.recent(db, limit, source))

    async def browse(
        self, limit: int, *, after: str = "", filter: DocumentFilter | None = None
    ) -> tuple[list[SnapshotInfo], str]:
        await self._write_uses()
        return await self._reads.read(lambda db: pages.browse(db, limit, after, filter or DocumentFilter()))

    async def complete(self, prefix: str, limit: int) -> list[str]:
        return await self._reads.read(lambda db: pages.complete(db, prefix, limit))

    async def seen(self, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
        return await self._reads.read(lambda db: pages.seen(db, urls))

    async def keep_picture(self, hash_: str, png: bytes) -> None:
        await self._writes.write(lambda db: pictures.keep(db, hash_, png))

    async def picture(self, hash_: str) -> bytes | None:
        return await self._reads.read(lambda db: pictures.picture(db, hash_))

    # readings
    async def add_readings(self, key: str, readings: Sequence[ReadingRecord]) -> None:
        await self._writes.write_if_free(lambda db: reading_rows.add(db, key, readings))

    async def readings(self, key: str) -> list[ReadingRecord]:
        if self._is_shared:  # what a tenant asked is its own, also of documents that it shares
            return []
        return await self._reads.read(lambda db: reading_rows.readings(db, key))

    async def remove_readings(self, key: str) -> int:
        return await self._writes.write(lambda db: reading_rows.remove(db, key))

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        await self._write_uses()
        now = self._clock()
        taken = await self._writes.write(lambda db: purge.purge(db, rule, now, dry_run=dry_run))
        if taken.pages and not dry_run:
            await self._writes.give_back_space()
        return taken

    async def trim_versions(self, most: int) -> int:
        return await self._writes.write(lambda db: purge.trim_versions(db, most))

    # vectors
    async def _stored_vectors(self, key: str, model: str) -> list[StoredVectors]:
        return await self._reads.read(lambda db: vector_rows.load(db, key, model))

    async def _keep_stored_vectors(self, stored: Mapping[str, StoredVectors]) -> None:
        def work(db: sqlite3.Connection) -> None:
            for key, vectors in stored.items():
                vector_rows.keep(db, key, vectors)

        await self._writes.write(work)

    async def drop_vectors(self, keep: Sequence[str]) -> int:
        self._lacking.clear()
        return await self._writes.write(lambda db: vector_rows.drop(db, keep))

    # search
    async def find_by_words(self, query: WordQuery, limit: int, *, rows: int = 0) -> WordMatches:
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
        return await self._searches.read(
            lambda db: self._search.by_vector(db, model, vector, limit, filter, also, quick)
        )

    async def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        return await self._searches.read(lambda db: self._search.word_counts(db, words))

    async def unindexed(self, limit: int) -> list[str]:
        return await self._reads.read(lambda db: postings.unindexed(db, limit))

    async def documents(self, keys: Sequence[str]) -> dict[str, DocumentRow]:
        return await self._searches.read(lambda db: pages.documents(db, keys))

    async def headlines(self, keys: Sequence[str]) -> dict[str, Headline]:
        return await self._searches.read(lambda db: pages.headlines(db, keys))

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        lacking = self._lacking.setdefault(model, Lacking(model))
        return await self._reads.read(lambda db: lacking.keys(db, limit))

    async def count_lacking_vectors(self, model: str) -> int:
        return await self._reads.read(lambda db: count_lacking(db, model))

    async def cites(self, keys: Sequence[str], limit: int) -> list[Edge]:
        return await self._reads.read(lambda db: citations.cites(db, keys, limit))

    async def cited_by(self, keys: Sequence[str], limit: int) -> list[Edge]:
        return await self._reads.read(lambda db: citations.cited_by(db, keys, limit))

    async def listing(self, source: Source, path_prefix: str = "") -> list[tuple[str, str, str, str | None]]:
        return await self._reads.read(lambda db: pages.listing(db, source, path_prefix))

    async def keys(
        self, after: str = "", limit: int = 1000, source: Source | None = None, collection: str | None = None
    ) -> list[str]:
        return await self._reads.read(lambda db: pages.keys(db, after, limit, source, collection))

    async def hosts(self, limit: int) -> list[tuple[str, int]]:
        return await self._reads.read(lambda db: pages.hosts(db, limit))

    async def collections(self) -> dict[str, int]:
        return await self._reads.read(labels.counts)

    async def remove(self, keys: Sequence[str]) -> int:
        def work(db: sqlite3.Connection) -> int:
            numbers = list(pages.numbers(db, keys).values())
            purge.remove(db, numbers)
            return len(numbers)

        return await self._writes.write(work)

    async def maintain(self) -> None:
        def work(db: sqlite3.Connection) -> None:
            postings.merge(db)
            postings.drop_deleted(db)
            _drop_expired(db, self._clock())

        await self._write_uses()
        await self._writes.write(work)
        await self._writes.give_back_space()

    # records
    async def record(self, kind: str, key: str) -> Any | None:
        now = self._clock()
        return await self._reads.read(lambda db: records.record(db, kind, key, now))

    async def records(self, kind: str, *, limit: int = 100_000, newest_first: bool = False) -> list[Record]:
        now = self._clock()
        return await self._reads.read(lambda db: records.records(db, kind, now, limit, newest_first))

    async def record_kinds(self) -> list[str]:
        return await self._reads.read(records.kinds)

    async def add_records(self, kind: str, items: Mapping[str, Any], expires_at: float | None = None) -> list[str]:
        now = self._clock()
        return await self._writes.write(lambda db: records.add(db, kind, items, expires_at, now))

    async def keep_record(self, kind: str, key: str, value: Any, expires_at: float | None = None) -> None:
        await self._writes.write(lambda db: records.keep(db, kind, key, value, expires_at))

    async def replace_record(
        self, kind: str, key: str, value: Any, *, expected: Any, expires_at: float | None = None
    ) -> bool:
        now = self._clock()
        return await self._writes.write(lambda db: records.replace(db, kind, key, value, expected, expires_at, now))

    async def remove_records(self, kind: str, keys: Sequence[str] | None = None) -> list[str]:
        return await self._writes.write(lambda db: records.remove(db, kind, keys))

    # notes
    async def note(self, kind: str, key: str) -> Any | None:
        now = self._clock()
        return await self._reads.read(lambda db: notes.note(db, kind, key, now))

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        packed = notes.packed(value)
        await self._writes.write(lambda db: notes.keep(db, kind, key, packed, expires_at))

    async def notes(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[tuple[str, Record]]:
        now = self._clock()
        return await self._reads.read(lambda db: notes.notes(db, after, limit, now))

    # figures
    async def add_figures(self, drained: dict[str, Any]) -> None:
        await self._writes.write(lambda db: figures.add(db, drained))

    async def figures(self) -> dict[str, Any]:
        return await self._reads.read(figures.totals)

    # shared collections
    async def shares(self, tenant: str) -> list[Share]:
        return await self._reads.read(lambda db: shares.shares(db, tenant))

    async def add_share(self, share: Share) -> None:
        await self._writes.write(lambda db: shares.add(db, share))

    async def remove_shares(self, owner: str, collection: str, reader: str | None = None) -> int:
        return await self._writes.write(lambda db: shares.remove(db, owner, collection, reader))

    async def size(self) -> StoreSize:
        disk_bytes = sum(part.stat().st_size for part in self._files() if part.exists())
        return await self._reads.read(lambda db: _size(db, disk_bytes))

    async def check(self) -> list[str]:
        return await self._reads.read(faults)

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            for worker in (self._searches, self._writes, self._reads):
                await worker.close()

    def _forget(self) -> None:
        """Drop what was read of a file that has been replaced."""
        self._search = SearchState(visible_only=self._is_shared)
        self._lacking.clear()

    def _files(self) -> list[Path]:
        return [self.path, self.path.with_name(self.path.name + "-wal")]

    async def _keep_uses(self, uses: Mapping[str, float]) -> None:
        await self._writes.write_if_free(lambda db: pages.mark_used(db, uses))

    def _maintain_sometimes(self, db: sqlite3.Connection, now: float, kept: int) -> None:
        """Now and then, together with a write: add waiting documents to the word index and delete what has expired."""
        if self._counts_now(kept) and postings.waiting(db) >= MERGE_AT:
            postings.merge(db)
        if self._expires_now(now):
            _drop_expired(db, now)


def _keep(db: sqlite3.Connection, prepared: Prepared, now: float) -> int:
    """The rows of a snapshot, of its words and of what it cites; returns the page's row."""
    page, version = pages.keep(db, prepared, now)
    _index(db, page, version, prepared)
    return page


def _index(db: sqlite3.Connection, page: int, version: int, prepared: Prepared) -> None:
    labels.keep(db, page, prepared.labels)
    postings.add(db, page, version, prepared)
    citations.keep(db, page, prepared.names, prepared.mentions)


def _drop_expired(db: sqlite3.Connection, now: float) -> None:
    notes.drop_expired(db, now)
    records.drop_expired(db, now)
    reading_rows.drop_old(db, now)


def _size(db: sqlite3.Connection, disk_bytes: int) -> StoreSize:
    count, text = db.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM pages").fetchone()
    # Each from an index: together they would read the table.
    sums = ("count(*)", "min(fetched_at)", "max(fetched_at)")
    versions, oldest, newest = (
        db.execute(f"SELECT {one} FROM snapshots").fetchone()[0]  # noqa: S608
        for one in sums
    )
    return StoreSize(count, versions, text, disk_bytes, oldest, newest)
