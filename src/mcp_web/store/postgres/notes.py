"""Small JSON values that expire: a cache."""

from __future__ import annotations

from typing import Any

from mcp_web.store.pack import unpack_json
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.postgres.records import key_hash
from mcp_web.store.protocol import Record
from mcp_web.store.rows import storable


def note(db: Connection, tenant: int, kind: str, key: str, now: float) -> Any | None:
    query = "SELECT value FROM notes WHERE tenant = %s AND kind = %s AND key_hash = %s AND expires_at > %s"
    row = db.execute(query, (tenant, kind, key_hash(key), now)).fetchone()
    return unpack_json(row[0]) if row else None


def notes(db: Connection, tenant: int, after: tuple[str, str], limit: int, now: float) -> list[tuple[str, Record]]:
    rows = db.execute(
        "SELECT kind, key, value, expires_at FROM notes WHERE tenant = %s AND (kind, key) > (%s, %s)"
        " AND expires_at > %s ORDER BY kind, key LIMIT %s",
        (tenant, *after, now, limit),
    )
    return [(kind, Record(key, unpack_json(value), expires_at)) for kind, key, value, expires_at in rows]


def keep(db: Connection, tenant: int, kind: str, key: str, value: bytes, expires_at: float) -> None:
    db.execute(
        "INSERT INTO notes (tenant, kind, key, key_hash, value, expires_at) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (tenant, kind, key_hash) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
        (tenant, kind, storable(key), key_hash(key), value, expires_at),
    )


def drop_expired(db: Connection, tenant: int, now: float) -> None:
    db.execute("DELETE FROM notes WHERE tenant = %s AND expires_at <= %s", (tenant, now))
