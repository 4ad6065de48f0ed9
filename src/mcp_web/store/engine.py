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
    """An opened store, and what its caller should know: what differed from a normal start, and whether it is
    temporary."""

    store: Store
    note: str = ""  # what differs from a normal start
    refusal: CacheError | None = None  # why nothing is kept: the store is a temporary one
    folder: tempfile.TemporaryDirectory[str] | None = None  # of the temporary store


class Engine(Protocol):
    """Opens stores in one kind of database. They are created and migrated as needed. Raises CacheError if a store
    cannot be opened, and ConfigError where the operator has to act."""

    def exists(self, place: str) -> bool:
        """Whether there may be a store at this path or address; always true of a server, which is not asked."""

    async def open(self, place: str, options: StoreOptions) -> Store:
        """Open the store at a place that a user named: a path or an address. Raises CacheError for a file that is
        damaged or not a store; neither is replaced."""

    async def open_tenant(self, options: StoreOptions, tenant: str) -> Store:
        """Open the store of a tenant in the database that the options name."""

    async def open_serving(
        self, options: StoreOptions, tenant: str, main: Callable[[], Awaitable[Store]] | None
    ) -> OpenedStore:
        """Like `open_tenant`, for a server: SQLite falls back to a temporary store when its file cannot be used. `main`
        returns the default tenant's store, whose connections may be shared; it is None when that store itself is
        opened."""

    async def open_shared(
        self, options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
    ) -> Store | None:
        """A read-only store of the collections that the tenant `owner` shares with the tenant `reader`; None if the
        owner has no store. `main` is the default tenant's store, whose connections may be shared."""

    async def tenant_names(self, options: StoreOptions) -> list[str]:
        """The names of the tenants, sorted; with PostgreSQL the default one may be among them."""

    async def erase_tenant(self, options: StoreOptions, tenant: str) -> None:
        """Delete everything that a tenant keeps; does nothing for an unknown tenant."""
