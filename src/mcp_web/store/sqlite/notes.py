"""Small JSON values that expire: a cache."""

from __future__ import annotations

import sqlite3
from typing import Any

from mcp_web.store.pack import pack_json, unpack_json
from mcp_web.store.protocol import Record
from mcp_web.store.rows import storable


def note(db: sqlite3.Connection, kind: str, key: str, now: float) -> Any | None:
    row = db.execute(
        "SELECT value FROM notes WHERE kind = ? AND key = ? AND expires_at > ?", (kind, storable(key), now)
    ).fetchone()
    return unpack_json(row[0]) if row else None


def notes(db: sqlite3.Connection, after: tuple[str, str], limit: int, now: float) -> list[tuple[str, Record]]:
    rows = db.execute(
        "SELECT kind, key, value, expires_at FROM notes WHERE (kind, key) > (?, ?) AND expires_at > ?"
        " ORDER BY kind, key LIMIT ?",
        (*after, now, limit),
    )
    return [(kind, Record(key, unpack_json(value), expires_at)) for kind, key, value, expires_at in rows]


def keep(db: sqlite3.Connection, kind: str, key: str, value: bytes, expires_at: float) -> None:
    db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", (kind, storable(key), value, expires_at))


def packed(value: Any) -> bytes:
    return pack_json(value)


def drop_expired(db: sqlite3.Connection, now: float) -> None:
    db.execute("DELETE FROM notes WHERE expires_at <= ?", (now,))
