"""What callers were shown of pages: a few rows for each page, deleted with it."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.model.snapshot import ReadingRecord
from mcp_web.store.rows import MOST_READINGS, READINGS_KEPT, all_key_bytes, as_json, key_bytes, reading_of, storable
from mcp_web.store.sql.database import Database


def add_to(db: Database, key: str, readings: Sequence[ReadingRecord]) -> None:
    """Add readings (records of what a caller was shown) to the page with this key, if it exists; delete its oldest ones
    if there are more than MOST_READINGS."""
    page = db.value("SELECT id FROM pages WHERE [tenant = :tenant AND] key = :key", key=key_bytes(key))
    if page is None:
        return
    add(db, page, readings)
    query = (
        "DELETE FROM readings WHERE page = :page AND seq NOT IN"
        " (SELECT seq FROM readings WHERE page = :page ORDER BY seq DESC LIMIT :most)"
    )
    db.run(query, page=page, most=MOST_READINGS)


def add(db: Database, page: int, readings: Sequence[ReadingRecord]) -> None:
    """Add readings (records of what a caller was shown), the oldest first, to the page with this row number."""
    db.many(
        "INSERT INTO readings ([tenant,] page, at, tool, question, client, snapshot, spans, outcome)"
        " VALUES ([:tenant,] :page, :at, :tool, :question, :client, :snapshot, :spans, :outcome)",
        [
            (one.at, one.tool, storable(one.question), storable(one.client), key_bytes(one.snapshot),
             as_json(one.spans), one.outcome)
            for one in readings
        ],
        page=page,
    )  # fmt: skip


def of_pages(db: Database, keys: Sequence[str]) -> list[tuple[str, ReadingRecord]]:
    """The readings of these pages (see `ReadingRecord`), each with the key of its page, the newest reading first."""
    rows = db.rows(
        "SELECT p.key, r.at, r.tool, r.question, r.client, r.snapshot, r.spans, r.outcome"
        " FROM readings r JOIN pages p ON p.id = r.page WHERE [p.tenant = :tenant AND] p.key = ANY(:keys)"
        " ORDER BY r.seq DESC",
        keys=all_key_bytes(keys),
    )
    return [(key.hex(), reading_of(tuple(row))) for key, *row in rows]


def remove(db: Database, key: str) -> int:
    return db.run(
        "DELETE FROM readings WHERE page = (SELECT id FROM pages WHERE [tenant = :tenant AND] key = :key)",
        key=key_bytes(key),
    )


def drop_old(db: Database) -> None:
    """Delete the readings that are older than three months."""
    db.run("DELETE FROM readings WHERE [tenant = :tenant AND] at < :before", before=db.now() - READINGS_KEPT)
