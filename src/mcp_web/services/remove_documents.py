"""Delete kept documents of any source: by id or URL, by collection, or below an address (a crawl)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from mcp_web.app import App
from mcp_web.errors import InvalidInput, NotFound
from mcp_web.services.find_snapshot import find_own_snapshot

BATCH = 500


@dataclass(frozen=True, slots=True)
class Removal:
    """What is, or would be, deleted."""

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

    If both a collection and a prefix are given, a document must match both. Nothing is deleted if a name is not found,
    which raises NotFound; InvalidInput if nothing is named at all.
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
    if collection or prefix:
        async for row in _matching(app, collection, prefix):
            found[row[0]] = row
    if not dry_run and found:
        store = await app.store()
        keys = list(found)
        for at in range(0, len(keys), BATCH):
            await store.remove(keys[at : at + BATCH])
    return Removal(tuple(found.values()), not dry_run)


async def _matching(app: App, collection: str | None, prefix: str | None) -> AsyncIterator[tuple[str, str, str]]:
    """The key, title and path or URL of each document in the collection and below the prefix."""
    store, after = await app.store(), ""
    while keys := await store.keys(after, BATCH, collection=collection):
        after = keys[-1]
        for key, headline in (await store.headlines(keys)).items():
            if prefix is None or headline.url.startswith(prefix):
                yield key, headline.title, headline.path or headline.url
