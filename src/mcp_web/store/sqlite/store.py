"""`Store` over one SQLite file."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_web.model.snapshot import Snapshot
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import Candidate, Purged, PurgeRule, StoreSize, VectorQuery
from mcp_web.store.sql import check, pages, purge
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.store import SqlStore, finish_pending_work, select, write
from mcp_web.store.sqlite import shares as share_rows
from mcp_web.store.sqlite import vectors
from mcp_web.store.sqlite.database import SqliteDatabase
from mcp_web.store.sqlite.recent import RecentPages
from mcp_web.store.sqlite.worker import ConnectionWorker

if TYPE_CHECKING:
    from mcp_web.store.sqlite.nearest import NearestIndex

_PAGES_PER_ROUND = 200  # pages deleted to shrink the file: so many that a round is rare, so few that it is quick


class SqliteStore(SqlStore):
    """A store in one SQLite file, with a connection each for reads, searches and writes, so that no reader waits."""

    _keep_stored_vectors = staticmethod(vectors.keep)

    def __init__(
        self,
        path: Path,
        *,
        size_limit: int,
        wait_seconds: float,
        clock: Callable[[], float] = time.time,
        collections: Sequence[str] | None = None,
    ) -> None:
        is_shared = collections is not None
        super().__init__(clock, is_shared=is_shared)
        self.path = path
        self._size_limit = size_limit
        self._recent = RecentPages(path)
        self._nearest: dict[tuple[str, int], NearestIndex] = {}  # by model and number of dimensions
        self._nearest_version = -1

        def worker(cache_bytes: int, on_replaced: Callable[[], None]) -> ConnectionWorker:
            return ConnectionWorker(path, wait_seconds, cache_bytes, on_replaced, collections, clock)

        self._reads = worker(16 << 20, self._clear_caches)
        # A larger cache than the other connections have, because postings and texts are read repeatedly.
        self._searches = worker(64 << 20, self._clear_caches)
        self._writes = worker(16 << 20, lambda: None)
        self._select = self._read = self._reads.read
        self._search = self._search_words = self._searches.read
        self._write, self._write_if_free = self._writes.write, self._writes.write_if_free

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
        """Open the file, created or migrated if needed; a damaged one is moved aside first. Raises CacheError. Beyond
        `size_limit` bytes (0: no limit) the least recently used web pages are deleted. With `collections`, only their
        documents are visible, and nothing can be written. A call waits `wait_seconds` for others that write."""
        store = cls(path, size_limit=size_limit, wait_seconds=wait_seconds, clock=clock, collections=collections)
        await store._reads.open()
        return store

    async def latest(self, key: str) -> Snapshot | None:
        """The newest version of a page, or None; marks it as used. A recently read page is returned without a query."""
        found = self._recent.get(key)
        if found is not None:
            await self._mark_used(key)
            return found
        before = self._recent.signature()
        found = await super().latest(key)
        if found is not None:
            self._recent.keep(key, found, before)
        return found

    def _find_nearest(self, db: SqliteDatabase, query: VectorQuery) -> list[Candidate]:
        from mcp_web.store.sqlite.nearest import NearestIndex

        # In a shared store any write may change what is visible: all vectors are read again.
        if self._is_shared and (version := db.index.version()) != self._nearest_version:
            self._nearest_version = version
            self._nearest.clear()
        name = query.model, len(query.vector)
        index = self._nearest.setdefault(name, NearestIndex(*name))
        also = list(pages.numbers(db, query.also).values()) if query.also else []
        return index.find(db, query, self._words.allowed(db.index, query.filter), also)

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        taken = await super().purge(rule, dry_run=dry_run)
        if taken.pages and not dry_run:
            await self._writes.release_free_pages()
        return taken

    async def maintain(self) -> None:
        await self._write_uses()
        await self._write(finish_pending_work)
        await self._writes.release_free_pages()

    shares = select(share_rows.shares)
    add_share = write(share_rows.add)
    remove_shares = write(share_rows.remove)

    async def size(self) -> StoreSize:
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        disk_bytes = sum(part.stat().st_size for part in files if part.exists())
        return await self._read(lambda db: pages.size(db, disk_bytes))

    async def check(self) -> list[str]:
        return await self._reads.read(lambda db: [*_file_faults(db), *check.faults(db)])

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            for worker in (self._searches, self._writes, self._reads):
                await worker.close()

    def _keep_prepared(self, db: Database, ready: Sequence[Prepared]) -> int:
        page = super()._keep_prepared(db, ready)
        if self._size_limit:
            _shrink_to(db, self._size_limit, page)
        return page

    def _clear_caches(self) -> None:
        """Clear what is in memory of the file, because another file has taken its place."""
        self.__dict__.pop("_words", None)
        self._nearest.clear()
        self._lacking.clear()


def _file_faults(db: SqliteDatabase) -> list[str]:
    """A sentence for each fault that SQLite itself finds in the file: at most 20 of its structure, 20 of references."""
    broken = [f"SQLite: {row[0]}." for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    orphans = db.execute("PRAGMA foreign_key_check").fetchmany(20)
    return [*broken, *(f"SQLite: a row of {row[0]} has no parent." for row in orphans)]


def _shrink_to(db: Database, limit: int, spare: int) -> None:
    """If the file is larger than `limit` bytes, delete the least recently used web pages, down to 90 % of the limit.
    `spare` is the row number of a page that is not deleted."""
    if _used_bytes(db) <= limit:
        return
    query = "SELECT id FROM pages WHERE source = 'web' AND id <> :spare ORDER BY used_at LIMIT :most"
    while _used_bytes(db) > limit * 0.9 and (rows := db.rows(query, spare=spare, most=_PAGES_PER_ROUND)):
        purge.remove_rows(db, [page for (page,) in rows])
        db.index.drop_deleted()  # their postings take space too


def _used_bytes(db: Database) -> int:
    """The size of the file in bytes, without its free pages."""
    pages, free, size = (db.value(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size"))
    return int((pages - free) * size)
