"""Small JSON values that expire: a cache."""

from __future__ import annotations

from typing import Any

from mcp_web.store.pack import unpack_json
from mcp_web.store.protocol import Record
from mcp_web.store.rows import storable
from mcp_web.store.sql.database import Database


def note(db: Database, kind: str, key: str) -> Any | None:
    query = (
        "SELECT value FROM notes WHERE [tenant = :tenant AND] kind = :kind AND key_hash = :key_hash"
        " AND expires_at > :now"
    )
    packed = db.value(query, kind=kind, key_hash=db.key_hash(key), now=db.now())
    return None if packed is None else unpack_json(packed)


def notes(db: Database, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[tuple[str, Record]]:
    query = (
        "SELECT kind, key, value, expires_at FROM notes WHERE [tenant = :tenant AND] (kind, key) > (:kind, :key)"
        " AND expires_at > :now ORDER BY kind, key LIMIT :limit"
    )
    rows = db.rows(query, kind=after[0], key=after[1], now=db.now(), limit=limit)
    return [(kind, Record(key, unpack_json(value), expires_at)) for kind, key, value, expires_at in rows]


def keep(db: Database, kind: str, key: str, packed: bytes, expires_at: float) -> None:
    query = (
        "INSERT INTO notes ([tenant, key_hash,] kind, key, value, expires_at)"
        " VALUES ([:tenant, :key_hash,] :kind, :key, :value, :expires_at)"
        " ON CONFLICT ([tenant,] kind, key_hash)"
        " DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
    )
    db.run(query, kind=kind, key=storable(key), key_hash=db.key_hash(key), value=packed, expires_at=expires_at)


def drop_expired(db: Database) -> None:
    db.run("DELETE FROM notes WHERE [tenant = :tenant AND] expires_at <= :now", now=db.now())
