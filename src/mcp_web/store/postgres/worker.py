"""Runs functions with pooled connections in worker threads, because the driver blocks."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import psycopg
from psycopg_pool import PoolTimeout

from mcp_web import trace
from mcp_web.errors import CacheError
from mcp_web.store.postgres.connect import Connection, connect, is_broken, make_pool, translate_errors
from mcp_web.store.postgres.database import PostgresDatabase
from mcp_web.store.sql.database import read_only_error

T = TypeVar("T")
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN"


class ConnectionWorker:
    """Runs functions with connections from a pool of limited size, each in a worker thread. Work that fails because the
    server restarted is retried until a deadline."""

    def __init__(
        self,
        parameters: dict[str, Any],
        size: int,
        wait_seconds: float,
        tenant: int,
        clock: Callable[[], float],
    ) -> None:
        self._parameters = parameters
        self._wait_seconds = wait_seconds
        self._tenant = tenant  # whose rows the connections may see
        self._owner = tenant  # whose rows the statements select; another tenant's in a shared store
        self._clock = clock
        self._limiter = anyio.CapacityLimiter(size)
        self._pool = make_pool(parameters, size, wait_seconds)
        self._closed = False
        self._owns_pool = True
        self._read_only = False

    async def open(self) -> None:
        await anyio.to_thread.run_sync(self._pool.open)

    async def close(self) -> None:
        self._closed = True
        if not self._owns_pool:
            return
        # A cancelled shutdown still closes its connections.
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._pool.close)

    def for_tenant(self, tenant: int, shared_by: int | None = None) -> ConnectionWorker:
        """A worker with the same pool for the rows of another tenant or, with `shared_by`, for reading those that the
        tenant `shared_by` shares with it. Closing it leaves the pool open."""
        made = copy.copy(self)
        made._tenant, made._owns_pool, made._read_only = tenant, False, shared_by is not None
        made._owner = tenant if shared_by is None else shared_by
        return made

    async def select(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function without a transaction: for a single statement. Raises CacheError or ConfigError."""
        return await anyio.to_thread.run_sync(self._run_with_retries, None, work, limiter=self._limiter)

    async def read(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function in a read-only transaction: it sees one consistent state. Raises CacheError or ConfigError."""
        return await anyio.to_thread.run_sync(self._run_with_retries, _READ, work, limiter=self._limiter)

    async def write(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function in one transaction; raises CacheError in a store that can only be read."""
        if self._read_only:
            raise read_only_error()
        return await anyio.to_thread.run_sync(self._run_with_retries, _WRITE, work, limiter=self._limiter)

    async def write_if_free(self, work: Callable[[PostgresDatabase], None]) -> None:
        """Run a function in a transaction; a CacheError is not raised but logged."""
        try:
            await self.write(work)
        except CacheError as error:
            trace.log("debug", "store_skipped", note=str(error))

    async def run_maintenance(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function over a connection of its own, without a time limit for statements (only for locks)."""
        return await anyio.to_thread.run_sync(self._run_maintenance, work)

    def _run_maintenance(self, work: Callable[[PostgresDatabase], T]) -> T:
        with translate_errors(self._parameters), connect(self._parameters) as db:
            self._set_tenant(db)
            db.execute("SET statement_timeout = 0")
            return work(self._database(db))

    def _run_with_retries(self, begin: str | None, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function in the transaction that the statement `begin` starts (None: without one).

        It is run again, for up to `_wait_seconds`, when the connection broke, unless the COMMIT of a write was already
        sent. Raises CacheError or ConfigError.
        """
        if self._closed:
            raise CacheError("The store has been closed.")
        ends = time.monotonic() + self._wait_seconds
        committing = False

        def run(db: PostgresDatabase) -> T:
            nonlocal committing
            if begin is None:
                return work(db)
            db.execute(begin)
            try:
                result = work(db)
            except BaseException:
                if not db.connection.closed:
                    db.execute("ROLLBACK")
                raise
            committing = begin == _WRITE
            db.execute("COMMIT")
            return result

        with translate_errors(self._parameters):
            while True:
                try:
                    return self._run_once(run, max(0.1, ends - time.monotonic()))
                except psycopg.Error as error:
                    # After COMMIT was sent it is unknown whether it was executed: the caller decides.
                    if committing or not is_broken(error) or time.monotonic() >= ends:
                        raise
                    self._pool.check()  # replaces every connection that the restart broke

    def _run_once(self, run: Callable[[PostgresDatabase], T], timeout: float) -> T:
        """Run a function with a connection of the pool; waits at most `timeout` seconds to get one."""
        try:
            db = self._pool.getconn(timeout)
        except PoolTimeout:
            connect(self._parameters).close()  # raises the cause, whereas the pool only waits
            raise
        try:
            self._set_tenant(db)
            return run(self._database(db))
        except psycopg.Error:
            # After a failed pipeline the driver treats statements as prepared that the server never received.
            db.close()
            raise
        finally:
            self._pool.putconn(db)  # the pool replaces a closed connection

    def _database(self, db: Connection) -> PostgresDatabase:
        return PostgresDatabase(db, self._owner, self._clock)

    def _set_tenant(self, db: Connection) -> None:
        """Let a connection see the rows of this worker's tenant, unless it already does."""
        if getattr(db, "mcp_web_tenant", None) != self._tenant:
            db.execute("SELECT set_config('mcp_web.tenant', %s, false)", (str(self._tenant),))
            db.mcp_web_tenant = self._tenant  # type: ignore[attr-defined]  # the driver has no place for it
