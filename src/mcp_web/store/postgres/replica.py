"""Runs searches on a read replica of the server, if one is configured; on the server itself while it is unavailable.

A replica lags behind, so only searches use it: what a caller has just kept is always read from the server.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from mcp_web import trace
from mcp_web.errors import CacheError
from mcp_web.store.postgres.database import PostgresDatabase
from mcp_web.store.postgres.worker import ConnectionWorker

T = TypeVar("T")
CONNECT_SECONDS = 2.0  # that a search waits for the replica before it asks the server
_AWAY_SECONDS = 30.0  # after a failure, until the replica is asked again


class SearchWorker:
    """Runs a search on the replica, or on the server."""

    def __init__(self, server: ConnectionWorker, replica: ConnectionWorker | None = None) -> None:
        self._server = server
        self._replica = replica
        self._away_until = 0.0

    async def open(self) -> None:
        if self._replica is not None:
            await self._replica.open()

    async def close(self) -> None:
        if self._replica is not None:
            await self._replica.close()

    def for_tenant(self, server: ConnectionWorker, tenant: int, shared_by: int | None = None) -> SearchWorker:
        """The same replica for the rows of another tenant, or for those that a tenant shares with it."""
        return SearchWorker(server, self._replica.for_tenant(tenant, shared_by) if self._replica else None)

    async def read(self, work: Callable[[PostgresDatabase], T]) -> T:
        """Run a function over one consistent state of the database."""
        if self._replica is not None and time.monotonic() >= self._away_until:
            try:
                return await self._replica.read(work)
            except CacheError as error:
                self._away_until = time.monotonic() + _AWAY_SECONDS
                trace.metrics.count("store_replica_failed_total")
                trace.log("error", "store_replica", message=error.message)
        return await self._server.read(work)
