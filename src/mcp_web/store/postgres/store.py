"""`Store` over a PostgreSQL server with pgvector."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from mcp_web import trace
from mcp_web.errors import CacheError
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.postgres import nearest, vectors
from mcp_web.store.postgres import shares as share_rows
from mcp_web.store.postgres.connect import SCHEMA, connection_parameters
from mcp_web.store.postgres.database import PostgresDatabase
from mcp_web.store.postgres.tenants import enter_tenant, prepare_database, tenant_id
from mcp_web.store.postgres.worker import ConnectionWorker
from mcp_web.store.protocol import Candidate, Share, StoreSize, VectorQuery
from mcp_web.store.sql import check, pages
from mcp_web.store.sql.store import SqlStore, finish_pending_work

T = TypeVar("T")
_REPLICA_CONNECT_SECONDS = 2.0  # that a search waits for the replica before the server answers it
_REPLICA_AWAY_SECONDS = 30.0  # after a failure, until the replica is asked again


class PostgresStore(SqlStore):
    """A store on a PostgreSQL server. Every call takes a connection of the pool; writers of one tenant's index take
    turns.

    A read replica answers searches, if one is configured; the server while the replica is unavailable. It lags behind,
    so everything else is read from the server: a caller always finds what it has just kept.
    """

    _keep_stored_vectors = staticmethod(vectors.keep)
    _drop_stored_vectors = staticmethod(vectors.drop)

    def __init__(
        self,
        worker: ConnectionWorker,
        tenant: int,
        clock: Callable[[], float],
        replica: ConnectionWorker | None,
        *,
        is_shared: bool = False,
    ) -> None:
        """`tenant`: the id of the tenant whose rows are read. `replica`: connections to a read replica, for searches.
        `is_shared`: the connections are another tenant's, which sees what this one shares with it."""
        super().__init__(clock, is_shared=is_shared)
        self.tenant = tenant
        self._worker, self._replica = worker, replica
        self._replica_away_until = 0.0
        self._select, self._read, self._search = worker.select, worker.read, self._search_replica
        self._write, self._write_if_free = worker.write, worker.write_if_free
        self._search_words = self._search_one_at_a_time
        self._searching = anyio.Lock()
        self._tenant_ids: dict[str, int] = {}  # by name

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
        """Connect to a server, and create or migrate the tables; raises ConfigError or CacheError. `connections`: the
        most; `wait_seconds`: how long a call waits for one; `read_url`: the address of a read replica, or empty."""
        parameters = connection_parameters(url, wait_seconds)
        id_ = await anyio.to_thread.run_sync(prepare_database, parameters, tenant)
        worker = ConnectionWorker(parameters, connections, wait_seconds, id_, clock)
        replica = None
        if read_url:
            timeout = {"connect_timeout": int(_REPLICA_CONNECT_SECONDS)}
            parameters = timeout | connection_parameters(read_url, wait_seconds)
            replica = ConnectionWorker(parameters, connections, _REPLICA_CONNECT_SECONDS, id_, clock)
            await replica.open()
        await worker.open()
        return cls(worker, id_, clock, replica)

    async def for_tenant(self, tenant: str) -> PostgresStore:
        """The store of another tenant over the same connections; the tenant is added if it is unknown."""
        id_ = await self._worker.write(lambda db: enter_tenant(db.connection, tenant))
        replica = self._replica.for_tenant(id_) if self._replica else None
        return PostgresStore(self._worker.for_tenant(id_), id_, self._clock, replica)

    async def shared_by(self, owner: str, reader: str) -> PostgresStore:
        """A read-only store of what one tenant shares with another; unknown tenants are added."""
        ids = await self._tenant_id(reader), await self._tenant_id(owner)
        replica = self._replica.for_tenant(*ids) if self._replica else None
        return PostgresStore(self._worker.for_tenant(*ids), ids[1], self._clock, replica, is_shared=True)

    def _find_nearest(self, db: PostgresDatabase, query: VectorQuery) -> list[Candidate]:
        return nearest.find_nearest(db, query)

    async def _search_replica(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function over one consistent state of the replica, or of the server if the replica is unavailable."""
        if self._replica is not None and time.monotonic() >= self._replica_away_until:
            try:
                return await self._replica.read(work)
            except CacheError as error:
                self._replica_away_until = time.monotonic() + _REPLICA_AWAY_SECONDS
                trace.metrics.count("store_replica_failed_total")
                trace.log("error", "store_replica", message=error.message)
        return await self._worker.read(work)

    async def _search_one_at_a_time(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function as `_search_replica` does, when no other search uses the word index in memory."""
        async with self._searching:
            return await self._search(work)

    async def maintain(self) -> None:
        def work(db: PostgresDatabase) -> None:
            with db.connection.transaction():
                finish_pending_work(db)
            nearest.build_indexes(db)

        await self._write_uses()
        await self._worker.run_maintenance(work)

    async def shares(self, tenant: str) -> list[Share]:
        return await self._worker.for_tenant(await self._tenant_id(tenant)).select(share_rows.shares)

    async def add_share(self, share: Share) -> None:
        owner = await self.for_tenant(share.owner)
        await owner._worker.write(lambda db: share_rows.add(db, share))

    async def remove_shares(self, owner: str, collection: str, reader: str | None = None) -> int:
        store = await self.for_tenant(owner)
        return await store._worker.write(lambda db: share_rows.remove(db, collection, reader))

    async def size(self) -> StoreSize:
        return await self._read(_size_of)

    async def check(self) -> list[str]:
        return await self._worker.run_maintenance(check.faults)

    async def close(self) -> None:
        try:
            await self._write_uses()
        finally:
            for worker in (self._replica, self._worker):
                if worker is not None:
                    await worker.close()

    async def _tenant_id(self, tenant: str) -> int:
        """The id of a tenant by name, cached; an unknown tenant is added."""
        if tenant not in self._tenant_ids:
            self._tenant_ids[tenant] = await self._worker.write(lambda db: tenant_id(db.connection, tenant))
        return self._tenant_ids[tenant]


def _size_of(db: PostgresDatabase) -> StoreSize:
    """The size of the tenant's pages; `disk_bytes` is that of all tenants."""
    disk_bytes = db.value(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r'",
        schema=SCHEMA,
    )
    return pages.size(db, disk_bytes)
