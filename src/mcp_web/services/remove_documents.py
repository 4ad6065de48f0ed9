"""Delete kept documents: web pages by a rule, or of any source by id or URL, by collection, below an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_web.app import App
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.services.find_snapshot import find_own_snapshot
from mcp_web.store.protocol import Purged, PurgeRule

BATCH = 500


async def purge(app: App, rule: PurgeRule, *, dry_run: bool) -> Purged:
    """Delete the web pages that match the rule, or only report them; raises InvalidInput if it has no condition."""
    if rule == PurgeRule():
        raise InvalidInput(
            "cache_purge needs at least one of older_than_days, domain, keep_newest, max_bytes or url.",
            suggestion="To empty the cache use keep_newest=0; dry_run=true first shows what would be deleted.",
        )
    return await (await app.store()).purge(rule, dry_run=dry_run)


async def purge_unused(app: App, days: float, *, dry_run: bool) -> Purged:
    """Delete web pages that were not used for `days` days; with `dry_run`, only report them."""
    return await purge(app, PurgeRule(older_than=days * 86400.0), dry_run=dry_run)


@dataclass(frozen=True, slots=True)
class Removal:
    """The documents that were deleted or, after a dry run, would be."""

    documents: tuple[tuple[str, str, str], ...]  # key, title, path or URL
    removed: bool


async def remove_documents(
    app: App,
    names: Sequence[str] = (),
    *,
    collection: str | None = None,
    prefix: str | None = None,
    dry_run: bool,
) -> Removal:
    """Delete the named documents, and those in the collection and below the prefix; with `dry_run` only list them.

    `names` are hashes, ids or URLs, `prefix` is the beginning of a URL. If both a collection and a prefix are given, a
    document must match both. Nothing is deleted if a name is not found, which raises NotFound; InvalidInput if nothing
    is named at all.
    """
    if not (names or collection or prefix):
        raise InvalidInput("Nothing was named to delete.", suggestion="Give an id, a URL, a collection or a prefix.")
    found: dict[str, tuple[str, str, str]] = {}
    for name in names:
        try:
            kept = await find_own_snapshot(app, name)
        except NotFound as missing:
            missing.suggestion = "Nothing was deleted."
            raise
        found[kept.key] = (kept.key, kept.document.title, kept.path or kept.url)
    store, keys = await app.store(), [""]
    while (collection or prefix) and (keys := await store.keys(keys[-1], BATCH, collection=collection)):
        for key, headline in (await store.headlines(keys)).items():
            if prefix is None or headline.url.startswith(prefix):
                found[key] = (key, headline.title, headline.path or headline.url)
    if not dry_run:
        for at in range(0, len(found), BATCH):
            await store.remove(list(found)[at : at + BATCH])
    return Removal(tuple(found.values()), not dry_run)
