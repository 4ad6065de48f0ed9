"""Which documents a model has not read to the end, without looking through all of them for every question."""

from __future__ import annotations

from mcp_web.store.postgres.connect import Connection

_LACKING = (
    " FROM documents d JOIN pages p ON p.id = d.page JOIN snapshots s ON s.id = d.snapshot"
    " WHERE d.tenant = %s AND d.number > %s AND s.chars > 0 AND NOT EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.page = d.page AND v.model = %s AND v.version = d.snapshot)"
)


def count(db: Connection, tenant: int, model: str) -> int:
    """How many documents lack this model's vectors."""
    row = db.execute("SELECT count(*)" + _LACKING, (tenant, 0, model)).fetchone()
    return int(row[0]) if row else 0


class Lacking:
    """Which documents lack one model's vectors: the first call reads all rows, later ones only those added since."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._complete = 0  # all documents up to this number have vectors; a changed document gets a new number

    def keys(self, db: Connection, tenant: int, limit: int) -> list[str]:
        """Keys of documents that lack vectors or have those of an older text, newest first; empty texts need none."""
        query = "SELECT coalesce(max(number), 0) FROM documents WHERE tenant = %s"
        (last,) = db.execute(query, (tenant,)).fetchone() or (0,)
        rows = db.execute(
            "SELECT d.number, p.key" + _LACKING + " ORDER BY d.number DESC LIMIT %s",
            (tenant, self._complete, self._model, limit),
        ).fetchall()
        if len(rows) < limit:
            self._complete = rows[-1][0] - 1 if rows else last
        return [row[1].hex() for row in rows]
