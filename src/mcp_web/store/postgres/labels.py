"""Which collections a document is in."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.rows import storable


def folded(label: str) -> str:
    """Two spellings that differ in the case of ASCII letters are one collection, as in SQLite."""
    return "".join(char.lower() if char.isascii() else char for char in storable(label))


def keep(db: Connection, tenant: int, page: int, labels: Sequence[str], *, is_new: bool) -> None:
    """Set the collections of a page."""
    wanted = {folded(label): storable(label) for label in sorted(labels, reverse=True)}
    query = "SELECT folded, label FROM labels WHERE page = %s"
    known: dict[str, str] = {} if is_new else dict(db.execute(query, (page,)).fetchall())
    if wanted == known:
        return
    if known:
        db.execute("DELETE FROM labels WHERE page = %s", (page,))
    db.execute(
        "INSERT INTO labels (tenant, folded, label, page)"
        " SELECT %s, f, l, %s FROM unnest(%s::text[], %s::text[]) AS given (f, l)",
        (tenant, page, list(wanted), list(wanted.values())),
    )


def counts(db: Connection, tenant: int) -> dict[str, int]:
    """How many documents each collection has, the largest first."""
    rows = db.execute(
        "SELECT min(label), count(*) FROM labels WHERE tenant = %s GROUP BY folded ORDER BY count(*) DESC, min(label)",
        (tenant,),
    )
    return dict(rows.fetchall())
