"""The vectors of a page: one packed blob per model.

On disk a vector is one byte per dimension and a scale: a quarter of the room of plain numbers, and a cosine changes by
about .0005.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp_web.model.passage import PackedVectors
from mcp_web.store.pack import pack_text, unpack_text
from mcp_web.store.sqlite.pages import key_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE = 4  # bytes after the codes of a vector


def load(db: sqlite3.Connection, key: str, model: str) -> PackedVectors | None:
    row = db.execute(
        "SELECT v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE p.key = ? AND v.model = ?",
        (key_bytes(key), model),
    ).fetchone()
    if row is None:
        return None
    dim, digests, data, version = row
    names = tuple(unpack_text(digests).split("\n")) if data else ()
    return PackedVectors(model, dim, names, _plain(data, dim) if data else b"", version.hex() if version else "")


def prepared(key: str, vectors: PackedVectors) -> Callable[[sqlite3.Connection], None]:
    """The write that replaces the vectors of a page, with everything computed; a page that was purged needs none."""
    digests = pack_text("\n".join(vectors.digests))
    data = _packed(vectors) if vectors.data else b""

    def write(db: sqlite3.Connection) -> None:
        db.execute(
            "INSERT OR REPLACE INTO vectors (page, model, dim, version, digests, data)"
            " SELECT p.id, ?, ?, coalesce((SELECT id FROM snapshots WHERE hash = ? AND page = p.id), 0), ?, ?"
            " FROM pages p WHERE p.key = ?",
            (vectors.model, vectors.dim, key_bytes(vectors.snapshot), digests, data, key_bytes(key)),
        )

    return write


def drop(db: sqlite3.Connection, but: str) -> int:
    return db.execute("DELETE FROM vectors WHERE model <> ?", (but,)).rowcount


def codes_of(data: bytes, dim: int) -> NDArray[np.int8]:
    """The rows of a blob without their scales."""
    import numpy as np

    return np.frombuffer(data, np.int8).reshape(-1, dim + SCALE)[:, :dim]


def _plain(data: bytes, dim: int) -> bytes:
    import numpy as np

    scales = np.frombuffer(data, np.uint8).reshape(-1, dim + SCALE)[:, dim:].copy().view("<f4")
    rows: NDArray[np.float32] = codes_of(data, dim) * scales
    return rows.astype("<f4").tobytes()


def _packed(vectors: PackedVectors) -> bytes:
    import numpy as np

    rows = np.frombuffer(vectors.data, "<f4").reshape(-1, vectors.dim)
    scales = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
    codes = np.rint(rows / np.where(scales > 0, scales, np.float32(1))).astype(np.int8)
    return np.concatenate([codes.view(np.uint8), scales.astype("<f4").view(np.uint8)], axis=1).tobytes()
