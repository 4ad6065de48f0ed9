"""Which documents a model has not read to the end, without looking through all of them for every question."""

from __future__ import annotations

import sqlite3

# Of the text as it is now, and of all of it.
_HAS = "EXISTS (SELECT 1 FROM vectors v WHERE v.page = d.page AND v.model = ? AND v.version = d.snapshot)"


def count(db: sqlite3.Connection, model: str) -> int:
    """How many documents lack this model's vectors."""
    (found,) = db.execute(
        f"SELECT count(*) FROM documents d JOIN snapshots s ON s.id = d.snapshot WHERE s.chars > 0 AND NOT {_HAS}",  # noqa: S608
        (model,),
    ).fetchone()
    return int(found)


class Lacking:
    """Which documents lack one model's vectors: the first call reads all rows, later ones only those added since."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._numbers: list[int] = []  # of documents that had none when last looked at, rising
        self._last = 0

    def keys(self, db: sqlite3.Connection, limit: int) -> list[str]:
        """Keys of documents that lack vectors or have those of an older text, newest first; empty texts need none."""
        self._take_new(db)
        found: list[str] = []
        done: set[int] = set()
        for number in reversed(self._numbers):
            row = db.execute(
                f"SELECT p.key, {_HAS} FROM documents d JOIN pages p ON p.id = d.page WHERE d.number = ?",  # noqa: S608
                (self._model, number),
            ).fetchone()
            if row is None or row[1]:
                done.add(number)
            else:
                found.append(row[0].hex())
                if len(found) == limit:
                    break
        if done:
            self._numbers = [number for number in self._numbers if number not in done]
        return found

    def _take_new(self, db: sqlite3.Connection) -> None:
        rows = db.execute(
            f"SELECT d.number, {_HAS} OR s.chars = 0 FROM documents d JOIN snapshots s ON s.id = d.snapshot"  # noqa: S608
            " WHERE d.number > ? ORDER BY d.number",
            (self._model, self._last),
        ).fetchall()
        if rows:
            self._last = rows[-1][0]
            self._numbers += [number for number, has in rows if not has]
