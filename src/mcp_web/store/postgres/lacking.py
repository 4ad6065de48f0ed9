"""Which documents a model has not read to the end."""

from __future__ import annotations

from mcp_web.store.postgres.connect import Connection

_LACKING = (
    " FROM documents d JOIN pages p ON p.id = d.page JOIN snapshots s ON s.id = d.snapshot"
    " WHERE d.tenant = %s AND s.chars > 0 AND NOT EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.page = d.page AND v.model = %s AND v.version = d.snapshot)"
)


def keys(db: Connection, tenant: int, model: str, limit: int) -> list[str]:
    """Keys of documents that lack vectors or have those of an older text, the newest first; empty texts need none."""
    rows = db.execute("SELECT p.key" + _LACKING + " ORDER BY d.number DESC LIMIT %s", (tenant, model, limit))
    return [row[0].hex() for row in rows]


def count(db: Connection, tenant: int, model: str) -> int:
    """How many documents lack this model's vectors."""
    row = db.execute("SELECT count(*)" + _LACKING, (tenant, model)).fetchone()
    return int(row[0]) if row else 0
