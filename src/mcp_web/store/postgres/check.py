"""Whether a database is whole: what our rows promise each other, and every text against its hash."""

from __future__ import annotations

from mcp_web.model.snapshot import snapshot_hash
from mcp_web.store.pack import unpack_text
from mcp_web.store.postgres.connect import Connection

_BETWEEN = {
    "SELECT count(*) FROM pages p LEFT JOIN snapshots s ON s.id = p.newest WHERE p.tenant = %s AND s.id IS NULL": (
        "pages have no newest version"
    ),
    "SELECT count(*) FROM pages p LEFT JOIN documents d ON d.page = p.id WHERE p.tenant = %s AND d.page IS NULL": (
        "pages are missing from the index of words"
    ),
    "SELECT count(*) FROM documents d LEFT JOIN snapshots s ON s.id = d.snapshot"
    " WHERE d.tenant = %s AND s.id IS NULL": "documents of the index have no version",
}
_AT_ONCE = 200


def faults(db: Connection, tenant: int) -> list[str]:
    """A sentence for each fault; none for a database that is whole."""
    found = []
    for query, sentence in _BETWEEN.items():
        row = db.execute(query, (tenant,)).fetchone()
        if row and row[0]:
            found.append(f"{row[0]} {sentence}.")
    last = 0
    query = (
        "SELECT s.id, p.key, s.hash, s.text FROM snapshots s JOIN pages p ON p.id = s.page"
        " WHERE s.tenant = %s AND s.id > %s ORDER BY s.id LIMIT %s"
    )
    while rows := db.execute(query, (tenant, last, _AT_ONCE)).fetchall():
        last = rows[-1][0]
        found += [
            f"The text of {hash_.hex()[:16]} is not the one that its hash names."
            for _, key, hash_, text in rows
            if snapshot_hash(key.hex(), unpack_text(text)) != hash_.hex()
        ]
    return found
