"""Which document cites which. A citation is resolved when it is asked for: its name is looked up among the names of
what is kept, so a document that arrives later is found without touching those that cite it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import Edge
from mcp_web.store.rows import key_bytes, storable

_SELECT = """
SELECT DISTINCT ON (m.page, m.name, cited.key) citing.key, cited.key AS target, m.url, m.kind, m.start, m.finish,
  m.confidence, citing.id
FROM mentions m JOIN pages citing ON citing.id = m.page
"""


def keep(
    db: Connection,
    tenant: int,
    page: int,
    names: Sequence[int],
    mentions: Sequence[tuple[int, str, str, int, int, float]],
    *,
    is_new: bool,
) -> None:
    """Replace the names of a page and what it cites."""
    if not is_new:
        db.execute("DELETE FROM names WHERE page = %s", (page,))
        db.execute("DELETE FROM mentions WHERE page = %s", (page,))
    if names:
        query = "INSERT INTO names (tenant, name, page) SELECT %s, n, %s FROM unnest(%s::bigint[]) AS n"
        db.execute(query, (tenant, page, list(set(names))))
    own = set(names)
    rows = [(name, storable(url), *rest) for name, url, *rest in mentions if name not in own]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        db.execute(
            "INSERT INTO mentions (tenant, page, name, url, kind, start, finish, confidence)"
            " SELECT %s, %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::int[], %s::int[], %s::float8[])",
            (tenant, page, *columns),
        )


def cites(db: Connection, tenant: int, keys: Sequence[str], limit: int) -> list[Edge]:
    query = _SELECT + (
        "LEFT JOIN names n ON n.tenant = m.tenant AND n.name = m.name AND n.page <> m.page"
        " LEFT JOIN pages cited ON cited.id = n.page WHERE citing.tenant = %s AND citing.key = %s"
    )
    return _edges(db, tenant, query, "target IS NULL, confidence DESC, start", keys, limit)


def cited_by(db: Connection, tenant: int, keys: Sequence[str], limit: int) -> list[Edge]:
    query = _SELECT + (
        "JOIN names n ON n.tenant = m.tenant AND n.name = m.name AND n.page <> m.page"
        " JOIN pages cited ON cited.id = n.page WHERE cited.tenant = %s AND cited.key = %s"
    )
    return _edges(db, tenant, query, "confidence DESC, id", keys, limit)


def _edges(db: Connection, tenant: int, query: str, order: str, keys: Sequence[str], limit: int) -> list[Edge]:
    found: dict[tuple[object, ...], Edge] = {}
    whole = f"SELECT key, target, url, kind, start, finish, confidence FROM ({query}) AS e ORDER BY {order} LIMIT %s"  # noqa: S608
    for key in keys:
        for row in db.execute(whole, (tenant, key_bytes(key), limit)):
            citing, cited, *rest = row
            found.setdefault(row, Edge(citing.hex(), cited.hex() if cited else None, *rest))
    return list(found.values())
