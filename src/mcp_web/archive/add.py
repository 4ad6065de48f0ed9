"""Saves notes and pages as research, which is never purged."""

from __future__ import annotations

import dataclasses
import re
import zlib
from collections.abc import Sequence
from urllib.parse import quote

from mcp_web.archive.derive import keep
from mcp_web.archive.query import checked_date
from mcp_web.errors import InvalidInput
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot, page_key
from mcp_web.store.protocol import Store
from mcp_web.text.dates import iso
from mcp_web.text.words import fold

FOLDER = "saved"  # the path under which added texts are listed; no synced folder may take this name
_URL = f"file:///{FOLDER}/"
FOR_EVER = 4_102_444_800.0


async def add_note(
    store: Store, document: Document, now: float, *, day: str | None = None, tags: Sequence[str] = ()
) -> Snapshot:
    """Store a text as a research document, dated `day` (YYYY-MM-DD) or today, and return its snapshot. A text with the
    same title, but for case and accents, becomes the next version of the same document. Raises InvalidInput if title or
    text is empty, or `day` is not a date."""
    if not document.title.strip() or not document.markdown.strip():
        raise InvalidInput("A note needs a title and a text.")
    published = checked_date("date", day) or iso(now)[:10]
    slug = re.sub(r"[^\w]+", "-", fold(document.title)).strip("-_")[:80] or "note"
    kept = await store.latest(page_key(_URL + quote(slug), "note"))
    if kept is not None and fold(kept.document.title) != fold(document.title):  # `C++` and `C#` have the same slug
        slug += f"-{zlib.crc32(fold(document.title).encode('utf-8', 'replace')):x}"
    document = dataclasses.replace(document, metadata=dataclasses.replace(document.metadata, published=published))
    made = Snapshot.of(
        _URL + quote(slug),
        "note",
        document,
        now,
        fresh_until=FOR_EVER,
        media_type="text/markdown",
        source="research",
        path=f"{FOLDER}/{published}/{slug}.md",
        tags=unique_tags(tags),
    )
    await store.add_records("sync_folder", {FOLDER: "notes saved with archive_add"})
    await keep(store, made)
    return made


async def add_page(store: Store, snapshot: Snapshot, *, day: str | None = None, tags: Sequence[str] = ()) -> Snapshot:
    """Make a kept page a research document, which is never purged, and return its new snapshot. `tags` are added to its
    own; `day` (YYYY-MM-DD) replaces its date. Raises InvalidInput if `day` is not a date."""
    document = snapshot.document
    if published := checked_date("date", day):
        document = dataclasses.replace(document, metadata=dataclasses.replace(document.metadata, published=published))
    joined = unique_tags((*snapshot.tags, *tags))
    made = dataclasses.replace(snapshot, document=document, source="research", tags=joined)
    await keep(store, made)
    return made


def unique_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags, stripped of surrounding white space, without blank ones and duplicates."""
    return tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
