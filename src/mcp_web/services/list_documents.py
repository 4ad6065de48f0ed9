"""List kept documents: the most recently used, or those of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.model.snapshot import Source


@dataclass(frozen=True, slots=True)
class ListedDocument:
    key: str
    title: str
    url: str
    path: str | None
    source: Source
    date: str
    snapshot: str


async def list_documents(
    app: App, *, limit: int, source: Source | None = None, collection: str | None = None
) -> list[ListedDocument]:
    """At most `limit` documents; without a collection the most recently used come first."""
    store = await app.store()
    if collection is None:
        keys = [info.key for info in await store.recent(limit, source)]
    else:
        keys = await store.keys("", limit, source, collection)
    cards = await store.documents(keys)
    return [
        ListedDocument(key, card.title, card.url, card.path, card.source, card.date, card.hash)
        for key in keys
        if (card := cards.get(key)) is not None
    ]
