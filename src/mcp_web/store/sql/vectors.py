"""The vectors of pages: one blob per model (store/quantized.py)."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.rows import all_key_bytes
from mcp_web.store.sql.database import Database


def of_pages(db: Database, keys: Sequence[str], model: str | None = None) -> list[tuple[str, StoredVectors]]:
    """The vectors of pages, of one model or of all, each with the page's key."""
    query = (
        "SELECT p.key, v.model, v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE [p.tenant = :tenant AND] p.key = ANY(:keys)"
        " AND (CAST(:model AS text) IS NULL OR v.model = :model) ORDER BY v.model"
    )
    rows = db.rows(query, keys=all_key_bytes(keys), model=model)
    return [
        (key.hex(), StoredVectors(name, dim, digests, data, hash_.hex() if hash_ else ""))
        for key, name, dim, digests, data, hash_ in rows
    ]


def drop(db: Database, keep: Sequence[str]) -> int:
    """Delete the vectors of all other models."""
    return db.run("DELETE FROM vectors WHERE [tenant = :tenant AND] NOT model = ANY(:keep)", keep=list(keep))
