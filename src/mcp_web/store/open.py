"""From options to a store, ready to use."""

from __future__ import annotations

from pathlib import Path

from mcp_web.errors import ConfigError
from mcp_web.store.options import StoreOptions, database_file, user_path
from mcp_web.store.protocol import Store

SCHEMES = ("postgresql", "postgres")


async def open_store(options: StoreOptions) -> Store:
    """Open the store that the options name, creating and migrating it as needed."""
    if options.database_url:
        return await _open_postgres(options.database_url, options)
    return await _open_sqlite(database_file(options), options)


async def open_place(place: str, options: StoreOptions) -> Store:
    """Open the store that a user named: the path of a SQLite file, or the address of a PostgreSQL server."""
    if "://" in place:
        return await _open_postgres(place, options)
    return await _open_sqlite(user_path(place), options)


async def _open_sqlite(path: Path, options: StoreOptions) -> Store:
    from mcp_web.store.sqlite.store import SqliteStore

    return await SqliteStore.open(path, size_limit=options.size_limit, wait_seconds=options.wait_seconds)


async def _open_postgres(url: str, options: StoreOptions) -> Store:
    scheme = url.partition("://")[0].lower()
    if scheme not in SCHEMES:
        raise ConfigError(
            f"MCP_WEB_DATABASE_URL begins with {scheme!r}; a PostgreSQL address begins with postgresql://.",
            suggestion="Correct the address, or unset it to use the SQLite file.",
        )
    try:
        from mcp_web.store.postgres.store import PostgresStore
    except ImportError as error:
        raise ConfigError(
            "A PostgreSQL store needs the driver psycopg, which is not installed.",
            suggestion='Install it: pip install "mcp-web[postgres]".',
        ) from error
    return await PostgresStore.open(url, connections=options.connections, wait_seconds=options.wait_seconds)
