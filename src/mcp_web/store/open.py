"""From options to a store, ready to use."""

from __future__ import annotations

import importlib.util

from mcp_web.errors import ConfigError
from mcp_web.store.options import StoreOptions, database_file
from mcp_web.store.protocol import Store


async def open_store(options: StoreOptions) -> Store:
    """Open the store that the options name, creating and migrating it as needed."""
    if options.database_url:
        return await _open_postgres(options)
    from mcp_web.store.sqlite.store import SqliteStore

    return await SqliteStore.open(
        database_file(options), size_limit=options.size_limit, wait_seconds=options.wait_seconds
    )


async def _open_postgres(options: StoreOptions) -> Store:
    scheme = options.database_url.partition("://")[0].lower()
    if scheme not in ("postgresql", "postgres"):
        raise ConfigError(
            f"MCP_WEB_DATABASE_URL begins with {scheme!r}; a PostgreSQL address begins with postgresql://.",
            suggestion="Correct the address, or unset it to use the SQLite file.",
        )
    if importlib.util.find_spec("mcp_web.store.postgres") is None:
        raise ConfigError(
            "MCP_WEB_DATABASE_URL names a PostgreSQL server, but this version keeps everything in SQLite only.",
            suggestion="Unset MCP_WEB_DATABASE_URL; MCP_WEB_DB_PATH chooses the SQLite file.",
        )
    module = importlib.import_module("mcp_web.store.postgres.store")
    opened: Store = await module.PostgresStore.open(options)
    return opened
