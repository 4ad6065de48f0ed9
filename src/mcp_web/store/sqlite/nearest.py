"""The documents nearest to a vector, over everything that has vectors.

Three steps, each over fewer: the signs of all vectors (one bit per dimension, in memory) are compared with the
question's; the signs of the best thousand are weighed with the question's real numbers; the vectors of the best few
dozen pages are read and compared. That finds nearly all of what comparing everything would, with a thirtieth of the
memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mcp_web.store.protocol import Candidate
from mcp_web.store.sqlite.vectors import joined, signs

_ROWS = 1024  # vectors whose signs are weighed
_SPARE = 8  # pages compared beyond those wanted: the order by signs is only nearly right
_ASKED_AT_ONCE = 500
_FAR = np.uint16(65535)


class NearestIndex:
    """The signs of one model's vectors in memory, brought up to date before each question."""

    def __init__(self, model: str, dim: int) -> None:
        self._model = model
        self._dim = dim
        self._words = (dim + 63) // 64
        self._codes = np.empty((self._words, 0), np.uint64)  # one row per 64 dimensions: long rows are quick to compare
        self._owners = np.empty(0, np.int64)  # the page of each vector; 0 when it is gone
        self._count = 0  # of the places in both that are taken
        self._last = 0

    def find(
        self,
        db: sqlite3.Connection,
        vector: Sequence[float],
        limit: int,
        allowed: NDArray[np.bool_] | None,
        also: Sequence[int] = (),
    ) -> list[Candidate]:
        """The nearest pages, and the pages of `also` wherever they stand. `allowed` is by page number."""
        self._catch_up(db)
        if not self._count:
            return []
        question: NDArray[np.float32] = np.array(vector, np.float32)
        question /= np.float32(np.linalg.norm(question)) or np.float32(1)
        while True:
            pages = self._coarse(question, limit + _SPARE, allowed)
            found = self._exact(db, dict.fromkeys((*pages, *also)), question)
            gone = [page for page in pages if page not in found]
            if not gone:
                break
            self._owners[np.isin(self._owners, gone)] = 0  # purged: they must not take the place of others
        order = sorted(found, key=lambda page: (-found[page].score, page))
        asked = set(also)
        return [found[page] for at, page in enumerate(order) if at < limit or page in asked]

    def _coarse(self, question: NDArray[np.float32], most: int, allowed: NDArray[np.bool_] | None) -> list[int]:
        """The pages that are nearest by their signs."""
        owners = self._owners[: self._count]
        distances = self._distances(question)
        distances[owners == 0] = _FAR
        if allowed is not None:
            distances[~allowed[np.minimum(owners, len(allowed) - 1)]] = _FAR
        best = _lowest(distances, max(_ROWS, most * 8))
        best = best[distances[best] != _FAR]
        bits = np.unpackbits(np.ascontiguousarray(self._codes[:, best].T).view(np.uint8), axis=1, count=self._dim)
        weighed = bits @ question
        order = best[np.argsort(-weighed, kind="stable")]
        return list(dict.fromkeys(owners[order].tolist()))[:most]

    def _distances(self, question: NDArray[np.float32]) -> NDArray[np.uint16]:
        """In how many signs each vector differs."""
        code = signs(question[None])[0]
        total = np.zeros(self._count, np.uint16)
        for begin in range(0, self._words, 3):  # three words differ in at most 192 bits: one byte holds that
            rows = [
                np.bitwise_count(self._codes[at, : self._count] ^ code[at])
                for at in range(begin, min(begin + 3, self._words))
            ]
            part = rows[0]
            for more in rows[1:]:
                part += more
            total += part
        return total

    def _exact(
        self, db: sqlite3.Connection, pages: dict[int, None], question: NDArray[np.float32]
    ) -> dict[int, Candidate]:
        """The true cosine of each page's nearest passage; pages that are gone are left out."""
        wanted = list(pages)
        rows: list[tuple[int, bytes, bytes, int]] = []
        for at in range(0, len(wanted), _ASKED_AT_ONCE):
            part = wanted[at : at + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(part))
            rows += db.execute(
                "SELECT v.page, p.key, v.data, length(v.codes) FROM vectors v JOIN pages p ON p.id = v.page"  # noqa: S608
                f" WHERE v.page IN ({marks}) AND v.model = ? AND v.dim = ? AND v.data <> x''",
                (*part, self._model, self._dim),
            )
        if not rows:
            return {}
        counts = [size // (8 * self._words) for _, _, _, size in rows]
        vectors = joined([data for _, _, data, _ in rows], self._dim, counts)
        cosines = (vectors @ question) / np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        nearest = np.maximum.reduceat(cosines, np.cumsum([0, *counts[:-1]])).tolist()
        return {row[0]: Candidate(row[1].hex(), score) for row, score in zip(rows, nearest, strict=True)}

    def _catch_up(self, db: sqlite3.Connection) -> None:
        rows = db.execute(
            "SELECT seq, page, codes FROM vectors WHERE model = ? AND dim = ? AND seq > ? ORDER BY seq",
            (self._model, self._dim, self._last),
        ).fetchall()
        if not rows:
            return
        self._last = rows[-1][0]
        # Replaced vectors come under a new number; their old rows lose their owner.
        pages = np.array([page for _, page, _ in rows], np.int64)
        owners = self._owners[: self._count]
        owners[np.isin(owners, pages)] = 0
        codes = np.frombuffer(b"".join(blob for _, _, blob in rows), np.uint64).reshape(-1, self._words)
        counts = [len(blob) // (8 * self._words) for _, _, blob in rows]
        end = self._count + len(codes)
        self._grow(end)
        self._codes[:, self._count : end] = codes.T
        self._owners[self._count : end] = np.repeat(pages, counts)
        self._count = end

    def _grow(self, size: int) -> None:
        """Make room, with some to spare: a new page shall not copy everything."""
        have = len(self._owners)
        if size <= have:
            return
        more = max(size, have + have // 4) - have
        self._codes = np.concatenate([self._codes, np.empty((self._words, more), np.uint64)], axis=1)
        self._owners = np.concatenate([self._owners, np.zeros(more, np.int64)])


def _lowest(distances: NDArray[np.uint16], most: int) -> NDArray[np.int64]:
    """Where the lowest distances stand. They are small whole numbers: counting finds the bar without sorting."""
    # A sample of a large collection tells the bar well enough: a few more or less make no difference.
    step = max(1, len(distances) // 50_000)
    counts = np.cumsum(np.bincount(distances[::step]))
    bar = int(np.searchsorted(counts, min(counts[-1], -(-most // step))))
    return np.flatnonzero(distances <= bar)
