"""Opens stores on a PostgreSQL server: all tenants share its connections, and row-level security keeps them apart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import anyio.to_thread

from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.engine import OpenedStore
from mcp_web.store.options import StoreOptions
from mcp_web.store.postgres.store import PostgresStore
from mcp_web.store.postgres.tenants import erase_rows, tenant_names
from mcp_web.store.protocol import Store


class PostgresEngine:
    """Opens stores on a PostgreSQL server, which all tenants share; the methods are those of `Engine`."""

    def exists(self, place: str) -> bool:
        return True

    async def open(self, place: str, options: StoreOptions) -> Store:
        return await self._open(place, options, DEFAULT_TENANT)

    async def open_tenant(self, options: StoreOptions, tenant: str) -> Store:
        return await self._open(options.database_url, options, tenant)

    async def open_serving(
        self, options: StoreOptions, tenant: str, main: Callable[[], Awaitable[Store]] | None
    ) -> OpenedStore:
        opened = await main() if main else None
        if isinstance(opened, PostgresStore):
            return OpenedStore(await opened.for_tenant(tenant))
        return OpenedStore(await self.open_tenant(options, tenant))

    async def open_shared(
        self, options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
    ) -> Store | None:
        return await main.shared_by(owner, reader) if isinstance(main, PostgresStore) else None

    async def tenant_names(self, options: StoreOptions) -> list[str]:
        return await anyio.to_thread.run_sync(tenant_names, options.database_url, options.wait_seconds)

    async def erase_tenant(self, options: StoreOptions, tenant: str) -> None:
        await anyio.to_thread.run_sync(erase_rows, options.database_url, options.wait_seconds, tenant)

    async def _open(self, url: str, options: StoreOptions, tenant: str) -> Store:
        return await PostgresStore.open(
            url,
            tenant=tenant,
            connections=options.connections,
            wait_seconds=options.wait_seconds,
            read_url=options.database_read_url if url == options.database_url else "",
        )


ENGINE = PostgresEngine()
