"""The size of the file, and its limit."""

from __future__ import annotations

from mcp_web.store.protocol import StoreSize
from mcp_web.store.sql import purge
from mcp_web.store.sql.database import Database

_SLICE = 200  # pages deleted per round: enough that a round is rare, few enough to be quick


def size_of(db: Database, disk_bytes: int) -> StoreSize:
    (count, text) = db.rows("SELECT count(*), coalesce(sum(bytes), 0) FROM pages")[0]
    # Each from an index: together they would read the table.
    versions = db.value("SELECT count(*) FROM snapshots")
    oldest = db.value("SELECT min(fetched_at) FROM snapshots")
    newest = db.value("SELECT max(fetched_at) FROM snapshots")
    return StoreSize(count, versions, text, disk_bytes, oldest, newest)


def shrink_to(db: Database, limit: int, spare: int) -> None:
    """When the file exceeds the limit, delete the least recently used web pages, except `spare`, until it is at 90 % of
    the limit."""
    if _used_bytes(db) <= limit:
        return
    query = "SELECT id FROM pages WHERE source = 'web' AND id <> :spare ORDER BY used_at LIMIT :most"
    while _used_bytes(db) > limit * 0.9 and (rows := db.rows(query, spare=spare, most=_SLICE)):
        purge.remove(db, [page for (page,) in rows])
        db.index.drop_deleted()  # their postings take space too


def _used_bytes(db: Database) -> int:
    """The used size of the file, without its free pages."""
    pages, free, size = (db.value(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size"))
    return int((pages - free) * size)
