"""The format of stored vectors: one byte per dimension and a scale.

A quarter of the space of 32-bit numbers, and a cosine changes by about .0005.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_web.model.passage import PackedVectors
from mcp_web.store.pack import pack_text, unpack_text
from mcp_web.store.protocol import StoredVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE = 4  # bytes of the scale, which follows the codes of a vector


def quantize(vectors: PackedVectors) -> StoredVectors:
    """Convert the vectors of a page to the compact form in which they are stored, one byte per dimension."""
    digests = pack_text("\n".join(vectors.digests))
    return StoredVectors(
        vectors.model, vectors.dim, digests, _codes_and_scales(vectors) if vectors.data else b"", vectors.snapshot
    )


def dequantize(stored: StoredVectors) -> PackedVectors:
    """Convert stored vectors back to float32 numbers: the inverse of `quantize`, except for rounding."""
    digests = tuple(unpack_text(stored.digests).split())
    data = _floats(stored.data, stored.dim) if stored.data else b""
    return PackedVectors(stored.model, stored.dim, digests, data, stored.snapshot)


def codes_of(data: bytes, dim: int) -> NDArray[np.int8]:
    """The int8 codes of the vectors in a blob, a row for each vector; times the vector's scale they are its numbers."""
    import numpy as np

    return np.frombuffer(data, np.int8).reshape(-1, dim + SCALE)[:, :dim]


def _floats(data: bytes, dim: int) -> bytes:
    """The vectors in a blob, their codes multiplied by their scales, as rows of little-endian float32."""
    import numpy as np

    scales = np.frombuffer(data, np.uint8).reshape(-1, dim + SCALE)[:, dim:].copy().view("<f4")
    rows: NDArray[np.float32] = codes_of(data, dim) * scales
    return rows.astype("<f4").tobytes()


def _codes_and_scales(vectors: PackedVectors) -> bytes:
    """The bytes to store for vectors: the int8 codes of each vector, followed by its scale."""
    import numpy as np

    rows = np.frombuffer(vectors.data, "<f4").reshape(-1, vectors.dim)
    scales = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
    codes = np.rint(rows / np.where(scales > 0, scales, np.float32(1))).astype(np.int8)
    return np.concatenate([codes.view(np.uint8), scales.astype("<f4").view(np.uint8)], axis=1).tobytes()


def best_cosine(data: bytes, dim: int, vector: Sequence[float]) -> float:
    """The cosine of `vector` and the nearest of the stored vectors in a blob, which must not be empty."""
    import numpy as np

    question: NDArray[np.float32] = np.array(vector, np.float32)
    question /= np.float32(np.linalg.norm(question)) or np.float32(1)
    codes = codes_of(data, dim).astype(np.float32)
    lengths = np.maximum(np.sqrt(np.vecdot(codes, codes)), 1e-9)
    return float((np.vecdot(codes, question) / lengths).max())
