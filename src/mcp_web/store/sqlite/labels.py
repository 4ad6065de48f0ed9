"""Which collections a document is in."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.store.rows import storable


def keep(db: sqlite3.Connection, page: int, labels: Sequence[str]) -> None:
    """Set the collections of a page."""
    wanted = {storable(label) for label in labels}
    known = {row[0] for row in db.execute("SELECT label FROM labels WHERE page = ?", (page,))}
    if wanted == known:
        return
    db.execute("DELETE FROM labels WHERE page = ?", (page,))
    # Two spellings that differ in case are one collection.
    db.executemany("INSERT OR IGNORE INTO labels VALUES (?, ?)", [(label, page) for label in sorted(wanted)])


def counts(db: sqlite3.Connection) -> dict[str, int]:
    """How many documents each collection has, the largest first."""
    rows = db.execute("SELECT min(label), count(*) FROM labels GROUP BY label ORDER BY count(*) DESC, min(label)")
    return dict(rows.fetchall())
