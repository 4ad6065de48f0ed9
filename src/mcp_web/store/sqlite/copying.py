"""Everything that is kept of a page, out of the store and into it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import PageRecord
from mcp_web.store.rows import FULL, key_bytes, snapshot_of
from mcp_web.store.sqlite import pages, pictures, readings, vectors


def page_records(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, PageRecord]:
    """Everything that is kept of pages, by key."""
    return {key: record for key in keys if (record := _page_record(db, key)) is not None}


def _page_record(db: sqlite3.Connection, key: str) -> PageRecord | None:
    page = db.execute("SELECT id, used_at FROM pages WHERE key = ?", (key_bytes(key),)).fetchone()
    if page is None:
        return None
    number, used_at = page
    order = "s.page = p.id WHERE p.id = ? ORDER BY s.id = p.newest, s.since, s.id"
    versions = tuple(snapshot_of(row) for row in db.execute(FULL + order, (number,)))
    query = "SELECT s.hash, s.since, i.png FROM snapshots s LEFT JOIN pictures i ON i.snapshot = s.id WHERE s.page = ?"
    rows = [(hash_.hex(), since, png) for hash_, since, png in db.execute(query, (number,))]
    return PageRecord(
        versions=versions,
        since={hash_: since for hash_, since, _ in rows},
        used_at=used_at,
        pictures={hash_: bytes(png) for hash_, _, png in rows if png is not None},
        vectors=tuple(vectors.load(db, key)),
        readings=tuple(readings.readings(db, key)),
    )


def keep_page_record(db: sqlite3.Connection, prepared: list[Prepared], record: PageRecord) -> tuple[int, int]:
    """Write a page in place of what is kept of it; returns the rows of page and newest version."""
    key = prepared[-1].snapshot.key
    db.execute("DELETE FROM pages WHERE key = ?", (key_bytes(key),))
    page = version = 0
    for one in prepared:
        page, version = pages.keep(db, one, record.used_at, record.since[one.snapshot.hash])
    for hash_, png in record.pictures.items():
        pictures.keep(db, hash_, png)
    for stored in record.vectors:
        vectors.keep(db, key, stored)
    readings.add(db, key, record.readings[::-1])
    return page, version
