"""Reads the rows of pages and versions. Functions without a docstring: see the methods of `Store`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source
from mcp_web.store.protocol import DocumentFilter, DocumentRow, Headline, StoreSize
from mcp_web.store.rows import (
    DOCUMENT,
    FULL,
    INFO,
    all_key_bytes,
    cursor_of,
    document_row,
    filter_values,
    hex_range,
    info_of,
    key_bytes,
    parse_cursor,
    snapshot_of,
    storable,
)
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.labels import folded

# Conditions on pages p and documents d.
IN_DOMAIN = "(p.host = :domain OR substr(p.host, length(p.host) - length(:domain)) = '.' || :domain)"
_CONDITIONS = {
    "source": " AND p.source = :source",
    "since": " AND d.day >= :since",
    "until": " AND d.day <= :until",
    "collection": " AND EXISTS (SELECT 1 FROM labels l WHERE l.page = p.id AND l.folded = :collection)",
    "domain": " AND " + IN_DOMAIN,
    "language": " AND d.language = :language",
    "used_since": " AND p.used_at >= :used_since",
    "used_before": " AND p.used_at < :used_before",
}


def conditions(filter: DocumentFilter | None) -> tuple[str, dict[str, Any]]:
    """A filter as SQL conditions on pages p and documents d, each beginning with AND, and the placeholders' values."""
    values: dict[str, Any] = dict(filter_values(filter)) if filter else {}
    if "collection" in values:
        values["collection"] = folded(values["collection"])
    return "".join(_CONDITIONS[name] for name in values), values


def newest(db: Database, key: str) -> Snapshot | None:
    row = db.one(FULL + "s.id = p.newest WHERE [p.tenant = :tenant AND] p.key = :key", key=key_bytes(key))
    return snapshot_of(row) if row else None


def by_hash(db: Database, hash_or_prefix: str) -> Snapshot | None:
    """The version with this hash or a prefix of it (≥ 8 hex digits). If no version has that hash: the newest version of
    the page whose key begins with it. None if nothing, or more than one, matches."""
    text = hash_or_prefix.strip().lower()
    bounds = hex_range(text)
    if bounds is None or len(text) < 8:
        return None
    low, high = bounds
    query = FULL + "s.page = p.id WHERE [s.tenant = :tenant AND] s.hash BETWEEN :low AND :high LIMIT 2"
    rows = db.rows(query, low=low, high=high)
    if not rows:
        query = FULL + "s.id = p.newest WHERE [p.tenant = :tenant AND] p.key BETWEEN :low AND :high LIMIT 2"
        rows = db.rows(query, low=low, high=high)
    return snapshot_of(rows[0]) if len(rows) == 1 else None


def versions(db: Database, key: str) -> list[SnapshotInfo]:
    query = INFO + "s.page = p.id WHERE [p.tenant = :tenant AND] p.key = :key ORDER BY s.since DESC, s.id DESC"
    return [info_of(row) for row in db.rows(query, key=key_bytes(key))]


def browse(
    db: Database, limit: int, *, after: str = "", filter: DocumentFilter | None = None
) -> tuple[list[SnapshotInfo], str]:
    where, values = conditions(filter)
    used_at, key = parse_cursor(after)
    rows = db.rows(
        INFO
        + "s.id = p.newest LEFT JOIN documents d ON d.page = p.id"
        + f" WHERE [p.tenant = :tenant AND] (p.used_at, p.key) < (:used_at, :key) {where}"
        + " ORDER BY p.used_at DESC, p.key DESC LIMIT :limit",
        **values,
        used_at=used_at,
        key=key,
        limit=limit + 1,
    )
    shown = [info_of(row) for row in rows[:limit]]
    last = shown[-1] if len(rows) > limit and shown else None
    return shown, cursor_of(last.used_at, bytes.fromhex(last.key)) if last else ""


def hosts(db: Database, limit: int) -> list[tuple[str, int]]:
    rows = db.rows(
        "SELECT host, count(*) FROM pages WHERE [tenant = :tenant AND] host <> '' GROUP BY host"
        " ORDER BY count(*) DESC, host LIMIT :limit",
        limit=limit,
    )
    return [(host, count) for host, count in rows]


