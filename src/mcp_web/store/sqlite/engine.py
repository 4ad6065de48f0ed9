"""Opens SQLite files: each tenant has its own file, so no query can reach the rows of another."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio.to_thread

from mcp_web.errors import CacheError
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.engine import OpenedStore
from mcp_web.store.options import FILE_NAME, StoreOptions, database_file, user_path
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.connect import refuse_other_file
from mcp_web.store.sqlite.store import SqliteStore

_TENANTS = "tenants"  # the folder that holds a folder for each tenant other than the default one


class SqliteEngine:
    """Opens stores in SQLite files, one for each tenant; the methods are those of `Engine`."""

    def exists(self, place: str) -> bool:
        return user_path(place).is_file()

    async def open(self, place: str, options: StoreOptions) -> Store:
        await anyio.to_thread.run_sync(refuse_other_file, user_path(place), options.wait_seconds)
        return await self._open(user_path(place), options)

    async def open_tenant(self, options: StoreOptions, tenant: str) -> Store:
        return await self._open(_tenant_file(options, tenant), options)

    async def open_serving(
        self, options: StoreOptions, tenant: str, main: Callable[[], Awaitable[Store]] | None
    ) -> OpenedStore:
        """Open a tenant's file for a server. If it cannot be used, a temporary one is opened instead. The note says so,
        or that a damaged file was replaced. Raises CacheError only if trying again may help. `main` is not used."""
        file = _tenant_file(options, tenant)
        before = _damaged_files(file)
        try:
            store = await self._open(file, options)
        except CacheError as error:
            if error.retryable:
                raise
            folder = tempfile.TemporaryDirectory(prefix="mcp-web-")
            temporary = await self._open(Path(folder.name) / file.name, options)
            return OpenedStore(temporary, f"{error.message} Pages are opened but not kept.", error, folder)
        for aside in _damaged_files(file) - before:
            note = f"The store was damaged and replaced by an empty one; the old file is {aside}."
            return OpenedStore(store, note)
        return OpenedStore(store)

    async def open_shared(
        self, options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
    ) -> Store | None:
        file = _tenant_file(options, owner)
        if not file.is_file():
            return None
        return await SqliteStore.open(file, wait_seconds=options.wait_seconds, collections=collections)

    async def tenant_names(self, options: StoreOptions) -> list[str]:
        folder = database_file(options).parent / _TENANTS
        return sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []

    async def erase_tenant(self, options: StoreOptions, tenant: str) -> None:
        folder = _tenant_file(options, tenant).parent
        try:
            await anyio.to_thread.run_sync(shutil.rmtree, folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise CacheError(f"The folder {folder} cannot be deleted: {error.strerror}.") from error

    async def _open(self, path: Path, options: StoreOptions) -> Store:
        return await SqliteStore.open(path, size_limit=options.size_limit, wait_seconds=options.wait_seconds)


def _tenant_file(options: StoreOptions, tenant: str) -> Path:
    """The path of a tenant's SQLite file; that of the default tenant is the configured one."""
    file = database_file(options)
    return file if tenant == DEFAULT_TENANT else file.parent / _TENANTS / tenant / FILE_NAME


def _damaged_files(file: Path) -> set[str]:
    """The paths of the damaged files that were moved aside (connect.py), whose place `file` took."""
    try:
        return {str(one) for one in file.parent.glob(f"{file.name}.damaged-*") if one.name[-1].isdigit()}
    except OSError:
        return set()


ENGINE = SqliteEngine()
