"""JSON values that several processes change: one row each, so that no update of another process is lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.store.protocol import Record
from mcp_web.store.rows import as_json, storable

_ALIVE = "(expires_at IS NULL OR expires_at > ?)"


def record(db: sqlite3.Connection, kind: str, key: str, now: float) -> Any | None:
    row = db.execute(
        f"SELECT value FROM records WHERE kind = ? AND key = ? AND {_ALIVE}",  # noqa: S608
        (kind, storable(key), now),
    ).fetchone()
    return json.loads(row[0]) if row else None


def records(db: sqlite3.Connection, kind: str, now: float, limit: int, newest_first: bool) -> list[Record]:
    order = "DESC" if newest_first else "ASC"
    rows = db.execute(
        f"SELECT key, value, expires_at FROM records WHERE kind = ? AND {_ALIVE} ORDER BY seq {order} LIMIT ?",  # noqa: S608
        (kind, now, limit),
    )
    return [Record(key, json.loads(value), expires_at) for key, value, expires_at in rows]


def kinds(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT DISTINCT kind FROM records ORDER BY kind")]


def add(db: sqlite3.Connection, kind: str, items: Mapping[str, Any], expires_at: float | None, now: float) -> list[str]:
    """Add what is absent or expired; returns the keys that were added."""
    added = []
    for key, value in items.items():
        name = storable(key)
        db.execute(f"DELETE FROM records WHERE kind = ? AND key = ? AND NOT {_ALIVE}", (kind, name, now))  # noqa: S608
        row = (kind, name, as_json(value), expires_at)
        query = "INSERT INTO records (kind, key, value, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        if db.execute(query, row).rowcount:
            added.append(key)
    return added


def keep(db: sqlite3.Connection, kind: str, key: str, value: Any, expires_at: float | None) -> None:
    db.execute(
        "INSERT INTO records (kind, key, value, expires_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
        (kind, storable(key), as_json(value), expires_at),
    )


def replace(
    db: sqlite3.Connection, kind: str, key: str, value: Any, expected: Any, expires_at: float | None, now: float
) -> bool:
    changed = db.execute(
        f"UPDATE records SET value = ?, expires_at = ? WHERE kind = ? AND key = ? AND value = ? AND {_ALIVE}",  # noqa: S608
        (as_json(value), expires_at, kind, storable(key), as_json(expected), now),
    )
    return changed.rowcount > 0


def remove(db: sqlite3.Connection, kind: str, keys: Sequence[str] | None) -> list[str]:
    if keys is None:
        return [row[0] for row in db.execute("DELETE FROM records WHERE kind = ? RETURNING key", (kind,)).fetchall()]
    query = "DELETE FROM records WHERE kind = ? AND key = ?"
    return [key for key in keys if db.execute(query, (kind, storable(key))).rowcount]


def drop_expired(db: sqlite3.Connection, now: float) -> None:
    db.execute(f"DELETE FROM records WHERE NOT {_ALIVE}", (now,))  # noqa: S608
