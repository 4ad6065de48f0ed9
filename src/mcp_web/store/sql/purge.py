"""Deletes pages and versions by a rule, never research."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.store.protocol import Purged, PurgeRule
from mcp_web.store.rows import all_key_bytes, bare_domain, key_bytes, storable
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.page_writes import count_bytes
from mcp_web.store.sql.pages import IN_DOMAIN

# Conditions on pages p.
_WHICH = {
    "domain": " AND " + IN_DOMAIN,
    "key": " AND p.key = :key",
    "url": " AND p.url = :url",
}
# Conditions on the pages that match those, ranked by their last use.
_BEYOND = {
    "older_than": " AND used_at < :older_than",
    "keep_newest": " AND place > :keep_newest",
    "max_bytes": " AND total > :max_bytes",
}


def purge(db: Database, rule: PurgeRule, *, dry_run: bool) -> Purged:
    """Delete the web pages, never a user's own documents, that match every condition of the rule, and report them; with
    `dry_run`, only report them. Raises InvalidInput for a rule without a condition."""
    db.index.lock()
    chosen = _chosen(db, rule)
    taken = _describe(db, chosen)
    if not dry_run and chosen:
        remove_rows(db, chosen)
    return taken


def remove(db: Database, keys: Sequence[str]) -> int:
    """Delete the documents with these keys, with their versions; returns how many documents there were."""
    db.index.lock()
    return db.run("DELETE FROM pages WHERE [tenant = :tenant AND] key = ANY(:keys)", keys=all_key_bytes(keys))


def remove_rows(db: Database, pages: list[int]) -> None:
    """Delete pages, by row number, with everything that belongs to them."""
    db.run("DELETE FROM pages WHERE id = ANY(:pages)", pages=pages)


def trim_versions(db: Database, most: int) -> int:
    """Delete all but the newest `most` versions of each page; returns how many were deleted."""
    rows = db.rows(
        "DELETE FROM snapshots WHERE id IN (SELECT id FROM (SELECT s.id, p.newest,"
        " row_number() OVER (PARTITION BY s.page ORDER BY s.since DESC, s.id DESC) AS place"
        " FROM snapshots s JOIN pages p ON p.id = s.page [WHERE s.tenant = :tenant]) AS ranked"
        " WHERE place > :most AND id <> newest) RETURNING page",
        most=most,
    )
    if rows:
        count_bytes(db, list({page for (page,) in rows}))
    return len(rows)


def _chosen(db: Database, rule: PurgeRule) -> list[int]:
    """The row numbers of the web pages that match a rule, the least recently used first. Raises InvalidInput if the
    rule has no condition."""
    values = _values(db, rule)
    if not values:
        raise InvalidInput(
            "The purge names no condition.", suggestion="Give an age, a domain, a count or a size in bytes."
        )
    which = "".join(_WHICH[name] for name in values if name in _WHICH)
    beyond = "".join(_BEYOND[name] for name in values if name in _BEYOND)
    rows = db.rows(
        "SELECT id FROM (SELECT id, used_at, row_number() OVER recent AS place, sum(bytes) OVER recent AS total"  # noqa: S608
        f" FROM pages p WHERE [tenant = :tenant AND] source = 'web' {which}"
        f" WINDOW recent AS (ORDER BY used_at DESC, id DESC)) AS ranked WHERE true {beyond} ORDER BY used_at, id",
        **values,
    )
    return [page for (page,) in rows]


def _values(db: Database, rule: PurgeRule) -> dict[str, Any]:
    """The conditions of a rule that are set, by name, with values as the columns hold them."""
    given = {
        "domain": None if rule.domain is None else bare_domain(rule.domain),
        "key": None if rule.key is None else key_bytes(rule.key) or b"",
        "url": None if rule.url is None else storable(rule.url),
        "older_than": None if rule.older_than is None else db.now() - rule.older_than,
        "keep_newest": rule.keep_newest,
        "max_bytes": rule.max_bytes,
    }
    return {name: value for name, value in given.items() if value is not None}


def _describe(db: Database, pages: list[int]) -> Purged:
    """How many these pages (row numbers) and their versions are, the pages' bytes, and the URLs of the first ten."""
    (size, versions) = db.rows(
        "SELECT CAST(coalesce(sum(bytes), 0) AS bigint), (SELECT count(*) FROM snapshots WHERE page = ANY(:pages))"
        " FROM pages WHERE id = ANY(:pages)",
        pages=pages,
    )[0]
    urls: dict[int, str] = dict(db.rows("SELECT id, url FROM pages WHERE id = ANY(:pages)", pages=pages[:10]))
    return Purged(len(pages), versions, size, tuple(urls[page] for page in pages[:10]))
