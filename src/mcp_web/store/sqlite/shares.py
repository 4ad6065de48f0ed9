"""Collections that tenants share: who may read what, and a connection that sees nothing else.

The views of a restricted connection have the names of the tables, and SQLite looks for temporary names first: every
query of the store then reads the shared documents only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.store.protocol import Share
from mcp_web.store.sql.database import Database

_SHARED = "EXISTS (SELECT 1 FROM main.labels l JOIN temp.shared s ON s.label = l.label WHERE l.page = t.{page})"
_VISIBLE = {
    "pages": _SHARED.format(page="id"),
    **dict.fromkeys(("snapshots", "documents", "vectors", "names", "mentions"), _SHARED.format(page="page")),
    "labels": "t.label IN (SELECT label FROM temp.shared)",
    "pictures": "t.snapshot IN (SELECT id FROM temp.snapshots)",
    "waiting": "t.number IN (SELECT number FROM temp.documents)",
    # The word index: word_index.py drops the documents that the connection cannot see.
    **dict.fromkeys(("terms", "postings", "words", "index_state", "deleted"), "1"),
}


def restrict(db: sqlite3.Connection, collections: Sequence[str]) -> None:
    """Let a connection see only the documents of these collections, and write nothing. Other tables seem empty."""
    db.execute("CREATE TEMP TABLE shared (label TEXT PRIMARY KEY COLLATE NOCASE)")
    db.executemany("INSERT OR IGNORE INTO shared VALUES (?)", [(one,) for one in collections])
    tables = [row[0] for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
    for table in (name for name in tables if not name.startswith("sqlite_")):
        condition = _VISIBLE.get(table, "0")
        db.execute(f"CREATE TEMP VIEW {table} AS SELECT t.* FROM main.{table} t WHERE {condition}")  # noqa: S608
    db.execute("PRAGMA query_only = ON")


def shares(db: Database, tenant: str) -> list[Share]:
    """The shares (collections that one tenant lets another read) that a tenant gives, and those that it may read."""
    rows = db.rows(
        "SELECT owner, collection, reader FROM shares WHERE owner = :tenant OR reader IN (:tenant, '')"
        " ORDER BY owner, collection, reader",
        tenant=tenant,
    )
    return [Share(*row) for row in rows]


def add(db: Database, share: Share) -> None:
    """Add a share (a collection that another tenant may read); does nothing if it exists."""
    db.run("INSERT OR IGNORE INTO shares VALUES (:owner, :collection, :reader)", **share._asdict())


def remove(db: Database, owner: str, collection: str, reader: str | None = None) -> int:
    """Withdraw a collection from one reader ("" for a share with all), or from all (None); returns how many shares
    there were."""
    query = (
        "DELETE FROM shares WHERE owner = :owner AND collection = :collection AND (:reader IS NULL OR reader = :reader)"
    )
    return db.run(query, owner=owner, collection=collection, reader=reader)
