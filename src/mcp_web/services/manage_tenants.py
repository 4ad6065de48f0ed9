"""List the tenants of an installation, or erase one."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.app import App
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.model.token import DEFAULT_TENANT
from mcp_web.services.audit_log import write_audit
from mcp_web.services.manage_tokens import list_tokens, revoke_tokens_of
from mcp_web.store.open import configured_engine
from mcp_web.store.options import StoreOptions


async def list_tenants(app: App) -> list[str]:
    """Every tenant that has a token or something kept, the default one first."""
    options = app.settings.of(StoreOptions)
    kept = await configured_engine(options).tenant_names(options)
    found = {token.tenant for token in await list_tokens(app)} | set(kept) - {DEFAULT_TENANT}
    return [DEFAULT_TENANT, *sorted(found - {DEFAULT_TENANT})]


async def require_tenants(app: App, names: Sequence[str]) -> None:
    """Raise NotFound for a name that no tenant has."""
    known = await list_tenants(app)
    if unknown := next((name for name in names if name not in known), None):
        raise NotFound(f"There is no tenant {unknown!r}.", suggestion="`mcp-web tenant list` shows the tenants.")


async def erase_tenant(app: App, name: str) -> int:
    """Delete everything kept of a tenant and revoke its tokens; returns how many tokens there were.

    Raises InvalidInput for the default tenant, which cannot be erased, and NotFound for an unknown one.
    """
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
    await configured_engine(options).erase_tenant(options, name)
    await write_audit(app, "tenant_erased", tenant=name)
    return revoked
