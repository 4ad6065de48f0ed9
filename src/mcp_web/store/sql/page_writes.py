"""Writes the rows of pages and versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_web.store.prepare import Prepared
from mcp_web.store.rows import key_bytes, page_values, version_values
from mcp_web.store.sql.database import Database

_PAGE = """
INSERT INTO pages ([tenant,] key, url, final_url, host, variant, source, path, tags, used_at)
VALUES ([:tenant,] :key, :url, :final_url, :host, :variant, :source, :path, :tags, :used_at)
ON CONFLICT ([tenant,] key) DO UPDATE SET final_url = excluded.final_url, source = excluded.source,
  path = excluded.path, tags = excluded.tags,
  used_at = CASE WHEN pages.used_at > excluded.used_at THEN pages.used_at ELSE excluded.used_at END
RETURNING id, newest IS NULL
"""
_VERSION = """
INSERT INTO snapshots ([tenant,] page, hash, title, chars, fetched_at, checked_at, fresh_until, status, etag,
  last_modified, media_type, authenticated, answer, facts, text, since)
VALUES ([:tenant,] :page, :hash, :title, :chars, :fetched_at, :checked_at, :fresh_until, :status, :etag,
  :last_modified, :media_type, :authenticated, :answer, :facts, :text, :since)
ON CONFLICT ([tenant,] hash) DO UPDATE SET title = excluded.title, checked_at = excluded.checked_at,
  fresh_until = excluded.fresh_until, status = excluded.status, etag = excluded.etag,
  last_modified = excluded.last_modified, answer = excluded.answer, facts = excluded.facts,
  since = CASE WHEN snapshots.id = (SELECT p.newest FROM pages p WHERE p.id = snapshots.page)
    THEN snapshots.since ELSE excluded.since END
RETURNING id
"""
_BYTES = """
bytes = (SELECT sum(length(s.text) + length(s.facts) + length(s.answer) + coalesce(length(i.png), 0))
  FROM snapshots s LEFT JOIN pictures i ON i.snapshot = s.id WHERE s.page = pages.id)
"""


def keep(db: Database, prepared: Prepared, used_at: float, since: float) -> tuple[int, int, bool]:
    """Write one version and make it the page's newest. `since` is the time (Unix time) at which it became that,
    `used_at` that of the page's last use. Returns the row numbers of the page and of the version, and whether the page
    is new."""
    page, is_new = db.rows(_PAGE, **page_values(prepared.snapshot, used_at))[0]
    version = db.value(_VERSION, page=page, **version_values(prepared, since))
    db.run(f"UPDATE pages SET newest = :version, {_BYTES} WHERE id = :page", version=version, page=page)  # noqa: S608
    return page, version, bool(is_new)


def count_bytes(db: Database, pages: Sequence[int]) -> None:
    """Compute the stored sizes of pages, by row number, after their versions or screenshots were changed."""
    db.run(f"UPDATE pages SET {_BYTES} WHERE id = ANY(:pages)", pages=list(pages))  # noqa: S608


def confirm(db: Database, key: str, checked_at: float, fresh_until: float) -> None:
    """Set when the newest version of a page was last confirmed by its server, and until when it is fresh (Unix
    times)."""
    query = (
        "UPDATE snapshots SET checked_at = :checked_at, fresh_until = :fresh_until"
        " WHERE id = (SELECT newest FROM pages WHERE [tenant = :tenant AND] key = :key)"
    )
    db.run(query, checked_at=checked_at, fresh_until=fresh_until, key=key_bytes(key))


def mark_used(db: Database, uses: Mapping[str, float]) -> None:
    """Set the Unix times of last use of pages, by page key; never to an earlier time."""
    # In the order of their keys, so that two processes that mark the same pages cannot deadlock.
    db.many(
        "UPDATE pages SET used_at = :at WHERE [tenant = :tenant AND] key = :key AND used_at < :at",
        sorted(((at, key_bytes(key)) for key, at in uses.items()), key=lambda row: row[1] or b""),
    )
