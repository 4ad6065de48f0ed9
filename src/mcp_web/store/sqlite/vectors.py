"""The vectors of a page: one blob per model (store/quantized.py)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.rows import key_bytes


def load(db: sqlite3.Connection, key: str, model: str | None = None) -> list[StoredVectors]:
    """The vectors of one model, or of all."""
    rows = db.execute(
        "SELECT v.model, v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE p.key = ?1 AND (?2 IS NULL OR v.model = ?2) ORDER BY v.model",
        (key_bytes(key), model),
    )
    return [
        StoredVectors(name, dim, digests, data, hash_.hex() if hash_ else "")
        for name, dim, digests, data, hash_ in rows
    ]


def keep(db: sqlite3.Connection, key: str, vectors: StoredVectors) -> None:
    """Replace the vectors of a page; nothing for a page that is no longer kept."""
    db.execute(
        "INSERT OR REPLACE INTO vectors (page, model, dim, version, digests, data)"
        " SELECT p.id, ?, ?, coalesce((SELECT id FROM snapshots WHERE hash = ? AND page = p.id), 0), ?, ?"
        " FROM pages p WHERE p.key = ?",
        (vectors.model, vectors.dim, key_bytes(vectors.snapshot), vectors.digests, vectors.data, key_bytes(key)),
    )


def drop(db: sqlite3.Connection, keep: Sequence[str]) -> int:
    marks = ", ".join("?" * len(keep))
    return db.execute(f"DELETE FROM vectors WHERE model NOT IN ({marks})", tuple(keep)).rowcount  # noqa: S608
