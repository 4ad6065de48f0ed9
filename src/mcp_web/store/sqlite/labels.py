"""Which collections a document is in: one for each of its tags, and the folder it was synced from."""

from __future__ import annotations

import sqlite3

from mcp_web.model.snapshot import Snapshot
from mcp_web.store.sqlite.pages import storable


def keep(db: sqlite3.Connection, page: int, snapshot: Snapshot) -> None:
    """Set the collections of a page."""
    wanted = {storable(label) for label in _labels(snapshot)}
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


def _labels(snapshot: Snapshot) -> list[str]:
    folder, inside, _ = (snapshot.path or "").partition("/")
    return [*snapshot.tags, *([folder] if inside and folder and snapshot.source == "research" else [])]
