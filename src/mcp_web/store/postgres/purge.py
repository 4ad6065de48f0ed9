"""Deleting web pages by a rule. Research is never touched here."""

from __future__ import annotations

from typing import Any

from mcp_web.errors import InvalidInput
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import Purged, PurgeRule
from mcp_web.store.rows import key_bytes, storable


def purge(db: Connection, tenant: int, rule: PurgeRule, now: float, *, dry_run: bool) -> Purged:
    """Delete the pages that meet every condition of the rule."""
    chosen = _chosen(db, tenant, rule, now)
    taken = _describe(db, chosen)
    if not dry_run and chosen:
        remove(db, chosen)
    return taken


def remove(db: Connection, pages: list[int]) -> int:
    """Delete pages with everything that belongs to them."""
    return db.execute("DELETE FROM pages WHERE id = ANY(%s)", (pages,)).rowcount


def trim_versions(db: Connection, tenant: int, most: int) -> int:
    """Delete all but the newest versions of each page."""
    return db.execute(
        "DELETE FROM snapshots WHERE id IN (SELECT id FROM (SELECT s.id, p.newest,"
        " row_number() OVER (PARTITION BY s.page ORDER BY s.since DESC, s.id DESC) AS place"
        " FROM snapshots s JOIN pages p ON p.id = s.page WHERE s.tenant = %s) AS ranked"
        " WHERE place > %s AND id <> newest)",
        (tenant, most),
    ).rowcount


def _chosen(db: Connection, tenant: int, rule: PurgeRule, now: float) -> list[int]:
    if rule == PurgeRule():
        raise InvalidInput(
            "The purge names no condition.", suggestion="Give an age, a domain, a count or a size in bytes."
        )
    where = ["tenant = %(tenant)s", "source = 'web'"]
    values: dict[str, Any] = {"tenant": tenant}
    if rule.domain is not None:
        where.append("(host = %(domain)s OR right(host, length(%(domain)s) + 1) = '.' || %(domain)s)")
        values["domain"] = storable(rule.domain.strip().lower().lstrip("."))
    if rule.key is not None:
        where.append("key = %(key)s")
        values["key"] = key_bytes(rule.key)
    if rule.url is not None:
        where.append("url = %(url)s")
        values["url"] = storable(rule.url)
    beyond = ["true"]
    if rule.older_than is not None:
        beyond.append("used_at < %(before)s")
        values["before"] = now - rule.older_than
    if rule.keep_newest is not None:
        beyond.append("place > %(keep_newest)s")
        values["keep_newest"] = rule.keep_newest
    if rule.max_bytes is not None:
        beyond.append("total > %(max_bytes)s")
        values["max_bytes"] = rule.max_bytes
    query = (
        "SELECT id FROM (SELECT id, used_at, row_number() OVER recent AS place, sum(bytes) OVER recent AS total"  # noqa: S608
        f" FROM pages WHERE {' AND '.join(where)} WINDOW recent AS (ORDER BY used_at DESC, id DESC)) AS ranked"
        f" WHERE {' AND '.join(beyond)} ORDER BY used_at, id"
    )
    return [row[0] for row in db.execute(query, values)]


def _describe(db: Connection, pages: list[int]) -> Purged:
    row = db.execute(
        "SELECT coalesce(sum(bytes), 0)::bigint, (SELECT count(*) FROM snapshots WHERE page = ANY(%(pages)s))"
        " FROM pages WHERE id = ANY(%(pages)s)",
        {"pages": pages},
    ).fetchone()
    assert row is not None
    urls: dict[int, str] = dict(db.execute("SELECT id, url FROM pages WHERE id = ANY(%s)", (pages[:10],)).fetchall())
    return Purged(len(pages), row[1], row[0], tuple(urls[page] for page in pages[:10]))
