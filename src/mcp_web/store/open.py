"""From options to a store, ready to use."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcp_web.errors import CacheError, ConfigError
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.options import FILE_NAME, StoreOptions, database_file, user_path
from mcp_web.store.protocol import Store

TENANTS = "tenants"
SCHEMES = ("postgresql", "postgres")


async def open_store(options: StoreOptions, tenant: str = DEFAULT_TENANT) -> Store:
    """Open the store that the options name, creating and migrating it as needed."""
    if options.database_url:
        return await _open_postgres(options.database_url, options, tenant)
    return await _open_sqlite(tenant_file(options, tenant), options)


def tenant_file(options: StoreOptions, tenant: str) -> Path:
    """The SQLite file of a tenant: each has one of its own, so no query can reach another's rows."""
    file = database_file(options)
    return file if tenant == DEFAULT_TENANT else file.parent / TENANTS / tenant / FILE_NAME


def tenant_folder(options: StoreOptions) -> Path:
    """The folder that holds a folder for each tenant other than the default one."""
    return database_file(options).parent / TENANTS


async def open_place(place: str, options: StoreOptions) -> Store:
    """Open the store that a user named: the path of a SQLite file, or the address of a PostgreSQL server."""
    if "://" in place:
        return await _open_postgres(place, options)
    return await _open_sqlite(user_path(place), options)


def exists(place: str) -> bool:
    """Is there a file at this path? A server is asked when it is opened."""
    return "://" in place or user_path(place).is_file()


async def open_shared(
    options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
) -> Store | None:
    """What one tenant shares with another, for reading; None while the owner keeps nothing."""
    if options.database_url:
        from mcp_web.store.postgres.store import PostgresStore

        return await main.shared_by(owner, reader) if isinstance(main, PostgresStore) else None
    from mcp_web.store.sqlite.store import SqliteStore

    file = tenant_file(options, owner)
    if not file.is_file():
        return None
    return await SqliteStore.open(file, wait_seconds=options.wait_seconds, collections=collections)


async def _open_sqlite(path: Path, options: StoreOptions) -> Store:
    from mcp_web.store.sqlite.store import SqliteStore

    return await SqliteStore.open(path, size_limit=options.size_limit, wait_seconds=options.wait_seconds)


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """A store, and what the caller has to know about how it was opened."""

    store: Store
    note: str = ""  # what is different from a usual start
    refusal: CacheError | None = None  # why nothing is kept: the store is a temporary one
    folder: tempfile.TemporaryDirectory[str] | None = None  # of the temporary store


async def open_store_or_temporary(options: StoreOptions, tenant: str = DEFAULT_TENANT) -> OpenedStore:
    """Open the store; where its file cannot be used, a temporary one, so that pages can still be opened."""
    if options.database_url:
        return OpenedStore(await open_store(options, tenant))
    file = tenant_file(options, tenant)
    before = _set_aside(file)
    try:
        store = await open_store(options, tenant)
    except CacheError as error:
        if error.retryable:
            raise
        folder = tempfile.TemporaryDirectory(prefix="mcp-web-")
        temporary = await open_store(replace(options, path=str(Path(folder.name) / file.name)))
        return OpenedStore(temporary, f"{error.message} Pages are opened but not kept.", error, folder)
    for aside in _set_aside(file) - before:
        note = f"The store was damaged and an empty one was begun; what was kept before is in {aside}."
        return OpenedStore(store, note)
    return OpenedStore(store)


def _set_aside(file: Path) -> set[str]:
    """Damaged files that were moved aside."""
    try:
        return {str(one) for one in file.parent.glob(f"{file.name}.damaged-*") if one.name[-1].isdigit()}
    except OSError:
        return set()


async def _open_postgres(url: str, options: StoreOptions, tenant: str = DEFAULT_TENANT) -> Store:
    scheme = url.partition("://")[0].lower()
    if scheme not in SCHEMES:
        raise ConfigError(
            f"MCP_WEB_DATABASE_URL begins with {scheme!r}; a PostgreSQL address begins with postgresql://.",
            suggestion="Correct the address, or unset it to use the SQLite file.",
        )
    try:
        from mcp_web.store.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise ConfigError(
            "A PostgreSQL store needs the driver psycopg, which is not installed.",
            suggestion='Install it: pip install "mcp-web[postgres]".',
        ) from error
    return await PostgresStore.open(
        url,
        tenant=tenant,
        connections=options.connections,
        wait_seconds=options.wait_seconds,
        read_url=options.database_read_url if url == options.database_url else "",
    )
