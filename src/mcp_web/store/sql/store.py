"""`Store` for SQL engines: which statements a method runs, and how.

This package has the statements and what engines have in common. An engine subclasses `SqlStore` with its connections
and its differences.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import anyio.to_thread

from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import ReadingRecord, Snapshot, SnapshotInfo
from mcp_web.store.pack import pack_json
from mcp_web.store.posting_blobs import MERGE_AT
from mcp_web.store.prepare import Prepared, prepare
from mcp_web.store.protocol import (
    NOTHING,
    Candidate,
    Derived,
    DocumentFilter,
    PageRecord,
    Purged,
    PurgeRule,
    Store,
    StoredVectors,
    VectorQuery,
    WordMatches,
    WordQuery,
)
from mcp_web.store.quantized import dequantize, quantize
from mcp_web.store.sql import citations, copying, labels, page_writes, pages, screenshots
from mcp_web.store.sql import metrics as metric_rows
from mcp_web.store.sql import purge as purging
from mcp_web.store.sql import readings as reading_rows
from mcp_web.store.sql import records as record_rows
from mcp_web.store.sql import vectors as vector_rows
from mcp_web.store.sql.database import Database

if TYPE_CHECKING:
    from mcp_web.store.word_index import WordIndex

P = ParamSpec("P")
T = TypeVar("T")
PreparedRecord = tuple[list[Prepared], PageRecord]  # the prepared versions of a page, the newest last, and its record

# Times of last use are collected in memory, so that reading a kept page needs no write. They only order the LRU purge.
_USES_WAIT = 60.0  # seconds until they are written
_USES_MOST = 256  # how many are collected before they are written earlier
_MAINTAIN_EVERY = 300.0  # seconds between two deletions of expired rows
_COUNT_EVERY = 32  # pages kept between two counts of the documents that wait to be merged

Method = Callable[Concatenate["SqlStore", P], Coroutine[Any, Any, T]]


def select(work: Callable[Concatenate[Database, P], T]) -> Method[P, T]:
    """Make a method of the store from `work`, a function of a connection that reads with one statement."""
    return _method("_select", work)


def read(work: Callable[Concatenate[Database, P], T]) -> Method[P, T]:
    """Make a method of the store from `work`, a function of a connection that reads one state with several
    statements."""
    return _method("_read", work)


def search(work: Callable[Concatenate[Database, P], T]) -> Method[P, T]:
    """Make a method of the store from `work`, a function of a connection (it may be one for searches) that searches."""
    return _method("_search", work)


def write(work: Callable[Concatenate[Database, P], T]) -> Method[P, T]:
    """Make a method of the store from `work`, a function of a connection that writes: it runs in one transaction."""
    return _method("_write", work)


def _method(runner: str, work: Callable[Concatenate[Database, P], T]) -> Method[P, T]:
    """A store method that runs `work`, a function of a connection, by the store's `Run` of this name: `_read`, `_write`
    …"""

    async def method(self: SqlStore, /, *args: P.args, **kwargs: P.kwargs) -> T:
        found: T = await getattr(self, runner)(lambda db: work(db, *args, **kwargs))
        return found

    return method


class Run(Protocol):
    """A method that calls `work` with a connection, in a worker thread, and returns its result."""

    def __call__(self, work: Callable[[Any], T], /) -> Coroutine[Any, Any, T]: ...


class SqlStore(Store):
    """A store with a blocking driver: each call runs in a worker thread. Subclasses implement one engine each."""

    # How an engine runs a function with a connection:
    _select: Run  # without a transaction: for one statement
    _read: Run  # over one consistent state of the store
    _search: Run  # the same for searches, whose state may be slightly older
    _search_words: Run  # the same, one at a time, because the word index in memory is used
    _write: Run  # in one transaction
    # Runs a function in a transaction, which is skipped while another process writes.
    _write_if_free: Callable[[Callable[[Any], None]], Coroutine[Any, Any, None]]

    # Replaces the vectors of pages, by key; skips pages that are no longer stored.
    _keep_stored_vectors: Callable[[Any, Mapping[str, StoredVectors]], None]
    _drop_stored_vectors = staticmethod(vector_rows.drop)

    def __init__(self, clock: Callable[[], float], *, is_shared: bool) -> None:
        """`clock` returns Unix times. `is_shared`: this is a read-only store of what another tenant shares."""
        self._clock = clock
        self._is_shared = is_shared
        self._lacking: dict[str, vector_rows.LackingVectors] = {}  # by model
        self._uses: dict[str, float] = {}  # times of last use that are not written yet, by key
        self._uses_since = 0.0
        self._maintained = 0.0  # when expired rows were last deleted
        self._kept = _COUNT_EVERY - 1  # so that the first page counts what earlier processes left

    # pages and snapshots
    snapshot = select(pages.by_hash)
    versions = select(pages.versions)
    page_records = read(copying.page_records)
    confirm = write(page_writes.confirm)
    complete = select(pages.complete)
    seen = select(pages.seen)
    listing = select(pages.listing)
    keys = select(pages.keys)
    hosts = select(pages.hosts)
    collections = select(labels.counts)
    keep_screenshot = write(screenshots.keep)
    screenshot = select(screenshots.screenshot)

    async def latest(self, key: str) -> Snapshot | None:
        found = await self._select(lambda db: pages.newest(db, key))
        if found is not None:
            await self._mark_used(key)
        return found

    async def browse(
        self, limit: int, *, after: str = "", filter: DocumentFilter | None = None
    ) -> tuple[list[SnapshotInfo], str]:
        await self._write_uses()
        return await self._select(lambda db: pages.browse(db, limit, after=after, filter=filter))

    async def keep(self, snapshot: Snapshot, derived: Derived = NOTHING) -> None:
        await self.keep_many([(snapshot, derived)])

    async def keep_many(self, kept: Sequence[tuple[Snapshot, Derived]]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: [prepare(snapshot, derived) for snapshot, derived in kept])
        if ready:
            await self._write(lambda db: self._keep_prepared(db, ready))

    async def keep_page_records(self, records: Sequence[tuple[PageRecord, Derived]]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: [_prepared(*pair) for pair in records])
        await self._write(lambda db: self._keep_records(db, ready))

    async def purge(self, rule: PurgeRule, *, dry_run: bool) -> Purged:
        await self._write_uses()
        return await self._write(lambda db: purging.purge(db, rule, dry_run=dry_run))

    remove = write(purging.remove)
    trim_versions = write(purging.trim_versions)

    # readings
    remove_readings = write(reading_rows.remove)

    async def add_readings(self, key: str, readings: Sequence[ReadingRecord]) -> None:
        await self._write_if_free(lambda db: reading_rows.add_to(db, key, readings))

    async def readings(self, key: str) -> list[ReadingRecord]:
        if self._is_shared:  # the readings of a tenant are never shared
            return []
        return [one for _, one in await self._select(lambda db: reading_rows.of_pages(db, [key]))]

    # vectors
    count_lacking_vectors = select(vector_rows.count_lacking)

    async def vectors(self, key: str, model: str) -> PackedVectors | None:
        found = await self._select(lambda db: vector_rows.of_pages(db, [key], model))
        return dequantize(found[0][1]) if found else None

    async def keep_vectors(self, packed: Mapping[str, PackedVectors]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: {key: quantize(one) for key, one in packed.items()})
        if ready:
            await self._write(lambda db: self._keep_stored_vectors(db, ready))

    async def drop_vectors(self, keep: Sequence[str]) -> int:
        dropped = await self._write(lambda db: self._drop_stored_vectors(db, keep))
        self._lacking.clear()
        return dropped

    async def lacking_vectors(self, model: str, limit: int) -> list[str]:
        found = self._lacking.setdefault(model, vector_rows.LackingVectors(model))
        return await self._read(lambda db: found.keys(db, limit))

    # search
    documents = search(pages.documents)
    headlines = search(pages.headlines)
    cites = search(citations.cites)
    cited_by = search(citations.cited_by)

    async def find_by_words(self, query: WordQuery, limit: int) -> WordMatches:
        return await self._search_words(lambda db: self._words.find(db.index, query, limit))

    async def find_by_vector(self, query: VectorQuery) -> list[Candidate]:
        return await self._search(lambda db: self._find_nearest(db, query)) if len(query.vector) else []

    @abstractmethod
    def _find_nearest(self, db: Any, query: VectorQuery) -> list[Candidate]:
        """As `Store.find_by_vector`: the documents nearest to the query's vector, which is not empty, best first."""

    async def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        return await self._search_words(lambda db: self._words.count(db.index, words))

    # Lazy, because importing numpy takes a tenth of a second, and opening a page does not need it.
    @cached_property
    def _words(self) -> WordIndex:
        """The word index in the memory of this process, used by one thread at a time."""
        from mcp_web.store.word_index import WordIndex

        return WordIndex(visible_only=self._is_shared)

    async def unindexed(self, limit: int) -> list[str]:
        return await self._select(lambda db: db.index.unindexed(limit))

    # records, notes, metrics
    record = select(record_rows.record)
    records = select(record_rows.records)
    record_kinds = select(record_rows.kinds)
    add_records = write(record_rows.add)
    keep_record = write(record_rows.keep)
    replace_record = write(record_rows.replace)
    remove_records = write(record_rows.remove)
    note = select(record_rows.note)
    notes = select(record_rows.notes)
    add_metrics = write(metric_rows.add)
    metrics = select(metric_rows.totals)

    async def keep_note(self, kind: str, key: str, value: Any, expires_at: float) -> None:
        packed = pack_json(value)
        await self._write(lambda db: record_rows.keep_note(db, kind, key, packed, expires_at))

    # writing pages
    def _keep_prepared(self, db: Database, ready: Sequence[Prepared]) -> int:
        """Write versions, each as the newest of its page, with what is derived from them; returns the row number of the
        last page."""
        page, now = 0, db.now()
        first = db.index.lock(len(ready))
        with db.pipeline():
            for number, prepared in enumerate(ready, start=first):
                page, version, is_new = page_writes.keep(db, prepared, now, prepared.snapshot.checked_at)
                _index(db, page, version, prepared, number, is_new=is_new)
        self._maintain_sometimes(db, len(ready))
        return page

    def _keep_records(self, db: Database, ready: Sequence[PreparedRecord]) -> None:
        """Write pages with everything in their records, replacing what is kept of them."""
        first = db.index.lock(len(ready))
        keys = [versions[-1].snapshot.key for versions, _ in ready]
        purging.remove(db, keys)
        vectors: dict[str, dict[str, StoredVectors]] = defaultdict(dict)  # by model and key
        with db.pipeline():
            for number, key, (versions, record) in zip(count(first), keys, ready, strict=False):
                page = version = 0
                for one in versions:
                    page, version, _ = page_writes.keep(db, one, record.used_at, record.since[one.snapshot.hash])
                _index(db, page, version, versions[-1], number, is_new=True)
                for hash_, png in record.screenshots.items():
                    screenshots.keep(db, hash_, png)
                reading_rows.add(db, page, record.readings[::-1])
                for stored in record.vectors:
                    vectors[stored.model][key] = stored
        for of_model in vectors.values():
            self._keep_stored_vectors(db, of_model)
        self._maintain_sometimes(db, len(ready))

    def _maintain_sometimes(self, db: Database, kept: int) -> None:
        """Called along with a write of `kept` pages; at intervals, merges waiting documents into the index if there are
        many, and deletes expired rows."""
        before = self._kept // _COUNT_EVERY
        self._kept += kept
        if self._kept // _COUNT_EVERY > before and db.index.count_waiting() >= MERGE_AT:
            db.index.merge()
        if db.now() - self._maintained >= _MAINTAIN_EVERY:
            self._maintained = db.now()
            _drop_expired(db)

    # marks of use
    async def _mark_used(self, key: str) -> None:
        """Note in memory that a page was used now; written to the database later, for many pages at once."""
        if self._is_shared:
            return
        now = self._clock()
        if not self._uses:
            self._uses_since = now
        self._uses[key] = now
        if len(self._uses) >= _USES_MOST or now - self._uses_since >= _USES_WAIT:
            await self._write_uses()

    async def _write_uses(self) -> None:
        """Write the collected times of last use; a failure loses them, which only affects the order of a purge."""
        if self._uses:
            uses, self._uses = self._uses, {}
            await self._write_if_free(lambda db: page_writes.mark_used(db, uses))


def finish_pending_work(db: Database) -> None:
    """Merge waiting documents into the index; delete the postings of deleted documents, if many, and expired rows."""
    db.index.lock()
    db.index.merge()
    db.index.drop_deleted()
    _drop_expired(db)


def _index(db: Database, page: int, version: int, prepared: Prepared, number: int, *, is_new: bool) -> None:
    """Write the collections, the index entry and the citations of a page's newest version. `page` and `version` are row
    numbers; `number` is the document's number in the word index. `is_new`: the page has no rows to replace yet."""
    # For a new page nothing is read back here, so that its statements can be sent together.
    labels.keep(db, page, prepared.labels, is_new=is_new)
    db.index.add(page, version, prepared, number, is_new=is_new)
    citations.keep(db, page, prepared.names, prepared.mentions, is_new=is_new)


def _drop_expired(db: Database) -> None:
    record_rows.drop_expired(db)
    reading_rows.drop_old(db)


def _prepared(record: PageRecord, derived: Derived) -> PreparedRecord:
    *older, newest = record.versions
    return [*(prepare(one, NOTHING) for one in older), prepare(newest, derived)], record
