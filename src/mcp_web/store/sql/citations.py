"""Which document cites which. A citation is resolved when it is read: its name is looked up among those of kept pages,
so a document that arrives later is found without touching those that cite it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.protocol import Edge
from mcp_web.store.rows import key_bytes, storable
from mcp_web.store.sql.database import Database


def keep(
    db: Database,
    page: int,
    names: Sequence[int],
    mentions: Sequence[tuple[int, str, str, int, int, float]],
    *,
    is_new: bool,
) -> None:
    """Replace the hashes of the names by which others cite a page, and its own citations (`Prepared.names`,
    `Prepared.mentions`). `page` is its row number. `is_new`: the page has none yet."""
    if not is_new:
        db.run("DELETE FROM names WHERE page = :page", page=page)
        db.run("DELETE FROM mentions WHERE page = :page", page=page)
    own = set(names)
    insert = "INSERT INTO names ([tenant,] name, page) VALUES ([:tenant,] :name, :page)"
    db.many(insert, [(name,) for name in own], page=page)
    db.many(
        "INSERT INTO mentions ([tenant,] page, name, url, kind, start, finish, confidence)"
        " VALUES ([:tenant,] :page, :name, :url, :kind, :start, :finish, :confidence)",
        [(name, storable(url), *rest) for name, url, *rest in mentions if name not in own],
        page=page,
    )


def cites(db: Database, keys: Sequence[str], limit: int) -> list[Edge]:
    """What each of these documents cites, at most `limit` of each: kept documents first, then the most certain."""
    query = (
        "SELECT citing, cited, url, kind, start, finish, confidence FROM (SELECT DISTINCT citing.key AS citing,"
        " cited.key AS cited, m.url, m.kind, m.start, m.finish, m.confidence"
        " FROM mentions m JOIN pages citing ON citing.id = m.page"
        " LEFT JOIN names n ON [n.tenant = m.tenant AND] n.name = m.name AND n.page <> m.page"
        " LEFT JOIN pages cited ON cited.id = n.page WHERE [citing.tenant = :tenant AND] citing.key = :key) AS edges"
        " ORDER BY cited IS NULL, confidence DESC, start LIMIT :limit"
    )
    return _edges(db, query, keys, limit)


def cited_by(db: Database, keys: Sequence[str], limit: int) -> list[Edge]:
    """What cites each of these documents, at most `limit` citations of each, the most certain first."""
    query = (
        "SELECT citing, cited, url, kind, start, finish, confidence FROM (SELECT DISTINCT citing.key AS citing,"
        " cited.key AS cited, m.url, m.kind, m.start, m.finish, m.confidence, citing.id AS number"
        " FROM mentions m JOIN pages citing ON citing.id = m.page"
        " JOIN names n ON [n.tenant = m.tenant AND] n.name = m.name AND n.page <> m.page"
        " JOIN pages cited ON cited.id = n.page WHERE [cited.tenant = :tenant AND] cited.key = :key) AS edges"
        " ORDER BY confidence DESC, number LIMIT :limit"
    )
    return _edges(db, query, keys, limit)


def _edges(db: Database, query: str, keys: Sequence[str], limit: int) -> list[Edge]:
    rows = [row for key in keys for row in db.rows(query, key=key_bytes(key), limit=limit)]
    return [Edge(citing.hex(), cited.hex() if cited else None, *rest) for citing, cited, *rest in rows]
