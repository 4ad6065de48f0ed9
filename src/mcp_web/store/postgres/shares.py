"""Collections that tenants share; row-level security (schema.py) decides which rows a connection sees."""

from __future__ import annotations

from mcp_web.store.postgres.database import PostgresDatabase
from mcp_web.store.postgres.tenants import tenant_id
from mcp_web.store.protocol import Share
from mcp_web.store.rows import storable
from mcp_web.store.sql.labels import folded


def shares(db: PostgresDatabase) -> list[Share]:
    """The shares (collections that one tenant lets another read) that the connection's tenant gives, or may read."""
    rows = db.rows(
        "SELECT o.name, s.label, coalesce(r.name, '') FROM shares s JOIN tenants o ON o.id = s.tenant"
        " LEFT JOIN tenants r ON r.id = s.reader ORDER BY 1, 2, 3"
    )
    return [Share(*row) for row in rows]


def add(db: PostgresDatabase, share: Share) -> None:
    db.run(
        "INSERT INTO shares (tenant, folded, label, reader) VALUES (:tenant, :folded, :label, :reader)"
        " ON CONFLICT DO NOTHING",
        folded=folded(share.collection),
        label=storable(share.collection),
        reader=tenant_id(db.connection, share.reader) if share.reader else None,
    )


def remove(db: PostgresDatabase, collection: str, reader: str | None) -> int:
    query = (
        "DELETE FROM shares s WHERE s.tenant = :tenant AND s.folded = :label AND (:reader::text IS NULL"
        " OR coalesce((SELECT name FROM tenants WHERE id = s.reader), '') = :reader)"
    )
    return db.run(query, label=folded(collection), reader=reader)
