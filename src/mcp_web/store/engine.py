"""What an engine is: one kind of database, and how stores are opened in it."""

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
    """A store, and what the caller has to know about how it was opened."""

    store: Store
    note: str = ""  # what is different from a usual start
    refusal: CacheError | None = None  # why nothing is kept: the store is a temporary one
    folder: tempfile.TemporaryDirectory[str] | None = None  # of the temporary store


class Engine(Protocol):
    """Opening creates and migrates a store as needed."""

    def exists(self, place: str) -> bool:
        """May there be a store at this place? A server is asked when it is opened."""

    async def open(self, place: str, options: StoreOptions) -> Store:
        """The store at a place that a user named: a path or an address."""

    async def open_tenant(self, options: StoreOptions, tenant: str) -> Store:
        """The store of a tenant in the configured place."""

    async def open_serving(
        self, options: StoreOptions, tenant: str, main: Callable[[], Awaitable[Store]] | None
    ) -> OpenedStore:
        """The same for a server, which goes on where it can. `main` returns the store of the default tenant, whose
        connections may be shared; it is None for that tenant itself."""

    async def open_shared(
        self, options: StoreOptions, main: Store, owner: str, collections: Sequence[str], *, reader: str
    ) -> Store | None:
        """What one tenant shares with another, for reading; None while the owner keeps nothing."""

    async def tenant_names(self, options: StoreOptions) -> list[str]: ...

    async def erase_tenant(self, options: StoreOptions, tenant: str) -> None:
        """Delete everything of a tenant; a tenant that keeps nothing is no error."""
