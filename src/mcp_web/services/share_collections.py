"""List, add and withdraw shares: collections of a tenant that other tenants may read."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.app import App
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.services.audit_log import write_audit
from mcp_web.services.manage_tenants import list_tenants, require_tenants
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Share


async def list_shares(app: App) -> list[Share]:
    """Every share of the installation."""
    store = await app.main_store()
    found = [share for name in await list_tenants(app) for share in await store.shares(name)]
    return sorted(set(found))


async def share_collection(app: App, owner: str, collection: str, readers: Sequence[str]) -> None:
    """Let other tenants read a collection; no reader means all of them.

    Raises NotFound for an unknown tenant or collection, and InvalidInput if the owner is one of the readers.
    """
    if owner in readers:
        raise InvalidInput(f"The tenant {owner!r} has its own collection already.", suggestion="Name another tenant.")
    await require_tenants(app, [owner, *readers])
    await _require_collection(app, owner, collection)
    store = await app.main_store()
    for reader in readers or ("",):
        await store.add_share(Share(owner, collection, reader))
    await write_audit(app, "collection_shared", tenant=owner)


async def unshare_collection(app: App, owner: str, collection: str, readers: Sequence[str]) -> int:
    """Withdraw a collection from these readers, or from all if none are given; returns how many shares there were.

    Raises NotFound if there were none.
    """
    store = await app.main_store()
    wanted: Sequence[str | None] = readers or (None,)
    removed = sum([await store.remove_shares(owner, collection, reader) for reader in wanted])
    if not removed:
        raise NotFound(
            f"The tenant {owner!r} does not share the collection {collection!r} with {', '.join(readers) or 'anyone'}.",
            suggestion="`mcp-web tenant shares` lists what is shared.",
        )
    await write_audit(app, "collection_unshared", tenant=owner)
    return removed


async def _require_collection(app: App, owner: str, collection: str) -> None:
    """Raise NotFound if the tenant has no such collection."""
    store = await open_store(app.settings.of(StoreOptions), owner)
    try:
        names = await store.collections()
    finally:
        await store.close()
    if collection.lower() not in {name.lower() for name in names}:
        shown = ", ".join(list(names)[:10]) or "none"
        raise NotFound(f"The tenant {owner!r} has no collection {collection!r}.", suggestion=f"It has these: {shown}.")
