"""`Store` over a PostgreSQL server with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.postgres import nearest, vectors
from mcp_web.store.postgres import shares as share_rows
from mcp_web.store.postgres.connect import SCHEMA, parameters
from mcp_web.store.postgres.database import PostgresDatabase
from mcp_web.store.postgres.replica import CONNECT_SECONDS, SearchWorker
from mcp_web.store.postgres.tenants import prepare_database, tenant_id, tenant_number
from mcp_web.store.postgres.worker import ConnectionWorker
from mcp_web.store.protocol import Share, StoreSize
from mcp_web.store.sql import check, pages
from mcp_web.store.sql.store import SqlStore, finish

T = TypeVar("T")


class PostgresStore(SqlStore):
    """Every call takes a connection of the pool; writers of one tenant's index take turns."""

    _keep_stored_vectors = staticmethod(vectors.keep)
    _drop_stored_vectors = staticmethod(vectors.drop)

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
        super().__init__(clock, nearest.PostgresSearchIndex(visible_only=is_shared), is_shared=is_shared)
        self.tenant = tenant
        self._worker, self._searches = worker, searches
        self._look, self._read, self._search = worker.look, worker.read, searches.read
        self._write, self._write_if_free = worker.write, worker.write_if_free
        self._search_words = self._search_alone
        self._searching = anyio.Lock()
        self._numbers: dict[str, int] = {}  # of tenants by name

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
        worker = ConnectionWorker(given, connections, wait_seconds, number, clock)
        await worker.open()
        replica = None
        if read_url:
            given = {"connect_timeout": int(CONNECT_SECONDS)} | parameters(read_url, wait_seconds)
            replica = ConnectionWorker(given, connections, CONNECT_SECONDS, number, clock)
        searches = SearchWorker(worker, replica)
        await searches.open()
        return cls(worker, number, clock, searches)

    async def for_tenant(self, tenant: str) -> PostgresStore:
        """The store of another tenant over the same connections."""
        number = await self._worker.write(lambda db: tenant_number(db.connection, tenant))
        worker = self._worker.for_tenant(number)
        return PostgresStore(worker, number, self._clock, self._searches.for_tenant(worker, number))

    async def shared_by(self, owner: str, reader: str) -> PostgresStore:
        """What one tenant shares with another, for reading."""
        number, shared_by = await self._number(reader), await self._number(owner)
        worker = self._worker.for_tenant(number, shared_by)
        searches = self._searches.for_tenant(worker, number, shared_by)
        return PostgresStore(worker, shared_by, self._clock, searches, is_shared=True)

    async def _search_alone(self, work: Callable[[PostgresDatabase], T]) -> T:
        async with self._searching:
            return await self._search(work)

    async def maintain(self) -> None:
        def work(db: PostgresDatabase) -> None:
            with db.connection.transaction():
                finish(db)
            nearest.build_indexes(db)

        await self._write_uses()
        await self._worker.outside(work)

    async def shares(self, tenant: str) -> list[Share]:
        return await self._worker.for_tenant(await self._number(tenant)).look(share_rows.shares)

    async def add_share(self, share: Share) -> None:
        owner = await self.for_tenant(share.owner)
        await owner._worker.write(lambda db: share_rows.add(db, share))

    async def remove_shares(self, owner: str, collection: str, reader: str | None = None) -> int:
        store = await self.for_tenant(owner)
        return await store._worker.write(lambda db: share_rows.remove(db, collection, reader))

    async def size(self) -> StoreSize:
        return await self._read(_size_of)

    async def check(self) -> list[str]:
        return await self._worker.outside(check.faults)

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            await self._searches.close()
            await self._worker.close()

    async def _number(self, tenant: str) -> int:
        if tenant not in self._numbers:
            self._numbers[tenant] = await self._worker.write(lambda db: tenant_id(db.connection, tenant))
        return self._numbers[tenant]


def _size_of(db: PostgresDatabase) -> StoreSize:
    """The size of the tenant's pages; `disk_bytes` is that of all tenants."""
    disk_bytes = db.value(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r'",
        schema=SCHEMA,
    )
    return pages.size(db, disk_bytes)
