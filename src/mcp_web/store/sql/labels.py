"""Which collections a document is in."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.rows import storable
from mcp_web.store.sql.database import Database


def folded(label: str) -> str:
    """The name of a collection in lower case (ASCII letters only), by which it is found: case does not matter."""
    return "".join(char.lower() if char.isascii() else char for char in storable(label))


def keep(db: Database, page: int, labels: Sequence[str], *, is_new: bool) -> None:
    """Replace the collections that a page (a row number) is in (`is_new`: none yet); names that differ only in case are
    one."""
    if not is_new:
        db.run("DELETE FROM labels WHERE page = :page", page=page)
    by_folded = {folded(label): storable(label) for label in sorted(labels, reverse=True)}
    db.many(
        "INSERT INTO labels ([tenant, folded,] label, page) VALUES ([:tenant, :folded,] :label, :page)",
        list(by_folded.items()),
        page=page,
    )


def counts(db: Database) -> dict[str, int]:
    """The names of the collections, each with the number of its documents, the largest first."""
    rows = db.rows(
        "SELECT min(label), count(*) FROM labels [WHERE tenant = :tenant] GROUP BY folded"
        " ORDER BY count(*) DESC, min(label)"
    )
    return dict(rows)
