"""What the stores have in common: preparing rows outside the transaction, marks of use, the moments of maintenance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import anyio.to_thread

from mcp_web.errors import CacheError
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.prepare import Prepared, prepare
from mcp_web.store.protocol import NOTHING, Derived, PageRecord, StoredVectors
from mcp_web.store.quantized import plain, quantized

PreparedRecord = tuple[list[Prepared], PageRecord]  # its versions, the newest last

# Marks of use wait in memory: a cached open then costs no write. A kill loses only these, which order the LRU purge.
_USES_WAIT = 60.0
_USES_MOST = 256
_MAINTAIN_EVERY = 300.0
_COUNT_EVERY = 32


class StoreBase(ABC):
    """A store whose driver blocks; each call runs in a worker thread."""

    def __init__(self, clock: Callable[[], float], *, is_shared: bool) -> None:
        """`is_shared`: what another tenant shares, which can be read only."""
        self._clock = clock
        self._is_shared = is_shared
        self._uses: dict[str, float] = {}
        self._uses_since = 0.0
        self._maintained = 0.0
        self._kept = _COUNT_EVERY - 1  # the first counts what earlier processes left

    async def keep(self, snapshot: Snapshot, derived: Derived = NOTHING) -> None:
        await self.keep_many([(snapshot, derived)])

    async def keep_many(self, kept: Sequence[tuple[Snapshot, Derived]]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: [prepare(snapshot, derived) for snapshot, derived in kept])
        if ready:
            await self._keep_prepared(ready, self._clock())

    async def keep_page_records(self, records: Sequence[tuple[PageRecord, Derived]]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: [_prepared(*pair) for pair in records])
        await self._keep_records(ready, self._clock())

    async def vectors(self, key: str, model: str) -> PackedVectors | None:
        found = await self._stored_vectors(key, model)
        return plain(found[0]) if found else None

    async def keep_vectors(self, key: str, packed: PackedVectors) -> None:
        await self.keep_many_vectors({key: packed})

    async def keep_many_vectors(self, packed: Mapping[str, PackedVectors]) -> None:
        ready = await anyio.to_thread.run_sync(lambda: {key: quantized(one) for key, one in packed.items()})
        if ready:
            await self._keep_stored_vectors(ready)

    @abstractmethod
    async def _keep_prepared(self, ready: Sequence[Prepared], now: float) -> None: ...

    @abstractmethod
    async def _keep_records(self, ready: Sequence[PreparedRecord], now: float) -> None: ...

    @abstractmethod
    async def _stored_vectors(self, key: str, model: str) -> list[StoredVectors]: ...

    @abstractmethod
    async def _keep_stored_vectors(self, stored: Mapping[str, StoredVectors]) -> None: ...

    @abstractmethod
    async def _keep_uses(self, uses: Mapping[str, float]) -> None:
        """Note when pages were used, unless another writer is in the way."""

    async def _mark_used(self, key: str) -> None:
        if self._is_shared:
            return
        now = self._clock()
        if not self._uses:
            self._uses_since = now
        self._uses[key] = now
        if len(self._uses) >= _USES_MOST or now - self._uses_since >= _USES_WAIT:
            await self._write_uses()

    async def _write_uses(self) -> None:
        if self._uses:
            uses, self._uses = self._uses, {}
            await self._keep_uses(uses)

    def _counts_now(self, kept: int) -> bool:
        """After so many more were kept, is it time to count those that wait to be merged into the index?"""
        before = self._kept // _COUNT_EVERY
        self._kept += kept
        return self._kept // _COUNT_EVERY > before

    def _expires_now(self, now: float) -> bool:
        """Is it time to delete expired rows?"""
        if now - self._maintained < _MAINTAIN_EVERY:
            return False
        self._maintained = now
        return True


def read_only_error() -> CacheError:
    return CacheError("This collection is shared by another tenant: it can be read, not changed.")


def _prepared(record: PageRecord, derived: Derived) -> PreparedRecord:
    *older, newest = record.versions
    return [*(prepare(one, NOTHING) for one in older), prepare(newest, derived)], record
