"""Screenshots of rendered pages: one per page, of the version that was rendered last."""

from __future__ import annotations

from mcp_web.store.rows import key_bytes
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.page_writes import count_bytes


def keep(db: Database, hash_: str, png: bytes) -> None:
    """Keep the PNG screenshot of a version in place of an earlier one of the page; does nothing for an unknown
    version."""
    row = db.one("SELECT id, page FROM snapshots WHERE [tenant = :tenant AND] hash = :hash", hash=key_bytes(hash_))
    if row is None:
        return
    version, page = row
    db.run("DELETE FROM pictures WHERE snapshot IN (SELECT id FROM snapshots WHERE page = :page)", page=page)
    query = "INSERT INTO pictures ([tenant,] snapshot, png) VALUES ([:tenant,] :version, :png)"
    db.run(query, version=version, png=png)
    count_bytes(db, [page])  # it counts as part of the page, so that a purge by size sees it


def screenshot(db: Database, hash_: str) -> bytes | None:
    """The PNG screenshot of the version with this hash; None if there is none."""
    png = db.value(
        "SELECT i.png FROM pictures i JOIN snapshots s ON s.id = i.snapshot"
        " WHERE [s.tenant = :tenant AND] s.hash = :hash",
        hash=key_bytes(hash_),
    )
    return None if png is None else bytes(png)
