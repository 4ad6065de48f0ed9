"""Writes pages and their vectors into a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import PageRecord, StoredVectors
from mcp_web.store.rows import key_bytes, page_values, version_values
from mcp_web.store.sql import pages, readings, screenshots
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.store import PlacedPage, PreparedRecord


def keep(db: Database, prepared: Prepared, used_at: float, since: float | None = None) -> PlacedPage:
    """Write one version and make it the page's newest."""
    page, is_new = db.rows(_PAGE, **page_values(prepared.snapshot, used_at))[0]
    became_newest = prepared.snapshot.checked_at if since is None else since
    version = db.value(_VERSION, page=page, **version_values(prepared, became_newest))
    pages.set_newest(db, page, version)
    return page, version, bool(is_new)


_PAGE = """
INSERT INTO pages (key, url, final_url, host, variant, source, path, tags, used_at)
VALUES (:key, :url, :final_url, :host, :variant, :source, :path, :tags, :used_at)
ON CONFLICT (key) DO UPDATE SET final_url = excluded.final_url, source = excluded.source, path = excluded.path,
  tags = excluded.tags, used_at = max(used_at, excluded.used_at)
RETURNING id, newest IS NULL
"""
_VERSION = """
INSERT INTO snapshots (page, hash, title, chars, fetched_at, checked_at, fresh_until, status, etag, last_modified,
  media_type, authenticated, answer, facts, text, since)
VALUES (:page, :hash, :title, :chars, :fetched_at, :checked_at, :fresh_until, :status, :etag, :last_modified,
  :media_type, :authenticated, :answer, :facts, :text, :since)
ON CONFLICT (hash) DO UPDATE SET title = excluded.title, checked_at = excluded.checked_at,
  fresh_until = excluded.fresh_until, status = excluded.status, etag = excluded.etag,
  last_modified = excluded.last_modified, answer = excluded.answer, facts = excluded.facts,
  since = CASE WHEN id = (SELECT newest FROM pages WHERE id = page) THEN since ELSE excluded.since END
RETURNING id
"""


def keep_records(db: Database, ready: Sequence[PreparedRecord]) -> list[tuple[int, int]]:
    """Write pages, replacing what is kept of them; returns the row numbers of each page and of its newest version."""
    return [_keep_record(db, *one) for one in ready]


def _keep_record(db: Database, versions: list[Prepared], record: PageRecord) -> tuple[int, int]:
    key = versions[-1].snapshot.key
    db.run("DELETE FROM pages WHERE key = :key", key=key_bytes(key))
    page = version = 0
    for one in versions:
        page, version, _ = keep(db, one, record.used_at, record.since[one.snapshot.hash])
    for hash_, png in record.screenshots.items():
        screenshots.keep(db, hash_, png)
    for stored in record.vectors:
        keep_vectors(db, {key: stored})
    readings.add(db, page, record.readings[::-1])
    return page, version


def keep_vectors(db: Database, stored: Mapping[str, StoredVectors]) -> None:
    """Replace the vectors of pages, by key; skips pages that are no longer kept. Rows get new numbers, by which the
    vectors in memory are updated (nearest.py)."""
    db.many(
        "INSERT OR REPLACE INTO vectors (page, model, dim, version, digests, data)"
        " SELECT p.id, :model, :dim, coalesce((SELECT id FROM snapshots WHERE hash = :hash AND page = p.id), 0),"
        " :digests, :data FROM pages p WHERE p.key = :key",
        [
            (one.model, one.dim, key_bytes(one.snapshot), one.digests, one.data, key_bytes(key))
            for key, one in stored.items()
        ],
    )
