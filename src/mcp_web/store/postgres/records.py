"""JSON values that several processes change: one row each, so that no update of another process is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import Record
from mcp_web.store.rows import as_json, storable

_ALIVE = "(expires_at IS NULL OR expires_at > %(now)s)"
_NAMED = "tenant = %(tenant)s AND kind = %(kind)s AND key_hash = %(hash)s"
_INSERT = (
    "INSERT INTO records (tenant, kind, key, key_hash, value, expires_at)"
    " VALUES (%(tenant)s, %(kind)s, %(key)s, %(hash)s, %(value)s, %(expires_at)s)"
)


def key_hash(key: str) -> bytes:
    """Keys may be URLs longer than an index allows."""
    return hashlib.sha256(storable(key).encode()).digest()


def record(db: Connection, tenant: int, kind: str, key: str, now: float) -> Any | None:
    query = f"SELECT value FROM records WHERE {_NAMED} AND {_ALIVE}"  # noqa: S608
    row = db.execute(query, _values(tenant, kind, key) | {"now": now}).fetchone()
    return json.loads(row[0]) if row else None


def records(db: Connection, tenant: int, kind: str, now: float, limit: int, newest_first: bool) -> list[Record]:
    order = "DESC" if newest_first else "ASC"
    query = (
        "SELECT key, value, expires_at FROM records WHERE tenant = %(tenant)s AND kind = %(kind)s"  # noqa: S608
        f" AND {_ALIVE} ORDER BY seq {order} LIMIT %(limit)s"
    )
    rows = db.execute(query, {"tenant": tenant, "kind": kind, "now": now, "limit": limit})
    return [Record(key, json.loads(value), expires_at) for key, value, expires_at in rows]


def kinds(db: Connection, tenant: int) -> list[str]:
    rows = db.execute("SELECT DISTINCT kind FROM records WHERE tenant = %s ORDER BY kind", (tenant,))
    return [row[0] for row in rows]


def add(
    db: Connection, tenant: int, kind: str, items: Mapping[str, Any], expires_at: float | None, now: float
) -> list[str]:
    """Add what is absent or expired; returns the keys that were added."""
    # Adding to one kind takes turns: rows are numbered in the given order, and no two writers deadlock.
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (kind, tenant))
    hashes = {key_hash(key): key for key in items}
    db.execute(
        "DELETE FROM records WHERE tenant = %s AND kind = %s AND key_hash = ANY(%s) AND expires_at <= %s",
        (tenant, kind, list(hashes), now),
    )
    rows = db.execute(
        "INSERT INTO records (tenant, kind, key, key_hash, value, expires_at)"
        " SELECT %s, %s, key, hash, value, %s FROM unnest(%s::text[], %s::bytea[], %s::text[])"
        " WITH ORDINALITY AS given (key, hash, value, place) ORDER BY place ON CONFLICT DO NOTHING RETURNING key_hash",
        (
            tenant,
            kind,
            expires_at,
            [storable(key) for key in hashes.values()],
            list(hashes),
            [as_json(items[key]) for key in hashes.values()],
        ),
    )
    added = {hashes[bytes(row[0])] for row in rows}
    return [key for key in items if key in added]


def keep(db: Connection, tenant: int, kind: str, key: str, value: Any, expires_at: float | None) -> None:
    values = _values(tenant, kind, key) | {"value": as_json(value), "expires_at": expires_at}
    db.execute(
        _INSERT + " ON CONFLICT (tenant, kind, key_hash) DO UPDATE SET value = excluded.value,"
        " expires_at = excluded.expires_at",
        values,
    )


def replace(
    db: Connection, tenant: int, kind: str, key: str, value: Any, expected: Any, expires_at: float | None, now: float
) -> bool:
    values = _values(tenant, kind, key) | {
        "value": as_json(value),
        "expected": as_json(expected),
        "expires_at": expires_at,
        "now": now,
    }
    query = (
        f"UPDATE records SET value = %(value)s, expires_at = %(expires_at)s WHERE {_NAMED}"  # noqa: S608
        f" AND value = %(expected)s AND {_ALIVE}"
    )
    return db.execute(query, values).rowcount > 0


def remove(db: Connection, tenant: int, kind: str, keys: Sequence[str] | None) -> list[str]:
    query = "DELETE FROM records WHERE tenant = %s AND kind = %s"
    if keys is None:
        return [row[0] for row in db.execute(query + " RETURNING key", (tenant, kind))]
    wanted = {key_hash(key): key for key in keys}
    rows = db.execute(query + " AND key_hash = ANY(%s) RETURNING key_hash", (tenant, kind, sorted(wanted)))
    found = {wanted[bytes(row[0])] for row in rows}
    return [key for key in keys if key in found]


def drop_expired(db: Connection, tenant: int, now: float) -> None:
    db.execute("DELETE FROM records WHERE tenant = %s AND expires_at <= %s", (tenant, now))


def _values(tenant: int, kind: str, key: str) -> dict[str, Any]:
    return {"tenant": tenant, "kind": kind, "key": storable(key), "hash": key_hash(key)}
