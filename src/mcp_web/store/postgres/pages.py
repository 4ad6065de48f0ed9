"""Writes pages into a PostgreSQL database with few messages, since each costs a network round trip."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.postgres import vectors
from mcp_web.store.prepare import Prepared
from mcp_web.store.rows import key_bytes, page_values, version_values
from mcp_web.store.sql import pages, readings, screenshots
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.store import PlacedPage, PreparedRecord


def keep(db: Database, prepared: Prepared, used_at: float) -> PlacedPage:
    """Write one version and make it the page's newest."""
    values = page_values(prepared.snapshot, used_at) | version_values(prepared, prepared.snapshot.checked_at)
    page, version, is_new = db.rows(_KEEP, **values)[0]
    pages.set_newest(db, page, version)
    return page, version, is_new


# Both rows in one message; a row that was just inserted has no xmax.
_KEEP = """
WITH page AS (
  INSERT INTO pages (tenant, key, url, final_url, host, variant, source, path, tags, used_at)
  VALUES (:tenant, :key, :url, :final_url, :host, :variant, :source, :path, :tags, :used_at)
  ON CONFLICT (tenant, key) DO UPDATE SET final_url = excluded.final_url, source = excluded.source,
    path = excluded.path, tags = excluded.tags, used_at = greatest(pages.used_at, excluded.used_at)
  RETURNING id, xmax = 0 AS is_new
), version AS (
  INSERT INTO snapshots (tenant, page, hash, title, chars, fetched_at, checked_at, fresh_until, status, etag,
    last_modified, media_type, authenticated, answer, facts, text, since)
  SELECT :tenant, page.id, :hash, :title, :chars, :fetched_at, :checked_at, :fresh_until, :status, :etag,
    :last_modified, :media_type, :authenticated, :answer, :facts, :text, :since FROM page
  ON CONFLICT (tenant, hash) DO UPDATE SET title = excluded.title, checked_at = excluded.checked_at,
    fresh_until = excluded.fresh_until, status = excluded.status, etag = excluded.etag,
    last_modified = excluded.last_modified, answer = excluded.answer, facts = excluded.facts,
    since = CASE WHEN snapshots.id = (SELECT newest FROM pages WHERE id = snapshots.page) THEN snapshots.since
      ELSE excluded.since END
  RETURNING id
)
SELECT page.id, version.id, is_new FROM page, version
"""


def keep_records(db: Database, ready: Sequence[PreparedRecord]) -> list[tuple[int, int]]:
    """Write pages, replacing what is kept of them; returns the row numbers of each page and of its newest version.

    Row numbers are reserved first, so that nothing is read back and all statements are sent in the pipeline that the
    caller has opened."""
    keys = [key_bytes(versions[-1].snapshot.key) for versions, _ in ready]
    db.run("DELETE FROM pages WHERE tenant = :tenant AND key = ANY(:keys)", keys=keys)
    numbers = _numbers(db, "pages", len(ready))
    version_numbers = iter(_numbers(db, "snapshots", sum(len(versions) for versions, _ in ready)))
    models = vectors.models(db, {(one.model, one.dim) for _, record in ready for one in record.vectors})
    places = []
    for page, (versions, record) in zip(numbers, ready, strict=True):
        by_hash = {one.snapshot.hash: next(version_numbers) for one in versions}
        newest = versions[-1].snapshot
        _add(db, page, by_hash, (versions, record))
        for hash_, png in record.screenshots.items():
            screenshots.add(db, by_hash[hash_], png)
        for stored in record.vectors:
            vectors.add(db, page, by_hash.get(stored.snapshot, 0), models[stored.model, stored.dim], stored)
        readings.add(db, page, record.readings[::-1])
        places.append((page, by_hash[newest.hash]))
    return places


def _add(db: Database, page: int, by_hash: dict[str, int], ready: PreparedRecord) -> None:
    """Write a page that is not kept, and its versions, under the numbers given for their rows."""
    versions, record = ready
    newest = versions[-1].snapshot
    size = sum(len(one.text) + len(one.facts) + len(one.answer) for one in versions)
    db.run(
        "INSERT INTO pages (id, newest, bytes, tenant, key, url, final_url, host, variant, source, path, tags, used_at)"
        " OVERRIDING SYSTEM VALUE VALUES (:id, :newest, :bytes, :tenant, :key, :url, :final_url, :host, :variant,"
        " :source, :path, :tags, :used_at)",
        id=page,
        newest=by_hash[newest.hash],
        bytes=size + sum(map(len, record.screenshots.values())),
        **page_values(newest, record.used_at),
    )
    for one in versions:
        hash_ = one.snapshot.hash
        query = (
            "INSERT INTO snapshots (id, tenant, page, hash, title, chars, fetched_at, checked_at, fresh_until, status,"
            " etag, last_modified, media_type, authenticated, answer, facts, text, since) OVERRIDING SYSTEM VALUE"
            " VALUES (:id, :tenant, :page, :hash, :title, :chars, :fetched_at, :checked_at, :fresh_until, :status,"
            " :etag, :last_modified, :media_type, :authenticated, :answer, :facts, :text, :since)"
        )
        db.run(query, id=by_hash[hash_], page=page, **version_values(one, record.since[hash_]))


def _numbers(db: Database, table: str, count: int) -> list[int]:
    """Reserve the next row numbers of a table."""
    query = "SELECT nextval(pg_get_serial_sequence(:table, 'id')) FROM generate_series(1, :count)"
    return [number for (number,) in db.rows(query, table=table, count=count)]
