"""Which collections a document is in."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.rows import storable
from mcp_web.store.sql.database import Database


def folded(label: str) -> str:
    """The label in lower case (ASCII only): collections are compared without case."""
    return "".join(char.lower() if char.isascii() else char for char in storable(label))


def keep(db: Database, page: int, labels: Sequence[str], *, is_new: bool) -> None:
    """Set the collections of a page."""
    wanted = {folded(label): storable(label) for label in sorted(labels, reverse=True)}
    known: list[str] = []
    if not is_new:
        known = [label for (label,) in db.rows("SELECT label FROM labels WHERE page = :page", page=page)]
    if sorted(wanted.values()) == sorted(known):
        return
    if known:
        db.run("DELETE FROM labels WHERE page = :page", page=page)
    db.many(
        "INSERT INTO labels ([tenant, folded,] label, page) VALUES ([:tenant, :folded,] :label, :page)",
        list(wanted.items()),
        page=page,
    )


def counts(db: Database) -> dict[str, int]:
    """How many documents each collection has, the largest first."""
    rows = db.rows(
        "SELECT min(label), count(*) FROM labels [WHERE tenant = :tenant] GROUP BY folded"
        " ORDER BY count(*) DESC, min(label)"
    )
    return dict(rows)
