"""Pictures of rendered pages: one to a page, of the version that was rendered last."""

from __future__ import annotations

import sqlite3

from mcp_web.store.rows import key_bytes


def keep(db: sqlite3.Connection, hash_: str, png: bytes) -> None:
    """Put a picture beside its version, in the place of the one the page had; unknown versions have none."""
    row = db.execute("SELECT id, page FROM snapshots WHERE hash = ?", (key_bytes(hash_),)).fetchone()
    if row is None:
        return
    version, page = row
    others = "snapshot IN (SELECT id FROM snapshots WHERE page = ?)"
    db.execute(f"DELETE FROM pictures WHERE {others}", (page,))  # noqa: S608
    db.execute("INSERT INTO pictures (snapshot, png) VALUES (?, ?)", (version, png))
    # It counts as part of the page, so that a purge by size sees it.
    db.execute("UPDATE pages SET bytes = bytes + ? WHERE id = ?", (len(png), page))


def picture(db: sqlite3.Connection, hash_: str) -> bytes | None:
    row = db.execute(
        "SELECT png FROM pictures JOIN snapshots ON snapshots.id = pictures.snapshot WHERE hash = ?",
        (key_bytes(hash_),),
    ).fetchone()
    return bytes(row[0]) if row else None
