"""Everything that is kept of a page, out of the store and into it."""

from __future__ import annotations

from mcp_web.store.postgres import pages, pictures, readings, vectors
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import PageRecord
from mcp_web.store.rows import FULL, key_bytes, snapshot_of


def page_record(db: Connection, tenant: int, key: str) -> PageRecord | None:
    """Everything that is kept of a page."""
    query = "SELECT id, used_at FROM pages WHERE tenant = %s AND key = %s"
    page = db.execute(query, (tenant, key_bytes(key))).fetchone()
    if page is None:
        return None
    number, used_at = page
    order = "s.page = p.id WHERE p.id = %s ORDER BY s.id = p.newest, s.since, s.id"
    versions = tuple(snapshot_of(row) for row in db.execute(FULL + order, (number,)))
    query = "SELECT s.hash, s.since, i.png FROM snapshots s LEFT JOIN pictures i ON i.snapshot = s.id WHERE s.page = %s"
    rows = [(hash_.hex(), since, png) for hash_, since, png in db.execute(query, (number,))]
    return PageRecord(
        versions=versions,
        since={hash_: since for hash_, since, _ in rows},
        used_at=used_at,
        pictures={hash_: bytes(png) for hash_, _, png in rows if png is not None},
        vectors=tuple(vectors.load(db, tenant, key)),
        readings=tuple(readings.readings(db, tenant, key)),
    )


def keep_page_record(db: Connection, tenant: int, prepared: list[Prepared], record: PageRecord) -> tuple[int, int]:
    """Write a page in place of what is kept of it; returns the rows of page and newest version."""
    key = prepared[-1].snapshot.key
    db.execute("DELETE FROM pages WHERE tenant = %s AND key = %s", (tenant, key_bytes(key)))
    page = version = 0
    for one in prepared:
        page, version, _ = pages.keep(db, tenant, one, record.used_at, record.since[one.snapshot.hash])
    for hash_, png in record.pictures.items():
        pictures.keep(db, tenant, hash_, png)
    for stored in record.vectors:
        vectors.keep(db, tenant, key, stored)
    readings.add(db, tenant, key, record.readings[::-1])
    return page, version
