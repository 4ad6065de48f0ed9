"""The vectors of a page: one packed blob per model."""

from __future__ import annotations

import sqlite3

from mcp_web.model.passage import PackedVectors
from mcp_web.store.pack import pack_text, unpack_text
from mcp_web.store.sqlite.pages import key_bytes


def load(db: sqlite3.Connection, key: str, model: str) -> PackedVectors | None:
    row = db.execute(
        "SELECT v.dim, v.digests, v.data FROM vectors v JOIN pages p ON p.id = v.page WHERE p.key = ? AND v.model = ?",
        (key_bytes(key), model),
    ).fetchone()
    if row is None:
        return None
    digests = unpack_text(row[1])
    return PackedVectors(model, row[0], tuple(digests.split("\n")) if digests else (), row[2])


def keep(db: sqlite3.Connection, key: str, vectors: PackedVectors) -> None:
    """Replace the vectors of a page; a page that was purged meanwhile needs none."""
    from mcp_web.store.sqlite.nearest import signs

    digests = pack_text("\n".join(vectors.digests))
    codes = signs(vectors.data, vectors.dim)
    db.execute(
        "INSERT OR REPLACE INTO vectors (page, model, dim, digests, data, codes)"
        " SELECT id, ?, ?, ?, ?, ? FROM pages WHERE key = ?",
        (vectors.model, vectors.dim, digests, vectors.data, codes, key_bytes(key)),
    )


def drop(db: sqlite3.Connection, but: str) -> int:
    return db.execute("DELETE FROM vectors WHERE model <> ?", (but,)).rowcount
