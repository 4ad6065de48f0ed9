"""List and erase the tenants of an installation; list, add and withdraw the collections that others may read."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.app import App
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.services.audit_log import write_audit
from mcp_web.services.manage_tokens import list_tokens, revoke_tokens_of
from mcp_web.store.open import engine_of, open_store
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Share


async def list_tenants(app: App) -> list[str]:
    """The names of all tenants that have a token or kept documents, the default one first."""
    options = app.settings.of(StoreOptions)
    kept = await engine_of(options.database_url).tenant_names(options)
    found = {token.tenant for token in await list_tokens(app)} | set(kept) - {DEFAULT_TENANT}
    return [DEFAULT_TENANT, *sorted(found - {DEFAULT_TENANT})]


async def require_tenants(app: App, names: Sequence[str]) -> None:
    """Raise NotFound if one of the names is not that of a tenant."""
    known = await list_tenants(app)
    if unknown := next((name for name in names if name not in known), None):
        raise NotFound(f"There is no tenant {unknown!r}.", suggestion="`mcp-web tenant list` shows the tenants.")


async def erase_tenant(app: App, name: str) -> int:
    """Delete everything kept of a tenant, its tokens and its shares; returns how many tokens there were. Raises
    InvalidInput for the default tenant, NotFound for an unknown one."""
    if name == DEFAULT_TENANT:
        raise InvalidInput(
            "The default tenant has the records of the server itself and cannot be erased.",
            suggestion="Delete pages with `mcp-web cache purge` and `mcp-web archive remove`.",
        )
    await require_tenants(app, [name])
    revoked = await revoke_tokens_of(app, name)
    store = await app.main_store()
    for share in await store.shares(name):
        if name in (share.owner, share.reader):
            await store.remove_shares(*share)
    options = app.settings.of(StoreOptions)
    await engine_of(options.database_url).erase_tenant(options, name)
    await write_audit(app, "tenant_erased", tenant=name)
    return revoked


async def list_shares(app: App) -> list[Share]:
    """Every share of the installation, sorted: a collection, its owner, and the tenant that may read it."""
    store = await app.main_store()
    found = [share for name in await list_tenants(app) for share in await store.shares(name)]
    return sorted(set(found))


async def share_collection(app: App, owner: str, collection: str, readers: Sequence[str]) -> None:
    """Let the tenants `readers` read a collection of `owner`; if there are none in the list, all tenants. Raises
    NotFound for an unknown tenant or collection, InvalidInput if the owner is among the readers."""
    if owner in readers:
        raise InvalidInput(f"The tenant {owner!r} has its own collection already.", suggestion="Name another tenant.")
    await require_tenants(app, [owner, *readers])
    kept = await open_store(app.settings.of(StoreOptions), owner)
    try:
        names = await kept.collections()
    finally:
        await kept.close()
    if collection.lower() not in {name.lower() for name in names}:
        shown = ", ".join(list(names)[:10]) or "none"
        raise NotFound(f"The tenant {owner!r} has no collection {collection!r}.", suggestion=f"It has these: {shown}.")
    store = await app.main_store()
    for reader in readers or ("",):
        await store.add_share(Share(owner, collection, reader))
    await write_audit(app, "collection_shared", tenant=owner)


async def unshare_collection(app: App, owner: str, collection: str, readers: Sequence[str]) -> int:
    """Withdraw a collection from the tenants `readers`, or from all if the list is empty; returns how many shares were
    deleted, or raises NotFound if none."""
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
