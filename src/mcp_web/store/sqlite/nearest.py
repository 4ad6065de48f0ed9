"""The documents nearest to a vector, over everything that has vectors.

Two steps: the signs of each vector (one bit per dimension) are compared in memory, and the real vectors of the best
few dozen pages are read and compared exactly. That keeps nearly all of what comparing everything exactly would find,
with a thirtieth of the memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mcp_web.store.protocol import Candidate

_COARSE = 2  # how many times the wanted number of pages is compared exactly
_LEAST = 64


def signs(data: bytes, dim: int) -> bytes:
    """One bit per dimension of each vector, each row padded to whole 64-bit words."""
    if not data:
        return b""
    rows = np.frombuffer(data, "<f4").reshape(-1, dim)
    bits = np.packbits(rows > 0, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).tobytes()


class NearestIndex:
    """The signs of one model's vectors in memory, brought up to date before each question."""

    def __init__(self, model: str, dim: int) -> None:
        self._model = model
        self._dim = dim
        self._words = (dim + 63) // 64
        self._codes = np.empty((self._words, 0), np.uint64)  # one row per 64 dimensions: long rows are quick to compare
        self._owners = np.empty(0, np.int64)
        self._last = 0

    def find(
        self,
        db: sqlite3.Connection,
        vector: Sequence[float],
        limit: int,
        allowed: set[int] | None,
        also: Sequence[int] = (),
    ) -> list[Candidate]:
        """The nearest pages, and the pages of `also` wherever they stand."""
        self._catch_up(db)
        if not len(self._owners):
            return []
        question: NDArray[np.float32] = np.array(vector, np.float32)
        question /= np.float32(np.linalg.norm(question)) or np.float32(1)
        pages = self._coarse(question, max(_LEAST, limit * _COARSE), allowed)
        found: dict[int, Candidate] = {}
        for page in dict.fromkeys((*pages, *also)):
            candidate = self._exact(db, page, question)
            if candidate is not None:
                found[page] = candidate
        order = sorted(found, key=lambda page: -found[page].score)
        asked = set(also)
        return [found[page] for at, page in enumerate(order) if at < limit or page in asked]

    def _coarse(self, question: NDArray[np.float32], most: int, allowed: set[int] | None) -> list[int]:
        code = np.frombuffer(signs(question.astype("<f4").tobytes(), self._dim), np.uint64)
        distances = np.zeros(len(self._owners), np.uint16)
        for row, word in zip(self._codes, code, strict=True):
            distances += np.bitwise_count(row ^ word)
        # A page has several passages: look at more rows than pages are wanted. Distances are small whole numbers, so
        # counting them finds the bar without sorting.
        reached = np.cumsum(np.bincount(distances)) >= min(len(distances), most * 8)
        best = np.flatnonzero(distances <= np.argmax(reached))
        best = best[np.argsort(distances[best], kind="stable")]
        pages = dict.fromkeys(self._owners[best].tolist())
        return [page for page in pages if page > 0 and (allowed is None or page in allowed)][:most]

    def _exact(self, db: sqlite3.Connection, page: int, question: NDArray[np.float32]) -> Candidate | None:
        row = db.execute(
            "SELECT p.key, v.data FROM vectors v JOIN pages p ON p.id = v.page WHERE v.page = ? AND v.model = ?",
            (page, self._model),
        ).fetchone()
        if row is None:
            return None
        vectors = np.frombuffer(row[1], "<f4").reshape(-1, self._dim)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        return Candidate(row[0].hex(), float(((vectors @ question) / lengths).max()))

    def _catch_up(self, db: sqlite3.Connection) -> None:
        rows = db.execute(
            "SELECT seq, page, codes FROM vectors WHERE model = ? AND dim = ? AND seq > ? ORDER BY seq",
            (self._model, self._dim, self._last),
        ).fetchall()
        if not rows:
            return
        self._last = rows[-1][0]
        # Replaced vectors come under a new number; their old rows lose their owner.
        self._owners[np.isin(self._owners, [page for _, page, _ in rows])] = 0
        codes = np.frombuffer(b"".join(blob for _, _, blob in rows), np.uint64).reshape(-1, self._words)
        counts = [len(blob) // (8 * self._words) for _, _, blob in rows]
        owners = np.repeat(np.array([page for _, page, _ in rows], np.int64), counts)
        self._codes = np.concatenate([self._codes, codes.T], axis=1)
        self._owners = np.concatenate([self._owners, owners])
