"""What callers were shown of pages: a few rows for each page, deleted with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.model.snapshot import ReadingRecord
from mcp_web.store.rows import MOST_READINGS, READING, READINGS_KEPT, as_json, key_bytes, reading_of, storable


def add(db: sqlite3.Connection, key: str, readings: Sequence[ReadingRecord]) -> None:
    """Add readings of a page; unknown pages have none, and the oldest of many go."""
    row = db.execute("SELECT id FROM pages WHERE key = ?", (key_bytes(key),)).fetchone()
    if row is None:
        return
    db.executemany(
        f"INSERT INTO readings (page, {READING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        [
            (row[0], one.at, one.tool, storable(one.question), storable(one.client), key_bytes(one.snapshot),
             as_json(one.spans), one.outcome)
            for one in readings
        ],
    )  # fmt: skip
    newest = "SELECT seq FROM readings WHERE page = ? ORDER BY seq DESC LIMIT ?"
    db.execute(
        f"DELETE FROM readings WHERE page = ? AND seq NOT IN ({newest})",  # noqa: S608
        (row[0], row[0], MOST_READINGS),
    )


def readings(db: sqlite3.Connection, key: str) -> list[ReadingRecord]:
    query = f"SELECT {READING} FROM readings WHERE page = (SELECT id FROM pages WHERE key = ?) ORDER BY seq DESC"  # noqa: S608
    return [reading_of(row) for row in db.execute(query, (key_bytes(key),))]


def remove(db: sqlite3.Connection, key: str) -> int:
    page = "(SELECT id FROM pages WHERE key = ?)"
    return db.execute(f"DELETE FROM readings WHERE page = {page}", (key_bytes(key),)).rowcount  # noqa: S608


def drop_old(db: sqlite3.Connection, now: float) -> None:
    db.execute("DELETE FROM readings WHERE at < ?", (now - READINGS_KEPT,))
