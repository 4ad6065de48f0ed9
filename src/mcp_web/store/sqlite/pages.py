"""Pages and their versions: rows in, rows out."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import DocumentFilter, DocumentRow, Headline
from mcp_web.store.rows import (
    DOCUMENT,
    FULL,
    INFO,
    PAGE_COLUMNS,
    VERSION_COLUMNS,
    VERSION_UPDATES,
    cursor_of,
    document_row,
    filter_values,
    hex_range,
    info_of,
    key_bytes,
    page_values,
    place_of,
    snapshot_of,
    storable,
    version_values,
)


def newest(db: sqlite3.Connection, key: str) -> Snapshot | None:
    row = db.execute(FULL + "s.id = p.newest WHERE p.key = ?", (key_bytes(key),)).fetchone()
    return snapshot_of(row) if row else None


def by_hash(db: sqlite3.Connection, text: str) -> Snapshot | None:
    """One version by its hash or a unique prefix of it, or the newest version by page key."""
    text = text.strip().lower()
    bounds = hex_range(text)
    if bounds is None or len(text) < 8:
        return None
    rows = db.execute(FULL + "s.page = p.id WHERE s.hash BETWEEN ? AND ? LIMIT 2", bounds).fetchall()
    if len(rows) == 1:
        return snapshot_of(rows[0])
    if rows:
        return None
    rows = db.execute(FULL + "s.id = p.newest WHERE p.key BETWEEN ? AND ? LIMIT 2", bounds).fetchall()
    return snapshot_of(rows[0]) if len(rows) == 1 else None


def versions(db: sqlite3.Connection, key: str) -> list[SnapshotInfo]:
    rows = db.execute(INFO + "s.page = p.id WHERE p.key = ? ORDER BY s.since DESC, s.id DESC", (key_bytes(key),))
    return [info_of(row) for row in rows]


def recent(db: sqlite3.Connection, limit: int, source: Source | None) -> list[SnapshotInfo]:
    where = "WHERE p.source = ?" if source else ""
    values: tuple[object, ...] = (source, limit) if source else (limit,)
    rows = db.execute(f"{INFO} s.id = p.newest {where} ORDER BY p.used_at DESC LIMIT ?", values)
    return [info_of(row) for row in rows]


IN_DOMAIN = "(p.host = :domain OR substr(p.host, -length(:domain) - 1) = '.' || :domain)"
_CONDITIONS = {
    "source": "p.source = :source",
    "since": "d.day >= :since",
    "until": "d.day <= :until",
    "collection": "EXISTS (SELECT 1 FROM labels l WHERE l.page = p.id AND l.label = :collection)",
    "domain": IN_DOMAIN,
    "language": "d.language = :language",
    "used_since": "p.used_at >= :used_since",
    "used_before": "p.used_at < :used_before",
}


def browse(db: sqlite3.Connection, limit: int, after: str, filter: DocumentFilter) -> tuple[list[SnapshotInfo], str]:
    """A page of documents and the cursor of the next."""
    values = filter_values(filter)
    where = "".join(f" AND {_CONDITIONS[name]}" for name in values)
    used_at, key = place_of(after)
    rows = db.execute(
        INFO
        + "s.id = p.newest LEFT JOIN documents d ON d.page = p.id"
        + f" WHERE (p.used_at, p.key) < (:used_at, :key) {where}"
        + " ORDER BY p.used_at DESC, p.key DESC LIMIT :limit",
        {**values, "used_at": used_at, "key": key, "limit": limit + 1},
    ).fetchall()
    shown = [info_of(row) for row in rows[:limit]]
    last = shown[-1] if len(rows) > limit and shown else None
    return shown, cursor_of(last.used_at, bytes.fromhex(last.key)) if last else ""


def hosts(db: sqlite3.Connection, limit: int) -> list[tuple[str, int]]:
    query = "SELECT host, count(*) FROM pages WHERE host <> '' GROUP BY host ORDER BY count(*) DESC, host LIMIT ?"
    return [(host, count) for host, count in db.execute(query, (limit,))]


def complete(db: sqlite3.Connection, prefix: str, limit: int) -> list[str]:
    bounds = hex_range(prefix.strip().lower())
    if bounds is None:
        return []
    rows = db.execute("SELECT hash FROM snapshots WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?", (*bounds, limit))
    return [row[0].hex() for row in rows]


def seen(db: sqlite3.Connection, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
    found: dict[str, SnapshotInfo] = {}
    query = INFO + "s.id = p.newest WHERE p.url = ?1 OR (p.final_url = ?1 AND p.final_url <> p.url)"
    for url in urls:
        row = db.execute(query + " ORDER BY s.checked_at DESC LIMIT 1", (storable(url),)).fetchone()
        if row:
            found[url] = info_of(row)
    return found


def keep(db: sqlite3.Connection, prepared: Prepared, used_at: float, since: float | None = None) -> tuple[int, int]:
    """Write one version and make it the page's newest; returns the rows of page and version."""
    page = _keep_page(db, prepared.snapshot, used_at)
    version = _keep_version(db, prepared, page, prepared.snapshot.checked_at if since is None else since)
    db.execute(
        "UPDATE pages SET newest = ?, bytes = "
        "(SELECT sum(length(text) + length(facts) + length(answer)) FROM snapshots WHERE page = ?) WHERE id = ?",
        (version, page, page),
    )
    return page, version


