"""Writes vectors into a SQLite file: one blob per page and model (store/quantized.py)."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.rows import key_bytes
from mcp_web.store.sql.database import Database


def keep(db: Database, stored: Mapping[str, StoredVectors]) -> None:
    """Replace the vectors of pages, by page key; skips pages that are no longer kept. A replaced row gets a new `seq`,
    by which `nearest.py` finds the rows that changed."""
    db.many(
        "INSERT OR REPLACE INTO vectors (page, model, dim, version, digests, data)"
        " SELECT p.id, :model, :dim, coalesce((SELECT id FROM snapshots WHERE hash = :hash AND page = p.id), 0),"
        " :digests, :data FROM pages p WHERE p.key = :key",
        [
            (one.model, one.dim, key_bytes(one.snapshot), one.digests, one.data, key_bytes(key))
            for key, one in stored.items()
        ],
    )
