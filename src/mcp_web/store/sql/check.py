"""Checks a store: the consistency of its rows, and every text against its hash."""

from __future__ import annotations

from mcp_web.errors import CacheError
from mcp_web.model.snapshot import snapshot_hash
from mcp_web.store.pack import unpack_text
from mcp_web.store.sql.database import Database

# Statements that count faults between tables, and the sentence for each.
_COUNTS = {
    "SELECT count(*) FROM pages p LEFT JOIN snapshots s ON s.id = p.newest"
    " WHERE [p.tenant = :tenant AND] s.id IS NULL": "pages have no newest version",
    "SELECT count(*) FROM pages p LEFT JOIN documents d ON d.page = p.id"
    " WHERE [p.tenant = :tenant AND] d.page IS NULL": "pages are missing from the word index",
    "SELECT count(*) FROM documents d LEFT JOIN snapshots s ON s.id = d.snapshot"
    " WHERE [d.tenant = :tenant AND] s.id IS NULL": "documents of the index have no version",
}


def faults(db: Database) -> list[str]:
    """Check the rows of the store, and every text against its hash; returns a sentence for each fault found."""
    counts = ((db.value(query), sentence) for query, sentence in _COUNTS.items())
    return [f"{count} {sentence}." for count, sentence in counts if count] + _wrong_texts(db)


def _wrong_texts(db: Database) -> list[str]:
    """A sentence for each version whose text does not have the hash in its row."""
    found: list[str] = []
    last = 0
    query = (
        "SELECT s.id, p.key, s.hash, s.text FROM snapshots s JOIN pages p ON p.id = s.page"
        " WHERE [s.tenant = :tenant AND] s.id > :last ORDER BY s.id LIMIT 200"
    )
    while rows := db.rows(query, last=last):
        last = rows[-1][0]
        found += [
            f"The text of {hash_.hex()[:16]} does not match its hash."
            for _, key, hash_, text in rows
            if _hash(key.hex(), text) != hash_.hex()
        ]
    return found


def _hash(key: str, packed: bytes) -> str:
    """The hash of a version, from the key of its page and its packed text; "" if that cannot be unpacked."""
    try:
        return snapshot_hash(key, unpack_text(packed))
    except CacheError:
        return ""
