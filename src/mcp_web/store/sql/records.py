"""JSON values: records, which several processes change, one row each so that no update is lost; and notes, a cache.

Functions without a docstring do what the method of `Store` does that they are used for in store.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.store.pack import unpack_json
from mcp_web.store.protocol import Record
from mcp_web.store.rows import as_json, storable
from mcp_web.store.sql.database import Database


def record(db: Database, kind: str, key: str) -> Any | None:
    value = _value(db, "records", kind, key)
    return None if value is None else json.loads(value)


def note(db: Database, kind: str, key: str) -> Any | None:
    packed = _value(db, "notes", kind, key)
    return None if packed is None else unpack_json(packed)


def _value(db: Database, table: str, kind: str, key: str) -> Any | None:
    """The stored value of the row under (kind, key) in `table`, records or notes; None if it is absent or expired."""
    query = (
        f"SELECT value FROM {table} WHERE [tenant = :tenant AND] kind = :kind AND key_hash = :key_hash"  # noqa: S608
        " AND (expires_at IS NULL OR expires_at > :now)"
    )
    return db.value(query, kind=kind, key_hash=db.key_hash(key), now=db.now())


def records(db: Database, kind: str, *, limit: int = 100_000, newest_first: bool = False) -> list[Record]:
    query = (
        "SELECT key, value, expires_at FROM records WHERE [tenant = :tenant AND] kind = :kind"
        " AND (expires_at IS NULL OR expires_at > :now) ORDER BY seq"
    )
    limited = " DESC LIMIT :limit" if newest_first else " LIMIT :limit"
    rows = db.rows(query + limited, kind=kind, now=db.now(), limit=limit)
    return [Record(key, json.loads(value), expires_at) for key, value, expires_at in rows]


def kinds(db: Database) -> list[str]:
    return [kind for (kind,) in db.rows("SELECT DISTINCT kind FROM records [WHERE tenant = :tenant] ORDER BY kind")]


def add(db: Database, kind: str, items: Mapping[str, Any], expires_at: float | None = None) -> list[str]:
    """Add records (values by key) unless one that has not expired exists; returns the keys of those that were added."""
    db.lock(kind)  # rows are numbered in the given order, and no two writers deadlock
    keys = {storable(key): key for key in items}
    query = (
        "DELETE FROM records WHERE [tenant = :tenant AND] kind = :kind AND key_hash = ANY(:hashes)"
        " AND expires_at <= :now"
    )
    db.run(query, kind=kind, hashes=[db.key_hash(key) for key in keys], now=db.now())
    added = db.many(
        "INSERT INTO records ([tenant, key_hash,] kind, key, value, expires_at)"
        " VALUES ([:tenant, :key_hash,] :kind, :key, :value, :expires_at) ON CONFLICT DO NOTHING RETURNING key",
        [(db.key_hash(name), name, as_json(items[key])) for name, key in keys.items()],
        kind=kind,
        expires_at=expires_at,
    )
    return [keys[name] for (name,) in added]


def keep(db: Database, kind: str, key: str, value: Any, expires_at: float | None = None) -> None:
    _keep(db, "records", kind, key, as_json(value), expires_at)


def _keep(db: Database, table: str, kind: str, key: str, value: str | bytes, expires_at: float | None) -> None:
    """Add or overwrite the row under (kind, key) in `table`, records or notes."""
    query = (
        f"INSERT INTO {table} ([tenant, key_hash,] kind, key, value, expires_at)"  # noqa: S608
        " VALUES ([:tenant, :key_hash,] :kind, :key, :value, :expires_at)"
        " ON CONFLICT ([tenant,] kind, key_hash)"
        " DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
    )
    db.run(query, kind=kind, key=storable(key), key_hash=db.key_hash(key), value=value, expires_at=expires_at)


def replace(db: Database, kind: str, key: str, value: Any, *, expected: Any, expires_at: float | None = None) -> bool:
    changed = db.run(
        "UPDATE records SET value = :value, expires_at = :expires_at"
        " WHERE [tenant = :tenant AND] kind = :kind AND key_hash = :key_hash AND value = :expected"
        " AND (expires_at IS NULL OR expires_at > :now)",
        kind=kind,
        key_hash=db.key_hash(key),
        value=as_json(value),
        expected=as_json(expected),
        expires_at=expires_at,
        now=db.now(),
    )
    return changed > 0


def remove(db: Database, kind: str, keys: Sequence[str] | None = None) -> list[str]:
    query = "DELETE FROM records WHERE [tenant = :tenant AND] kind = :kind"
    if keys is None:
        return [key for (key,) in db.rows(query + " RETURNING key", kind=kind)]
    hashes = sorted(db.key_hash(key) for key in keys)
    rows = db.rows(query + " AND key_hash = ANY(:hashes) RETURNING key", kind=kind, hashes=hashes)
    found = {key for (key,) in rows}
    return [key for key in keys if storable(key) in found]


def notes(db: Database, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[tuple[str, Record]]:
    query = (
        "SELECT kind, key, value, expires_at FROM notes WHERE [tenant = :tenant AND] (kind, key) > (:kind, :key)"
        " AND expires_at > :now ORDER BY kind, key LIMIT :limit"
    )
    rows = db.rows(query, kind=after[0], key=after[1], now=db.now(), limit=limit)
    return [(kind, Record(key, unpack_json(value), expires_at)) for kind, key, value, expires_at in rows]


def keep_note(db: Database, kind: str, key: str, packed: bytes, expires_at: float) -> None:
    _keep(db, "notes", kind, key, packed, expires_at)


def drop_expired(db: Database) -> None:
    """Delete expired records and notes."""
    for table in ("records", "notes"):
        db.run(f"DELETE FROM {table} WHERE [tenant = :tenant AND] expires_at <= :now", now=db.now())  # noqa: S608
