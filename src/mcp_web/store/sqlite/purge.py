"""Deleting web pages by a rule. Research is never touched here."""

from __future__ import annotations

import sqlite3

from mcp_web.errors import InvalidInput
from mcp_web.store.protocol import Purged, PurgeRule
from mcp_web.store.rows import key_bytes, storable
from mcp_web.store.sqlite.postings import drop_deleted

_SLICE = 200  # pages freed per round of the ceiling: enough that it is rare, few enough to be quick


def purge(db: sqlite3.Connection, rule: PurgeRule, now: float, *, dry_run: bool) -> Purged:
    """Remove the pages that meet every condition of the rule."""
    chosen = _chosen(db, rule, now)
    taken = _describe(db, chosen)
    if not dry_run and chosen:
        remove(db, chosen)
    return taken


def remove(db: sqlite3.Connection, pages: list[int]) -> None:
    """Delete pages with everything that belongs to them."""
    db.executemany("DELETE FROM pages WHERE id = ?", [(page,) for page in pages])


def trim_versions(db: sqlite3.Connection, most: int) -> int:
    """Delete all but the newest versions of each page."""
    rows = db.execute(
        "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY page ORDER BY since DESC, id DESC) AS place"
        " FROM snapshots) WHERE place > ? AND id NOT IN (SELECT newest FROM pages)",
        (most,),
    ).fetchall()
    db.executemany("DELETE FROM snapshots WHERE id = ?", rows)
    return len(rows)


def used_bytes(db: sqlite3.Connection) -> int:
    """What the file really holds: free pages inside it do not count."""
    pages, free, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in _SIZE_PRAGMAS)
    return int((pages - free) * size)


_SIZE_PRAGMAS = ("page_count", "freelist_count", "page_size")


def shrink_to_limit(db: sqlite3.Connection, ceiling: int, spare: int) -> int:
    """Remove the least recently used web pages until the file holds 90 % of its ceiling; `spare` stays."""
    removed = 0
    while used_bytes(db) > ceiling * 0.9:
        rows = db.execute(
            "SELECT id FROM pages WHERE source = 'web' AND id <> ? ORDER BY used_at LIMIT ?", (spare, _SLICE)
        ).fetchall()
        if not rows:
            break
        remove(db, [row[0] for row in rows])
        removed += len(rows)
        drop_deleted(db)  # their postings take space too
    return removed


def _chosen(db: sqlite3.Connection, rule: PurgeRule, now: float) -> list[int]:
    if rule == PurgeRule():
        raise InvalidInput(
            "The purge names no condition.", suggestion="Give an age, a domain, a count or a size in bytes."
        )
    where, values = ["source = 'web'"], list[object]()
    if rule.domain is not None:
        domain = rule.domain.strip().lower().lstrip(".")
        where.append("(host = ? OR substr(host, -length(?) - 1) = '.' || ?)")
        values += [domain, domain, domain]
    if rule.key is not None:
        where.append("key = ?")
        values.append(key_bytes(rule.key))
    if rule.url is not None:
        where.append("url = ?")
        values.append(storable(rule.url))
    ranked = (
        "SELECT id, used_at, row_number() OVER recent AS place, sum(bytes) OVER recent AS total "  # noqa: S608
        f"FROM pages WHERE {' AND '.join(where)} WINDOW recent AS (ORDER BY used_at DESC, id DESC)"
    )
    beyond = ["1"]
    if rule.older_than is not None:
        beyond.append("used_at < ?")
        values.append(now - rule.older_than)
    if rule.keep_newest is not None:
        beyond.append("place > ?")
        values.append(rule.keep_newest)
    if rule.max_bytes is not None:
        beyond.append("total > ?")
        values.append(rule.max_bytes)
    query = f"SELECT id FROM ({ranked}) WHERE {' AND '.join(beyond)} ORDER BY used_at"  # noqa: S608
    return [row[0] for row in db.execute(query, values)]


def _describe(db: sqlite3.Connection, pages: list[int]) -> Purged:
    versions = size = 0
    for page in pages:
        row = db.execute(
            "SELECT bytes, (SELECT count(*) FROM snapshots WHERE page = pages.id) FROM pages WHERE id = ?", (page,)
        ).fetchone()
        size, versions = size + row[0], versions + row[1]
    examples = [db.execute("SELECT url FROM pages WHERE id = ?", (page,)).fetchone()[0] for page in pages[:10]]
    return Purged(len(pages), versions, size, tuple(examples))
