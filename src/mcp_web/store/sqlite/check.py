"""Whether a file is whole: SQLite's own check, then what our rows promise each other."""

from __future__ import annotations

import sqlite3

from mcp_web.model.snapshot import snapshot_hash
from mcp_web.store.pack import unpack_text

_BETWEEN = {
    "SELECT count(*) FROM pages p LEFT JOIN snapshots s ON s.id = p.newest WHERE s.id IS NULL": (
        "pages have no newest version"
    ),
    "SELECT count(*) FROM pages p LEFT JOIN documents d ON d.page = p.id WHERE d.page IS NULL": (
        "pages are missing from the index of words"
    ),
    "SELECT count(*) FROM documents d LEFT JOIN snapshots s ON s.id = d.snapshot WHERE s.id IS NULL": (
        "documents of the index have no version"
    ),
}


def faults(db: sqlite3.Connection) -> list[str]:
    """A sentence for each fault; none for a file that is whole."""
    found = [f"SQLite: {row[0]}." for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    found += [
        f"SQLite: a row of {row[0]} has no parent." for row in db.execute("PRAGMA foreign_key_check").fetchmany(20)
    ]
    for query, sentence in _BETWEEN.items():
        if count := db.execute(query).fetchone()[0]:
            found.append(f"{count} {sentence}.")
    rows = db.execute("SELECT p.key, s.hash, s.text FROM snapshots s JOIN pages p ON p.id = s.page")
    found += [
        f"The text of {hash_.hex()[:16]} is not the one that its hash names."
        for key, hash_, text in rows
        if snapshot_hash(key.hex(), unpack_text(text)) != hash_.hex()
    ]
    return found
