"""The documents nearest to a vector, over everything that has vectors.

All vectors of a model are held in memory, one byte per dimension. Comparing all of them with a question would take tens
of milliseconds, so their signs are compared first (one bit per dimension, after subtracting the mean of all vectors).
The exact cosine is computed for the few thousand that agree in the most signs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcp_web.store.protocol import Candidate, VectorQuery
from mcp_web.store.quantized import SCALE, codes_of
from mcp_web.store.scoring import grown
from mcp_web.store.sqlite.database import SqliteDatabase

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]

# Vectors whose exact cosine is computed. Over 273,000 passages (bench/archive) this finds 97 % of the ten documents
# that an exhaustive search finds for questions as people ask them, 89 % for a few words of a document.
EXACT = 4096
MANY = 65_536  # vectors; comparing more of them takes longer than everything else in a search
_AT_ONCE = 20_000  # rows whose signs are computed together


class NearestIndex:
    """Finds the documents nearest to a vector: keeps all vectors of one model in memory, updated before each query."""

    def __init__(self, model: str, dim: int) -> None:
        self._model = model
        self._dim = dim
        self._words = (dim + 63) // 64
        self._reset()

    def _reset(self) -> None:
        self._codes: NDArray[np.int8] = np.empty((0, self._dim), np.int8)  # a row for each vector, as stored
        self._scales = np.empty(0, np.float32)  # by which a row of codes is a vector of length one
        self._signs = np.empty((self._words, 0), np.uint64)  # one row per 64 dimensions: long rows are quick to compare
        self._owners = np.empty(0, np.int64)  # the page of each row; 0 when it was deleted
        self._spans: dict[int, tuple[int, int]] = {}  # the rows of each page
        self._mean = np.zeros(self._dim, np.float32)
        self._count = self._deleted = self._with_signs = self._mean_of = self._last = 0

    def find(
        self,
        db: SqliteDatabase,
        query: VectorQuery,
        allowed: NDArray[np.bool_] | None,
        also: list[int],
    ) -> list[Candidate]:
        """As `Store.find_by_vector`: the documents nearest to the query's vector, best first. `allowed`: which pages
        match the filter, by row number (None: all); `also`: the row numbers of the pages to return too."""
        self._update(db)
        question: Floats = np.array(query.vector, np.float32)
        question /= np.float32(np.linalg.norm(question)) or np.float32(1)
        pages: list[int] = []
        keys = self._keys(db, also)
        while not (query.quick and self._count > MANY and len(also) >= 2 * query.limit):
            pages = self._nearest(question, query.limit, allowed)
            keys |= self._keys(db, pages)
            gone = [page for page in pages if page not in keys]
            if not gone:
                break
            self._remove(gone)
        near = set(pages)
        wanted = pages + [page for page in also if page in keys and page in self._spans and page not in near]
        scores = self._scores(wanted, question)
        order = sorted(zip(scores, wanted, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [Candidate(keys[page], score) for score, page in order]

    def _keys(self, db: SqliteDatabase, pages: list[int]) -> dict[int, str]:
        """The keys of those of the pages (row numbers) that still have vectors, by row number. A new page may have the
        row number of one that was deleted, whose vectors are still in memory."""
        query = (
            "SELECT p.id, p.key FROM pages p JOIN vectors v ON v.page = p.id"
            " WHERE p.id = ANY(:pages) AND v.model = :model"
        )
        return {page: key.hex() for page, key in db.rows(query, pages=pages, model=self._model)}

    def _nearest(self, question: Floats, limit: int, allowed: NDArray[np.bool_] | None) -> list[int]:
        """At most `limit` pages (row numbers), the nearest first; `allowed` says which, by row number (None: all)."""
        owners = self._owners[: self._count]
        wanted = owners != 0
        if allowed is not None:
            wanted &= allowed[np.minimum(owners, len(allowed) - 1)]
        rows = np.flatnonzero(wanted)
        if len(rows) > EXACT:
            rows = self._nearest_by_signs(rows, question)
        cosines = self._cosines(rows, question)
        # A page has several passages, and only the order of the first few rows matters.
        most = limit * 8
        if len(rows) > most:
            first = np.argpartition(-cosines, most)[:most]
            pages = _in_order(owners[rows[first]], cosines[first])
            if len(pages) >= limit:
                return pages[:limit]
        return _in_order(owners[rows], cosines)[:limit]

    def _nearest_by_signs(self, rows: Rows, question: Floats) -> Rows:
        """About EXACT of these rows of vectors: those whose signs agree with the question's in the most dimensions."""
        distances = np.zeros(self._count, np.uint16)
        for signs, asked in zip(self._signs, _signs((question - self._mean)[None])[:, 0], strict=True):
            distances += np.bitwise_count(signs[: self._count] ^ asked)
        distances = distances[rows]
        # They are small whole numbers: counting them finds the bar that EXACT rows reach.
        bar = np.searchsorted(np.cumsum(np.bincount(distances)), EXACT)
        found: Rows = rows[distances <= bar]
        return found

    def _scores(self, pages: list[int], question: Floats) -> list[float]:
        """For each of the pages (row numbers), the cosine of its nearest passage."""
        if not pages:
            return []
        spans = np.array([self._spans[page] for page in pages])
        sizes = spans[:, 1] - spans[:, 0]
        starts = np.cumsum(sizes) - sizes
        rows = np.arange(int(sizes.sum())) + np.repeat(spans[:, 0] - starts, sizes)
        found: list[float] = np.maximum.reduceat(self._cosines(rows, question), starts).tolist()
        return found

    def _cosines(self, rows: Rows, question: Floats) -> Floats:
        """The cosine of each of the stored vectors with these numbers and the question, a vector of length one."""
        # A matrix product would start the threads of the linear algebra library, which takes longer than this.
        found: Floats = np.vecdot(self._codes.take(rows, axis=0).astype(np.float32), question) * self._scales[rows]
        return found

    # what is in memory
    def _update(self, db: SqliteDatabase) -> None:
        """Read the vectors that were written to the database since the last call."""
        if self._deleted > max(EXACT, self._count // 2):
            self._reset()  # mostly deleted rows: the others are read again
        # Also pages that have no vectors of this length any more: the earlier ones are removed from memory.
        cursor = db.execute(
            "SELECT seq, page, iif(dim = ?, data, x'') FROM vectors WHERE model = ? AND seq > ? ORDER BY seq",
            (self._dim, self._model, self._last),
        )
        while rows := cursor.fetchmany(_AT_ONCE // 4):
            self._append([page for _, page, _ in rows], [data for _, _, data in rows])
            self._last = rows[-1][0]
        self._compute_signs()

    def _append(self, pages: list[int], blobs: list[bytes]) -> None:
        """Append the vectors of pages (row numbers), a blob for each page, in place of their earlier vectors."""
        self._remove(pages)
        codes = codes_of(b"".join(blobs), self._dim)
        at, end = self._count, self._count + len(codes)
        self._grow(end)
        self._codes[at:end] = codes
        numbers = codes.astype(np.float32)
        self._scales[at:end] = 1 / np.maximum(np.sqrt(np.vecdot(numbers, numbers)), 1e-9)
        for page, data in zip(pages, blobs, strict=True):
            if size := len(data) // (self._dim + SCALE):
                self._owners[at : at + size] = page
                self._spans[page] = (at, at + size)
                at += size
        self._count = end

    def _remove(self, pages: list[int]) -> None:
        """Mark the vectors of pages (row numbers) as deleted; their place in memory is freed later."""
        for page in pages:
            begin, end = self._spans.pop(page, (0, 0))
            self._owners[begin:end] = 0
            self._deleted += end - begin

    def _compute_signs(self) -> None:
        """Compute the signs of the new vectors, one bit per dimension; those of all vectors if the mean, which is
        subtracted first, may have changed. Not needed for few vectors."""
        if self._count <= EXACT:
            return
        if self._count > 2 * self._mean_of:
            self._mean_of, self._with_signs = self._count, 0
            some = np.linspace(0, self._count - 1, min(self._count, _AT_ONCE)).astype(np.int64)
            vectors = self._codes[some] * self._scales[some, None]
            self._mean = vectors.mean(axis=0, dtype=np.float32)
        for begin in range(self._with_signs, self._count, _AT_ONCE):
            part = slice(begin, min(self._count, begin + _AT_ONCE))
            vectors = self._codes[part] * self._scales[part, None] - self._mean
            self._signs[:, part] = _signs(vectors)
        self._with_signs = self._count

    def _grow(self, size: int) -> None:
        """Make room for `size` vectors, and a quarter more, so that not every new page copies everything."""
        have = len(self._owners)
        if size <= have:
            return
        rows = max(size, have + have // 4)
        self._codes, self._scales = grown(self._codes, rows), grown(self._scales, rows)
        self._owners = grown(self._owners, rows)
        self._signs = np.pad(self._signs, ((0, 0), (0, rows - have)))


def _in_order(owners: NDArray[np.int64], cosines: Floats) -> list[int]:
    """The owners (pages) of vectors with these cosines, each once, the one with the highest cosine first."""
    return list(dict.fromkeys(owners[np.argsort(-cosines, kind="stable")].tolist()))


def _signs(rows: Floats) -> NDArray[np.uint64]:
    """The signs of each row, one bit per dimension, as 64-bit words: each row becomes a column of the result."""
    bits = np.packbits(np.ascontiguousarray(rows > 0), axis=1)
    if lacking := -bits.shape[1] % 8:
        bits = np.pad(bits, ((0, 0), (0, lacking)))
    return np.ascontiguousarray(bits).view(np.uint64).T
