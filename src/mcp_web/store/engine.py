"""The interface of engines: how stores are opened in one kind of database."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mcp_web.errors import CacheError
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """An opened store, and notes for the caller about how it was opened."""

    store: Store
    note: str = ""  # what differs from a normal start
    refusal: CacheError | None = None  # why nothing is kept: the store is a temporary one
    folder: tempfile.TemporaryDirectory[str] | None = None  # of the temporary store


class Engine(Protocol):
    """Opens stores, which are created and migrated as needed. Raises CacheError if a store cannot be opened, and
    ConfigError where the operator has to act."""

    def exists(self, place: str) -> bool:
        """Whether there may be a store at this place; a server is checked only when it is opened."""

    async def open(self, place: str, options: StoreOptions) -> Store:
        """Open the store at a place that a user named: a path or an address. Raises CacheError for a file that is
        damaged or not a store; neither is replaced."""

    async def open_tenant(self, options: StoreOptions, tenant: str) -> Store:
        """Open the store of a tenant in the configured place."""

    async def open_serving(
        self, options: StoreOptions, tenant: str, main: Callable[[], Awaitable[Store]] | None
    ) -> OpenedStore:
        """Like `open_tenant`, for a server: SQLite falls back to a temporary store when its file cannot be used. `main`
        returns the default tenant's store, whose connections may be shared; it is None when that store itself is
        opened."""

    async def open_shared(
        self, options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
    ) -> Store | None:
        """A read-only store of what one tenant shares with another; None if the owner has no store."""

    async def tenant_names(self, options: StoreOptions) -> list[str]:
        """The names of the tenants, sorted; with PostgreSQL the default one may be among them."""

    async def erase_tenant(self, options: StoreOptions, tenant: str) -> None:
        """Delete everything that a tenant keeps; does nothing for an unknown tenant."""