def documents(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, DocumentRow]:
    rows = db.execute(f"{DOCUMENT}p.key IN ({','.join('?' * len(keys))})", [key_bytes(key) for key in keys])
    return {found.key: found for found in map(document_row, rows)}


def headlines(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Headline]:
    query = "SELECT p.key, s.title, p.url, p.path FROM pages p JOIN snapshots s ON s.id = p.newest WHERE p.key IN "
    rows = db.execute(f"{query}({','.join('?' * len(keys))})", [key_bytes(key) for key in keys])
    return {key.hex(): Headline(title, url, path) for key, title, url, path in rows}


def keys(db: sqlite3.Connection, after: str, limit: int, source: Source | None, collection: str | None) -> list[str]:
    rows = db.execute(
        "SELECT key FROM pages p WHERE key > ?1 AND (?2 IS NULL OR source = ?2) AND (?3 IS NULL OR EXISTS"
        " (SELECT 1 FROM labels WHERE page = p.id AND label = ?3)) ORDER BY key LIMIT ?4",
        (bytes.fromhex(after), source, collection, limit),
    )
    return [row[0].hex() for row in rows]


def listing(db: sqlite3.Connection, source: Source, prefix: str) -> list[tuple[str, str, str, str | None]]:
    rows = db.execute(
        "SELECT p.path, p.key, s.hash, s.etag FROM pages p JOIN snapshots s ON s.id = p.newest"
        " WHERE p.source = ? AND p.path IS NOT NULL AND substr(p.path, 1, length(?)) = ? ORDER BY p.path",
        (source, prefix, prefix),
    )
    return [(path, key.hex(), hash_.hex(), etag) for path, key, hash_, etag in rows]


def numbers(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, int]:
    """The row numbers of pages by key."""
    marks = ",".join("?" * len(keys))
    rows = db.execute(f"SELECT key, id FROM pages WHERE key IN ({marks})", [key_bytes(key) for key in keys])  # noqa: S608
    return {key.hex(): number for key, number in rows}


def confirm(db: sqlite3.Connection, key: str, checked_at: float, fresh_until: float) -> None:
    db.execute(
        "UPDATE snapshots SET checked_at = ?, fresh_until = ? WHERE id = (SELECT newest FROM pages WHERE key = ?)",
        (checked_at, fresh_until, key_bytes(key)),
    )


def mark_used(db: sqlite3.Connection, uses: Mapping[str, float]) -> None:
    db.executemany(
        "UPDATE pages SET used_at = max(used_at, ?) WHERE key = ?",
        [(at, key_bytes(key)) for key, at in uses.items()],
    )


def _keep_page(db: sqlite3.Connection, snapshot: Snapshot, used_at: float) -> int:
    row = db.execute(
        f"INSERT INTO pages ({PAGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        " ON CONFLICT (key) DO UPDATE SET final_url = excluded.final_url, source = excluded.source,"
        " path = excluded.path, tags = excluded.tags, used_at = max(used_at, excluded.used_at) RETURNING id",
        page_values(snapshot, used_at),
    ).fetchone()
    return int(row[0])


def _keep_version(db: sqlite3.Connection, prepared: Prepared, page: int, since: float) -> int:
    values = version_values(prepared, page, since)
    row = db.execute(
        f"INSERT INTO snapshots ({VERSION_COLUMNS}) VALUES ({', '.join('?' * len(values))})"  # noqa: S608
        f" ON CONFLICT (hash) DO UPDATE SET {VERSION_UPDATES}, since = CASE"
        " WHEN id = (SELECT newest FROM pages WHERE id = page) THEN since ELSE excluded.since END RETURNING id",
        values,
    ).fetchone()
    return int(row[0])
