"""Which documents a model has not read to the end."""

from __future__ import annotations

from mcp_web.store.postgres.connect import Connection


def keys(db: Connection, tenant: int, model: str, limit: int) -> list[str]:
    """Keys of documents that lack vectors or have those of an older text, the newest first; empty texts need none."""
    rows = db.execute(
        "SELECT p.key FROM documents d JOIN pages p ON p.id = d.page JOIN snapshots s ON s.id = d.snapshot"
        " WHERE d.tenant = %s AND s.chars > 0 AND NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.page = d.page AND v.model = %s AND v.version = d.snapshot)"
        " ORDER BY d.number DESC LIMIT %s",
        (tenant, model, limit),
    )
    return [row[0].hex() for row in rows]
