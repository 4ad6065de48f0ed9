"""Snapshots for the store's tests."""

from __future__ import annotations

import dataclasses
from typing import Any

from mcp_web.archive.derive import derive
from mcp_web.model.page import Document, Heading, Link, Metadata
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.protocol import Store

DOCUMENT = Document(
    title="Überschrift & <b>title</b>",
    markdown="# One\n\nText with a lone surrogate \ud800 and NUL \x00.\n\n## Two\n\nMore.\n",
    extractor="html@1",
    kind="documentation",
    metadata=Metadata(
        description="About it",
        author="A. Author",
        published="2025-05-20",
        language="en",
        structured_data=({"@type": "Article", "n": [1, 2.5, None, True]},),
    ),
    headings=(Heading(1, "One", 0, "one"), Heading(2, "Two", 50, None)),
    links=(Link("a", "https://a.example/"), Link("", "https://b.example/")),
    images=(Link("alt", "https://a.example/i.png"),),
    siteconfig="docs@2",
    summary="A summary.",
    wall="paywall",
    hidden=3,
    notes=("removed 3 pieces of hidden text",),
    next_page="https://a.example/?page=2",
)


def snapshot(
    url: str = "https://example.org/page", text: str = "Some text.", at: float = 1000.0, **changes: Any
) -> Snapshot:
    """One version of a page; every other field may be changed by name."""
    variant = changes.pop("variant", "readable")
    title = changes.pop("title", "A page")
    document = changes.pop("document", Document(title=title, markdown=text, extractor="html@1"))
    key = page_key(url, variant)
    made = Snapshot(
        key=key,
        hash=snapshot_hash(key, document.markdown),
        url=url,
        final_url=changes.pop("final_url", url),
        variant=variant,
        document=document,
        fetched_at=at,
        checked_at=at,
        fresh_until=at + 100,
    )
    return dataclasses.replace(made, **changes)


async def keep(store: Store, *snapshots: Snapshot, **changes: Any) -> None:
    """Keep versions as the archive does, with some of what it derives from them changed."""
    await store.keep_many([(one, dataclasses.replace(derive(one), **changes)) for one in snapshots])
