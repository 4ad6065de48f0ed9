"""What other tenants share with one tenant, as stores that can only be read."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Share, Store


@dataclass(frozen=True, slots=True)
class SharedStore:
    """A read-only store of the collections that one tenant, the owner, shares; it shows nothing else."""

    owner: str
    collections: tuple[str, ...]
    store: Store


class SharedStores:
    """The stores that other tenants share with one tenant. Shares are read anew each time: a withdrawal applies at
    once."""

    def __init__(self, options: StoreOptions, tenant: str) -> None:
        self._options = options
        self._tenant = tenant
        self._open: dict[tuple[str, tuple[str, ...]], SharedStore] = {}
        self._withdrawn: list[Store] = []  # a caller that got one before it was withdrawn may still read it
        self._changing = anyio.Lock()

    async def readable(self, main: Store) -> list[SharedStore]:
        """The stores that are shared now, by owner; `main` is the store of the default tenant, which lists what is
        shared. They stay open until the first `close_withdrawn` after they are no longer shared."""
        wanted = _by_owner(await main.shares(self._tenant), self._tenant)
        if wanted != set(self._open):
            async with self._changing:
                await self._change(main, wanted)
        return [self._open[one] for one in sorted(wanted) if one in self._open]

    async def close_withdrawn(self) -> None:
        """Close the stores that are no longer shared; to be called when no caller reads them any more."""
        withdrawn, self._withdrawn = self._withdrawn, []  # what is withdrawn from now on may still be read
        for store in withdrawn:
            await store.close()

    async def close(self) -> None:
        self._withdrawn += [one.store for one in self._open.values()]
        self._open.clear()
        await self.close_withdrawn()

    async def _change(self, main: Store, wanted: set[tuple[str, tuple[str, ...]]]) -> None:
        """Make the open stores those that are `wanted` (owner and collections): set aside the others, to be closed
        later, and open the new ones."""
        self._withdrawn += [self._open.pop(name).store for name in set(self._open) - wanted]
        engine = engine_of(self._options.database_url)
        for name in wanted - set(self._open):
            store = await engine.open_shared(self._options, main, *name, reader=self._tenant)
            if store is not None:
                self._open[name] = SharedStore(*name, store)


def _by_owner(shares: list[Share], reader: str) -> set[tuple[str, tuple[str, ...]]]:
    """The owners of shares other than the reader, each with the collections that it shares, sorted."""
    found: dict[str, list[str]] = {}
    for share in shares:
        if share.owner != reader:
            found.setdefault(share.owner, []).append(share.collection)
    return {(owner, tuple(sorted(set(names)))) for owner, names in found.items()}