def complete(db: Database, prefix: str, limit: int) -> list[str]:
    bounds = hex_range(prefix.strip().lower())
    if bounds is None:
        return []
    query = (
        "SELECT hash FROM snapshots WHERE [tenant = :tenant AND] hash BETWEEN :low AND :high ORDER BY hash LIMIT :limit"
    )
    rows = db.rows(query, low=bounds[0], high=bounds[1], limit=limit)
    return [hash_.hex() for (hash_,) in rows]


def seen(db: Database, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
    query = INFO + (
        "s.id = p.newest WHERE [p.tenant = :tenant AND] (p.url = :url OR (p.final_url = :url AND p.final_url <> p.url))"
        " ORDER BY s.checked_at DESC LIMIT 1"
    )
    found = ((url, db.one(query, url=storable(url))) for url in urls)
    return {url: info_of(row) for url, row in found if row}


def documents(db: Database, keys: Sequence[str]) -> dict[str, DocumentRow]:
    wanted = all_key_bytes(keys)
    rows = db.rows(DOCUMENT + "[p.tenant = :tenant AND] p.key = ANY(:keys)", keys=wanted) if wanted else []
    return {found.key: found for found in map(document_row, rows)}


def headlines(db: Database, keys: Sequence[str]) -> dict[str, Headline]:
    rows = db.rows(
        "SELECT p.key, s.title, p.url, p.path, coalesce(d.language, '') FROM pages p"
        " JOIN snapshots s ON s.id = p.newest LEFT JOIN documents d ON d.page = p.id"
        " WHERE [p.tenant = :tenant AND] p.key = ANY(:keys)",
        keys=all_key_bytes(keys),
    )
    return {key.hex(): Headline(*rest) for key, *rest in rows}


def keys(
    db: Database, after: str = "", limit: int = 1000, source: Source | None = None, collection: str | None = None
) -> list[str]:
    rows = db.rows(
        "SELECT p.key FROM pages p WHERE [p.tenant = :tenant AND] p.key > :after"
        " AND (CAST(:source AS text) IS NULL OR p.source = :source) AND (CAST(:label AS text) IS NULL OR EXISTS"
        " (SELECT 1 FROM labels l WHERE l.page = p.id AND l.folded = :label)) ORDER BY p.key LIMIT :limit",
        after=bytes.fromhex(after),
        source=source,
        label=None if collection is None else folded(collection),
        limit=limit,
    )
    return [key.hex() for (key,) in rows]


def listing(db: Database, source: Source, path_prefix: str = "") -> list[tuple[str, str, str, str | None]]:
    query = (
        "SELECT p.path, p.key, s.hash, s.etag FROM pages p JOIN snapshots s ON s.id = p.newest"
        " WHERE [p.tenant = :tenant AND] p.source = :source AND p.path IS NOT NULL"
        " AND substr(p.path, 1, length(:prefix)) = :prefix ORDER BY p.path"
    )
    rows = db.rows(query, source=source, prefix=storable(path_prefix))
    return [(path, key.hex(), hash_.hex(), etag) for path, key, hash_, etag in rows]


def numbers(db: Database, keys: Sequence[str]) -> dict[str, int]:
    """The row numbers of the pages with these keys, by key; unknown keys are left out."""
    query = "SELECT key, id FROM pages WHERE [tenant = :tenant AND] key = ANY(:keys)"
    return {key.hex(): number for key, number in db.rows(query, keys=all_key_bytes(keys))}


def size(db: Database, disk_bytes: int) -> StoreSize:
    """The number and size of the tenant's pages and versions, with `disk_bytes`, the space that the engine measured."""
    (count, text) = db.rows(
        "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM pages [WHERE tenant = :tenant]"
    )[0]
    # Each from an index: together they would read the table.
    versions, oldest, newest = (
        db.value(f"SELECT {what} FROM snapshots [WHERE tenant = :tenant]")  # noqa: S608
        for what in ("count(*)", "min(fetched_at)", "max(fetched_at)")
    )
    return StoreSize(count, versions, text, disk_bytes, oldest, newest)
