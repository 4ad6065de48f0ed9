"""Pictures of rendered pages: one to a page, of the version that was rendered last."""

from __future__ import annotations

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.rows import key_bytes


def keep(db: Connection, tenant: int, hash_: str, png: bytes) -> None:
    """Keep the picture of a version in place of the page's earlier one; nothing for an unknown version."""
    query = "SELECT id, page FROM snapshots WHERE tenant = %s AND hash = %s"
    row = db.execute(query, (tenant, key_bytes(hash_))).fetchone()
    if row is None:
        return
    version, page = row
    db.execute("DELETE FROM pictures WHERE snapshot IN (SELECT id FROM snapshots WHERE page = %s)", (page,))
    db.execute("INSERT INTO pictures (snapshot, tenant, png) VALUES (%s, %s, %s)", (version, tenant, png))
    # It counts as part of the page, so that a purge by size sees it.
    db.execute("UPDATE pages SET bytes = bytes + %s WHERE id = %s", (len(png), page))


def picture(db: Connection, tenant: int, hash_: str) -> bytes | None:
    row = db.execute(
        "SELECT png FROM pictures JOIN snapshots ON snapshots.id = pictures.snapshot"
        " WHERE snapshots.tenant = %s AND hash = %s",
        (tenant, key_bytes(hash_)),
    ).fetchone()
    return bytes(row[0]) if row else None
