"""Named access tokens of the HTTP server: add, list, revoke and look up. Only digests are stored.

They are records of the default tenant's store, so every replica knows a new or revoked token at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Sequence

from mcp_web.app import App
from mcp_web.errors import CacheError, InvalidInput, NotFound
from mcp_web.model.token import OAUTH_PREFIX, TokenInfo
from mcp_web.services.audit_log import write_audit

PREFIX = "mcpw_"  # lets scanners for leaked secrets find it
TOKENS = "token"  # kind of records: digest → TokenInfo
USES = "token_use"  # kind of records: digest → seconds since the epoch
FIRST = "token_first"  # kind of records: when the first token was made, which may be revoked since
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_USE_EVERY = 60.0  # seconds between two records of a token's use


async def add_token(
    app: App, name: str, *, tenant: str | None, scopes: Sequence[str], seconds: float | None = None
) -> tuple[str, TokenInfo]:
    """Create a token; returns it, only this once, with its record.

    Without `tenant`, it is for a tenant of the same name. `seconds` is how long it is valid, by default for ever.
    Raises InvalidInput if a name is not allowed or there is a token of this name.
    """
    await app.require_kept_store()
    store = await app.store()
    now = time.time()
    expires_at = now + seconds if seconds is not None else None
    info = TokenInfo(_checked(name, "token"), _checked(tenant or name, "tenant"), tuple(scopes), now, expires_at)
    if any(kept.name == name for kept in await list_tokens(app)):
        raise InvalidInput(f"There is a token {name!r} already.", suggestion="Revoke it first, or choose another name.")
    token = PREFIX + secrets.token_urlsafe(32)
    await store.add_records(FIRST, {"made": now})
    await store.keep_record(TOKENS, digest(token), info.as_json(), info.expires_at)
    await _audit(app, "token_added", info)
    return token, info


async def add_first_token(app: App, scopes: Sequence[str]) -> str | None:
    """Create and return a token named "operator" for the default tenant; None if there is or was any token. Of several
    replicas only one creates it."""
    store = await app.store()
    if await has_tokens(app) or not await store.add_records(FIRST, {"made": time.time()}):
        return None
    token, _ = await add_token(app, "operator", tenant="default", scopes=scopes)
    return token


async def list_tokens(app: App) -> list[TokenInfo]:
    """Every token that is neither revoked nor expired, the oldest first."""
    store = await app.store()
    uses = {row.key: float(row.value) for row in await store.records(USES)}
    return [TokenInfo.from_json(row.value, uses.get(row.key)) for row in await store.records(TOKENS)]


async def has_tokens(app: App) -> bool:
    return bool(await (await app.store()).records(TOKENS, limit=1))


async def revoke_token(app: App, name: str) -> TokenInfo:
    """Delete a token by its name, and return its record; raises NotFound."""
    await app.require_kept_store()
    store = await app.store()
    for row in await store.records(TOKENS):
        if row.value["name"] == name:
            await store.remove_records(TOKENS, [row.key])
            await store.remove_records(USES, [row.key])
            info = TokenInfo.from_json(row.value)
            await _audit(app, "token_revoked", info)
            return info
    raise NotFound(f"There is no token {name!r}.", suggestion="`mcp-web token list` shows the tokens.")


async def revoke_tokens_of(app: App, tenant: str) -> int:
    """Delete all tokens of a tenant; returns how many there were."""
    store = await app.store()
    keys = [row.key for row in await store.records(TOKENS) if row.value["tenant"] == tenant]
    await store.remove_records(USES, keys)
    return len(await store.remove_records(TOKENS, keys))


async def find_token(app: App, token: str) -> TokenInfo | None:
    """The record of a token that a caller presented; None if it is unknown, revoked or expired. Records the time of its
    use about once a minute."""
    store = await app.store()
    key = digest(token)
    value = await store.record(TOKENS, key)
    if value is None:
        return None
    used, now = await store.record(USES, key), time.time()
    if used is None or now - float(used) > _USE_EVERY:
        with contextlib.suppress(CacheError):  # a full disk must not lock callers out
            await store.keep_record(USES, key, now)
    return TokenInfo.from_json(value, now)


def digest(token: str) -> str:
    """The SHA-256 of a token. A plain hash is enough, because a token has 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


async def _audit(app: App, event: str, info: TokenInfo) -> None:
    await write_audit(app, event, tenant=info.tenant, token=info.name, scopes=list(info.scopes))


def _checked(name: str, what: str) -> str:
    """The name; raises InvalidInput if a token or tenant (`what`) cannot have it."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} cannot be the name of a {what}.",
            suggestion="Use up to 63 lower-case letters, digits, dots, hyphens and underscores.",
        )
    if what == "tenant" and name.startswith(OAUTH_PREFIX):
        raise InvalidInput(
            f"A token cannot be for the tenant {name!r}: names that begin with {OAUTH_PREFIX!r} belong to OAuth users.",
            suggestion="Choose another tenant with --tenant.",
        )
    return name
