"""What callers were shown of pages: a few rows for each page, deleted with it."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.model.snapshot import ReadingRecord
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.rows import MOST_READINGS, READING, READINGS_KEPT, as_json, key_bytes, reading_of, storable

_PAGE = "(SELECT id FROM pages WHERE tenant = %s AND key = %s)"


def add_to(db: Connection, tenant: int, key: str, readings: Sequence[ReadingRecord]) -> None:
    """Add readings of a page; unknown pages have none, and the oldest of many go."""
    row = db.execute("SELECT id FROM pages WHERE tenant = %s AND key = %s", (tenant, key_bytes(key))).fetchone()
    if row is None:
        return
    add(db, tenant, row[0], readings)
    newest = "SELECT seq FROM readings WHERE page = %s ORDER BY seq DESC LIMIT %s"
    db.execute(
        f"DELETE FROM readings WHERE page = %s AND seq NOT IN ({newest})",  # noqa: S608
        (row[0], row[0], MOST_READINGS),
    )


def add(db: Connection, tenant: int, page: int, readings: Sequence[ReadingRecord]) -> None:
    for one in readings:
        db.execute(
            f"INSERT INTO readings (tenant, page, {READING}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",  # noqa: S608
            (tenant, page, one.at, one.tool, storable(one.question), storable(one.client), key_bytes(one.snapshot),
             as_json(one.spans), one.outcome),
        )  # fmt: skip


def readings(db: Connection, tenant: int, keys: Sequence[str]) -> list[tuple[str, ReadingRecord]]:
    """The readings of pages, each with the page's key, the newest first."""
    query = (
        f"SELECT p.key, {READING} FROM readings r JOIN pages p ON p.id = r.page"  # noqa: S608
        " WHERE p.tenant = %s AND p.key = ANY(%s) ORDER BY r.seq DESC"
    )
    rows = db.execute(query, (tenant, list(map(key_bytes, keys))))
    return [(key.hex(), reading_of(tuple(row))) for key, *row in rows]


def remove(db: Connection, tenant: int, key: str) -> int:
    return db.execute(f"DELETE FROM readings WHERE page = {_PAGE}", (tenant, key_bytes(key))).rowcount  # noqa: S608


def drop_old(db: Connection, tenant: int, now: float) -> None:
    db.execute("DELETE FROM readings WHERE tenant = %s AND at < %s", (tenant, now - READINGS_KEPT))
