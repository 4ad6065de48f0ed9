"""The vectors of pages, one blob per model (store/quantized.py), and the documents that lack them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.rows import all_key_bytes
from mcp_web.store.sql.database import Database


def of_pages(db: Database, keys: Sequence[str], model: str | None = None) -> list[tuple[str, StoredVectors]]:
    """(page key, vectors) of the pages with these keys: by one model, or (None) by each that they have vectors of."""
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
    """Delete the vectors of every model not in `keep`; returns how many blobs (one per page and model) were deleted."""
    return db.run("DELETE FROM vectors WHERE [tenant = :tenant AND] NOT model = ANY(:keep)", keep=list(keep))


# A condition on documents d: their newest text is not completely embedded.
_LACKS = "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.page = d.page AND v.model = :model AND v.version = d.snapshot)"
_AT_ONCE = 500  # documents that one statement checks


def count_lacking(db: Database, model: str) -> int:
    """How many documents lack vectors of their newest text by this model; empty texts need none."""
    query = (
        "SELECT count(*) FROM documents d JOIN snapshots s ON s.id = d.snapshot"
        " WHERE [d.tenant = :tenant AND] s.chars > 0 AND "
    )
    return int(db.value(query + _LACKS, model=model))


class LackingVectors:
    """Finds the documents that lack vectors of one model. The first call checks all documents, later calls those that
    lacked vectors before and new ones. Used by one thread at a time: the others wait."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._numbers: list[int] = []  # of the documents that lacked vectors when last checked, ascending
        self._last = 0  # the highest number that was checked
        self._checking = threading.Lock()

    def keys(self, db: Database, limit: int) -> list[str]:
        """At most `limit` keys of documents without vectors of their newest text, which is not empty; the last added
        first."""
        query = (
            "SELECT d.number, p.key FROM documents d JOIN pages p ON p.id = d.page"  # noqa: S608
            " WHERE [d.tenant = :tenant AND] d.number = ANY(:numbers) AND " + _LACKS + " ORDER BY d.number DESC"
        )
        with self._checking:
            self._add_new(db)
            found: list[str] = []
            end = len(self._numbers)
            while len(found) < limit and end > 0:
                begin = max(0, end - max(limit, _AT_ONCE))
                rows = db.rows(query, numbers=self._numbers[begin:end], model=self._model)
                self._numbers[begin:end] = [number for number, _ in reversed(rows)]
                found += [key.hex() for _, key in rows]
                end = begin
            return found[:limit]

    def _add_new(self, db: Database) -> None:
        """Note which of the documents that were added since the last call lack vectors."""
        last = db.value("SELECT coalesce(max(number), 0) FROM documents [WHERE tenant = :tenant]")
        if last <= self._last:
            return
        query = (
            "SELECT d.number FROM documents d JOIN snapshots s ON s.id = d.snapshot"  # noqa: S608
            " WHERE [d.tenant = :tenant AND] d.number > :last AND s.chars > 0 AND " + _LACKS + " ORDER BY d.number"
        )
        self._numbers += [number for (number,) in db.rows(query, last=self._last, model=self._model)]
        self._last = last
