"""Chooses the engine for an address, and opens the configured store."""

from __future__ import annotations

import importlib
from typing import cast

from mcp_web.errors import ConfigError
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.store.engine import Engine
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store

# URL scheme ("" for a path) → the package of the engine and its driver. The package has `ENGINE` in its `engine.py`;
# the extra that installs the driver has the name of the package.
ENGINES = {
    "": ("sqlite", "sqlite3"),
    "postgresql": ("postgres", "psycopg"),
    "postgres": ("postgres", "psycopg"),
}


def engine_of(place: str) -> Engine:
    """The engine for a path or a URL; raises ConfigError if the scheme is unknown or its driver is not installed."""
    scheme = place.partition("://")[0].lower() if "://" in place else ""
    if scheme not in ENGINES:
        raise ConfigError(
            f"A store has no address that begins with {scheme}://; a PostgreSQL address begins with postgresql://.",
            suggestion="Correct the address (of the command, or MCP_WEB_DATABASE_URL), or name a SQLite file.",
        )
    package, driver = ENGINES[scheme]
    try:
        module = importlib.import_module(f"mcp_web.store.{package}.engine")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(driver):
            raise
        raise ConfigError(
            f"A store at {scheme}:// needs the driver {driver}, which is not installed.",
            suggestion=f'Install it: pip install "mcp-web[{package}]".',
        ) from error
    return cast(Engine, module.ENGINE)


async def open_store(options: StoreOptions, tenant: str = DEFAULT_TENANT) -> Store:
    """Open the store that the options name, creating and migrating it as needed; raises CacheError or ConfigError."""
    return await engine_of(options.database_url).open_tenant(options, tenant)
