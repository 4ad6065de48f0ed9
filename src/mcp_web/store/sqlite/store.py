"""`Store` over one SQLite file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread

from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source
from mcp_web.store.protocol import (
    Card,
    Derived,
    Edge,
    Finder,
    Purged,
    PurgeRule,
    StoreFigures,
)
from mcp_web.store.sqlite import citations, figures, labels, notes, pages, pictures, postings, purge, vectors
from mcp_web.store.sqlite.finder import SqliteFinder
from mcp_web.store.sqlite.lacking import Lacking
from mcp_web.store.sqlite.lane import Lane
from mcp_web.store.sqlite.prepare import Prepared, prepare
from mcp_web.store.sqlite.recall import Recall

T = TypeVar("T")

# Marks of use wait in memory: a cached open then costs no write. A kill loses only these, which order the LRU purge.
_USES_WAIT = 60.0
_USES_MOST = 256
_TIDY_EVERY = 300.0
_COUNT_EVERY = 32


class SqliteStore:
    """Reads and writes go over their own connections, so a reader never waits for a writer."""

    def __init__(
        self, path: Path, *, max_bytes: int, busy_seconds: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._clock = clock
        self._reads = Lane(path, busy_seconds, forget=self._forget)
        self._recall = Recall(path)
        self._searches = Lane(path, busy_seconds, cache_bytes=64 << 20, forget=self._forget)  # postings, texts
        self._writes = Lane(path, busy_seconds)
        self._finder = SqliteFinder()
        self._lacking: dict[str, Lacking] = {}
        self._uses: dict[str, float] = {}
        self._uses_since = 0.0
        self._tidied = 0.0
        self._kept = 0
        self._indexed = False  # by this version's rules: an older file is indexed again before the first search

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        max_bytes: int = 0,
        busy_seconds: float = 20.0,
        clock: Callable[[], float] = time.time,
    ) -> SqliteStore:
        """Open the file, creating and migrating it; a damaged one is moved aside with a note in the log."""
        store = cls(path, max_bytes=max_bytes, busy_seconds=busy_seconds, clock=clock)
        await store._reads.open()
        return store

    # pages and snapshots
    async def latest(self, key: str) -> Snapshot | None:
        found = self._recall.get(key)
        if found is None:
            before = self._recall.signature()
            found = await self._reads.read(lambda db: pages.newest(db, key))
            if found is not None:
                self._recall.keep(key, found, before)
        if found is not None:
            await self._mark_used(key)
        return found

    async def snapshot(self, hash_or_prefix: str) -> Snapshot | None:
        return await self._reads.read(lambda db: pages.by_hash(db, hash_or_prefix))

    async def versions(self, key: str) -> list[SnapshotInfo]:
        return await self._reads.read(lambda db: pages.versions(db, key))

    async def keep(self, snapshot: Snapshot, derived: Derived | None = None) -> None:
        await self.keep_many([(snapshot, derived)])

    async def keep_many(self, kept: Sequence[tuple[Snapshot, Derived | None]]) -> None:
        now = self._clock()
        ready = await anyio.to_thread.run_sync(lambda: [prepare(snapshot, derived) for snapshot, derived in kept])

        def work(db: sqlite3.Connection) -> None:
            page = 0
            for prepared in ready:
                page = _keep(db, prepared, now)
                self._tidy_now_and_then(db, now)
            if self._max_bytes and purge.used_bytes(db) > self._max_bytes:
                purge.make_room(db, self._max_bytes, page)

        await self._writes.write(work)

    async def confirm(self, key: str, checked_at: float, fresh_until: float) -> None:
        await self._writes.write(lambda db: pages.confirm(db, key, checked_at, fresh_until))

    async def recent(self, limit: int, source: Source | None = None) -> list[SnapshotInfo]:
        await self._write_uses()
        return await self._reads.read(lambda db: pages.recent(db, limit, source))

    async def complete(self, prefix: str, limit: int) -> list[str]:
        return await self._reads.read(lambda db: pages.complete(db, prefix, limit))

    async def seen(self, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
        return await self._reads.read(lambda db: pages.seen(db, urls))

    async def keep_picture(self, hash_: str, png: bytes) -> None:
        await self._writes.write(lambda db: pictures.keep(db, hash_, png))

    async def picture(self, hash_: str) -> bytes | None:
        return await self._reads.read(lambda db: pictures.picture(db, hash_))

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
    async def vectors(self, key: str, model: str) -> PackedVectors | None:
        return await self._reads.read(lambda db: vectors.load(db, key, model))

    async def keep_vectors(self, key: str, packed: PackedVectors) -> None:
        await self._writes.write(await anyio.to_thread.run_sync(vectors.prepared, key, packed))

    async def drop_vectors(self, but: str) -> int:
        self._lacking.clear()
        return await self._writes.write(lambda db: vectors.drop(db, but))

    # finding
    async def finding(self, work: Callable[[Finder], T]) -> T:
        if not self._indexed:
            await self._index_again()
        return await self._searches.read(lambda db: work(self._finder.on(db)))

    async def cards(self, keys: Sequence[str]) -> dict[str, Card]:
        return await self._reads.read(lambda db: pages.cards(db, keys))

    async def titles(self, keys: Sequence[str]) -> dict[str, str]:
        return await self._reads.read(lambda db: pages.titles(db, keys))

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        lacking = self._lacking.setdefault(model, Lacking(model))
        return await self._reads.read(lambda db: lacking.keys(db, limit))

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

    async def collections(self) -> dict[str, int]:
        return await self._reads.read(labels.counts)

    async def remove(self, keys: Sequence[str]) -> int:
        def work(db: sqlite3.Connection) -> int:
            numbers = pages.numbers(db, keys)
            purge.remove(db, numbers)
            return len(numbers)

        return await self._writes.write(work)

    async def tidy(self) -> None:
        def work(db: sqlite3.Connection) -> None:
            postings.merge(db)
            postings.sweep(db)
            notes.drop_expired(db, self._clock())

        await self._write_uses()
        await self._writes.write(work)
        await self._writes.give_back_space()

    # notes
    async def note(self, kind: str, key: str) -> Any | None:
        now = self._clock()
        return await self._reads.read(lambda db: notes.note(db, kind, key, now))

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        packed = notes.packed(value)
        await self._writes.write(lambda db: notes.keep(db, kind, key, packed, expires_at))

    async def drop_notes(self, kind: str) -> int:
        return await self._writes.write(lambda db: notes.drop(db, kind))

    # figures
    async def add_figures(self, drained: dict[str, Any]) -> None:
        await self._writes.write(lambda db: figures.add(db, drained))

    async def figures(self) -> dict[str, Any]:
        return await self._reads.read(figures.totals)

    async def size(self) -> StoreFigures:
        file_bytes = sum(part.stat().st_size for part in self._files() if part.exists())
        return await self._reads.read(lambda db: _size(db, file_bytes))

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            for lane in (self._searches, self._writes, self._reads):
                await lane.close()

    async def _index_again(self) -> None:
        """Index what an older version indexed in another way, a few hundred documents to a transaction."""

        def some(db: sqlite3.Connection) -> bool:
            found = postings.unindexed(db, postings.MERGE_AT)
            for page, key, day in found:
                snapshot = pages.newest(db, key)
                if snapshot is None:
                    db.execute("DELETE FROM documents WHERE page = ?", (page,))
                else:
                    postings.reindex(db, page, day, prepare(snapshot, None))
            if found:
                postings.merge(db)
            return bool(found)

        if await self._reads.read(lambda db: bool(postings.unindexed(db, 1))):
            while await self._writes.write(some):
                pass
        self._indexed = True

    def _forget(self) -> None:
        """Drop what was read of a file that is gone."""
        self._finder = SqliteFinder()
        self._lacking.clear()

    def _files(self) -> list[Path]:
        return [self.path, self.path.with_name(self.path.name + "-wal")]

    async def _mark_used(self, key: str) -> None:
        now = self._clock()
        if not self._uses:
            self._uses_since = now
        self._uses[key] = now
        if len(self._uses) >= _USES_MOST or now - self._uses_since >= _USES_WAIT:
            await self._write_uses()

    async def _write_uses(self) -> None:
        if not self._uses:
            return
        uses, self._uses = self._uses, {}
        await self._writes.write_if_free(lambda db: pages.mark_used(db, uses))

    def _tidy_now_and_then(self, db: sqlite3.Connection, now: float) -> None:
        """With a write that happens anyway."""
        self._kept += 1
        if self._kept % _COUNT_EVERY == 1 and postings.waiting(db) >= postings.MERGE_AT:
            postings.merge(db)
        if now - self._tidied >= _TIDY_EVERY:
            self._tidied = now
            notes.drop_expired(db, now)


def _keep(db: sqlite3.Connection, prepared: Prepared, now: float) -> int:
    """The rows of a snapshot, of its words and of what it cites; answers the page's row."""
    page, version = pages.keep(db, prepared, now)
    labels.keep(db, page, prepared.snapshot)
    postings.add(db, page, version, prepared)
    citations.keep(db, page, prepared.names, prepared.mentions)
    return page


def _size(db: sqlite3.Connection, file_bytes: int) -> StoreFigures:
    count, text = db.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM pages").fetchone()
    versions, oldest, newest = db.execute("SELECT count(*), min(fetched_at), max(fetched_at) FROM snapshots").fetchone()
    return StoreFigures(count, versions, text, file_bytes, oldest, newest)
