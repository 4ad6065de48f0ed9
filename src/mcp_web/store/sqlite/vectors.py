"""The vectors of a page: one packed blob per model.

On disk a vector is one byte per dimension and its scale: a quarter of the room, and no cosine changes by more than
about .001 (measured: the ten nearest of 100,000 documents stay the same but for one in a hundred).
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

_SCALE = 4  # bytes


def load(db: sqlite3.Connection, key: str, model: str) -> PackedVectors | None:
    row = db.execute(
        "SELECT v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE p.key = ? AND v.model = ?",
        (key_bytes(key), model),
    ).fetchone()
    if row is None:
        return None
    dim, digests, data, version = row
    names = tuple(unpack_text(digests).split("\n")) if dim and data else ()
    plain = rows_of(data, dim, len(names)).astype("<f4").tobytes() if names else b""
    return PackedVectors(model, dim, names, plain, version.hex() if version else "")


def prepared(key: str, vectors: PackedVectors) -> Callable[[sqlite3.Connection], None]:
    """The write that replaces the vectors of a page, with everything computed; a page that was purged needs none."""
    digests = pack_text("\n".join(vectors.digests))
    data, codes = _packed(vectors)

    def write(db: sqlite3.Connection) -> None:
        db.execute(
            "INSERT OR REPLACE INTO vectors (page, model, dim, digests, data, codes, version)"
            " SELECT p.id, ?, ?, ?, ?, ?, coalesce((SELECT id FROM snapshots WHERE hash = ? AND page = p.id), 0)"
            " FROM pages p WHERE p.key = ?",
            (vectors.model, vectors.dim, digests, data, codes, key_bytes(vectors.snapshot), key_bytes(key)),
        )

    return write


def drop(db: sqlite3.Connection, but: str) -> int:
    return db.execute("DELETE FROM vectors WHERE model <> ?", (but,)).rowcount


def rows_of(data: bytes, dim: int, count: int) -> NDArray[np.float32]:
    """The vectors in a blob; earlier versions wrote four bytes per dimension, which no other length equals."""
    import numpy as np

    if len(data) == count * dim * 4:
        return np.frombuffer(data, "<f4").reshape(count, dim)
    rows = np.frombuffer(data, np.uint8).reshape(count, dim + _SCALE)
    scales = rows[:, dim:].copy().view("<f4")
    found: NDArray[np.float32] = rows[:, :dim].view(np.int8) * scales
    return found


def joined(blobs: list[bytes], dim: int, counts: list[int]) -> NDArray[np.float32]:
    """The vectors of several blobs, one after the other."""
    import numpy as np

    if all(len(data) == count * (dim + _SCALE) for data, count in zip(blobs, counts, strict=True)):
        return rows_of(b"".join(blobs), dim, sum(counts))
    return np.concatenate([rows_of(data, dim, count) for data, count in zip(blobs, counts, strict=True)])


def signs(rows: NDArray[np.float32]) -> NDArray[np.uint64]:
    """One bit per dimension of each vector, each row padded to whole 64-bit words."""
    import numpy as np

    bits = np.packbits(rows > 0, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view(np.uint64)


def _packed(vectors: PackedVectors) -> tuple[bytes, bytes]:
    import numpy as np

    if not vectors.data:
        return b"", b""
    rows = np.frombuffer(vectors.data, "<f4").reshape(-1, vectors.dim)
    scales = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
    small = np.rint(rows / np.where(scales > 0, scales, np.float32(1))).astype(np.int8)
    data = np.concatenate([small.view(np.uint8), scales.astype("<f4").view(np.uint8)], axis=1)
    return data.tobytes(), signs(rows).tobytes()
