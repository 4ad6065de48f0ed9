"""Delete kept web pages by a rule, or only list what it would delete."""

from __future__ import annotations

from mcp_web.app import App
from mcp_web.errors import InvalidInput
from mcp_web.store.protocol import Purged, PurgeRule


async def purge(app: App, rule: PurgeRule, *, dry_run: bool) -> Purged:
    """Delete the web pages that match the rule, or only list them; raises InvalidInput if it has no condition."""
    if rule == PurgeRule():
        raise InvalidInput(
            "cache_purge needs at least one of older_than_days, domain, keep_newest, max_bytes or url.",
            suggestion="To empty the cache use keep_newest=0; dry_run=true first shows what would be deleted.",
        )
    return await (await app.store()).purge(rule, dry_run=dry_run)


async def purge_unused(app: App, days: float, *, dry_run: bool) -> Purged:
    """Delete web pages that were not used for `days` days; with `dry_run`, only list them."""
    return await purge(app, PurgeRule(older_than=days * 86400.0), dry_run=dry_run)
