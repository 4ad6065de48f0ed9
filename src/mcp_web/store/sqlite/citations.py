"""Which document cites which. A citation is resolved when it is read: its name is looked up among those of kept pages,
so a document that arrives later is found without touching those that cite it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from mcp_web.store.protocol import Edge
from mcp_web.store.rows import key_bytes, storable

_SELECT = """
SELECT DISTINCT citing.key, cited.key, m.url, m.kind, m.start, m.finish, m.confidence
FROM mentions m JOIN pages citing ON citing.id = m.page
"""


def keep(
    db: sqlite3.Connection,
    page: int,
    names: Sequence[int],
    mentions: Sequence[tuple[int, str, str, int, int, float]],
) -> None:
    """Replace the names of a page and what it cites."""
    db.execute("DELETE FROM names WHERE page = ?", (page,))
    db.execute("DELETE FROM mentions WHERE page = ?", (page,))
    db.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", [(name, page) for name in names])
    own = set(names)
    db.executemany(
        "INSERT OR REPLACE INTO mentions VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (page, name, storable(url), kind, start, finish, confidence)
            for name, url, kind, start, finish, confidence in mentions
            if name not in own
        ],
    )


def cites(db: sqlite3.Connection, keys: Sequence[str], limit: int) -> list[Edge]:
    query = _SELECT + (
        "LEFT JOIN names n ON n.name = m.name AND n.page <> m.page LEFT JOIN pages cited ON cited.id = n.page "
        "WHERE citing.key = ? ORDER BY cited.key IS NULL, m.confidence DESC, m.start LIMIT ?"
    )
    return _edges(db, query, keys, limit)


def cited_by(db: sqlite3.Connection, keys: Sequence[str], limit: int) -> list[Edge]:
    query = _SELECT + (
        "JOIN names n ON n.name = m.name AND n.page <> m.page JOIN pages cited ON cited.id = n.page "
        "WHERE cited.key = ? ORDER BY m.confidence DESC, citing.id LIMIT ?"
    )
    return _edges(db, query, keys, limit)


def _edges(db: sqlite3.Connection, query: str, keys: Sequence[str], limit: int) -> list[Edge]:
    found: list[Edge] = []
    for key in keys:
        for citing, cited, *rest in db.execute(query, (key_bytes(key), limit)):
            found.append(Edge(citing.hex(), cited.hex() if cited else None, *rest))
    return found
