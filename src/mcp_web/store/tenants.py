"""Which tenants a store has, and the erasure of one: a folder of SQLite files, or rows of PostgreSQL."""

from __future__ import annotations

import shutil

import anyio.to_thread

from mcp_web.errors import CacheError
from mcp_web.store.open import tenant_file, tenant_folder
from mcp_web.store.options import StoreOptions


async def names(options: StoreOptions) -> list[str]:
    if options.database_url:
        from mcp_web.store.postgres.tenants import tenant_names

        return await anyio.to_thread.run_sync(tenant_names, options.database_url, options.wait_seconds)
    folder = tenant_folder(options)
    return sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []


async def erase(options: StoreOptions, tenant: str) -> None:
    """Delete everything of a tenant; a tenant that keeps nothing is no error."""
    if options.database_url:
        from mcp_web.store.postgres.tenants import erase_rows

        await anyio.to_thread.run_sync(erase_rows, options.database_url, options.wait_seconds, tenant)
        return
    folder = tenant_file(options, tenant).parent
    try:
        await anyio.to_thread.run_sync(shutil.rmtree, folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise CacheError(f"The folder {folder} cannot be deleted: {error.strerror}.") from error
