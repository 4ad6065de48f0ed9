"""Collections that tenants share; row-level security (schema.py) decides which rows that shows."""

from __future__ import annotations

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.postgres.labels import folded
from mcp_web.store.postgres.schema import tenant_id
from mcp_web.store.protocol import Share
from mcp_web.store.rows import storable


def shares(db: Connection) -> list[Share]:
    """What the tenant of this connection shares, and what it may read of others."""
    rows = db.execute(
        "SELECT o.name, s.label, coalesce(r.name, '') FROM shares s JOIN tenants o ON o.id = s.tenant"
        " LEFT JOIN tenants r ON r.id = s.reader ORDER BY 1, 2, 3"
    )
    return [Share(*row) for row in rows]


def add(db: Connection, owner: int, share: Share) -> None:
    reader = tenant_id(db, share.reader) if share.reader else None
    db.execute(
        "INSERT INTO shares (tenant, folded, label, reader) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (owner, folded(share.collection), storable(share.collection), reader),
    )


def remove(db: Connection, owner: int, collection: str, reader: str | None) -> int:
    return db.execute(
        "DELETE FROM shares s WHERE s.tenant = %(owner)s AND s.folded = %(label)s AND (%(reader)s::text IS NULL"
        " OR coalesce((SELECT name FROM tenants WHERE id = s.reader), '') = %(reader)s)",
        {"owner": owner, "label": folded(collection), "reader": reader},
    ).rowcount
