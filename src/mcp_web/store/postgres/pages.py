"""Pages and their versions: rows in, rows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.model.snapshot import Snapshot, SnapshotInfo, Source
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.postgres.labels import folded
from mcp_web.store.prepare import Prepared
from mcp_web.store.protocol import DocumentFilter, DocumentRow, Headline, PageRecord
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


def newest(db: Connection, tenant: int, key: str) -> Snapshot | None:
    query = FULL + "s.id = p.newest WHERE p.tenant = %s AND p.key = %s"
    row = db.execute(query, (tenant, key_bytes(key))).fetchone()
    return snapshot_of(row) if row else None


def by_hash(db: Connection, tenant: int, text: str) -> Snapshot | None:
    """One version by its hash or a unique prefix of it, or the newest version by page key."""
    text = text.strip().lower()
    bounds = hex_range(text)
    if bounds is None or len(text) < 8:
        return None
    query = FULL + "s.page = p.id WHERE s.tenant = %s AND s.hash BETWEEN %s AND %s LIMIT 2"
    rows = db.execute(query, (tenant, *bounds)).fetchall()
    if not rows:
        query = FULL + "s.id = p.newest WHERE p.tenant = %s AND p.key BETWEEN %s AND %s LIMIT 2"
        rows = db.execute(query, (tenant, *bounds)).fetchall()
    return snapshot_of(rows[0]) if len(rows) == 1 else None


def versions(db: Connection, tenant: int, key: str) -> list[SnapshotInfo]:
    query = INFO + "s.page = p.id WHERE p.tenant = %s AND p.key = %s ORDER BY s.since DESC, s.id DESC"
    return [info_of(row) for row in db.execute(query, (tenant, key_bytes(key)))]


def recent(db: Connection, tenant: int, limit: int, source: Source | None) -> list[SnapshotInfo]:
    where = "AND p.source = %(source)s" if source else ""
    query = f"{INFO} s.id = p.newest WHERE p.tenant = %(tenant)s {where} ORDER BY p.used_at DESC LIMIT %(limit)s"
    return [info_of(row) for row in db.execute(query, {"tenant": tenant, "source": source, "limit": limit})]


IN_DOMAIN = "(p.host = %(domain)s OR right(p.host, length(%(domain)s) + 1) = '.' || %(domain)s)"
# Of pages p and documents d.
CONDITIONS = {
    "source": "p.source = %(source)s",
    "since": "d.day >= %(since)s",
    "until": "d.day <= %(until)s",
    "collection": "EXISTS (SELECT 1 FROM labels l WHERE l.page = p.id AND l.folded = %(collection)s)",
    "domain": IN_DOMAIN,
    "language": "d.language = %(language)s",
    "used_since": "p.used_at >= %(used_since)s",
    "used_before": "p.used_at < %(used_before)s",
}


def conditions(filter: DocumentFilter | None) -> tuple[str, dict[str, Any]]:
    """A filter as conditions, each after AND, and their values."""
    values: dict[str, Any] = dict(filter_values(filter)) if filter else {}
    if "collection" in values:
        values["collection"] = folded(values["collection"])
    return "".join(f" AND {CONDITIONS[name]}" for name in values), values


def browse(
    db: Connection, tenant: int, limit: int, after: str, filter: DocumentFilter | None
) -> tuple[list[SnapshotInfo], str]:
    """A page of documents and the cursor of the next."""
    where, values = conditions(filter)
    used_at, key = place_of(after)
    rows = db.execute(
        INFO
        + "s.id = p.newest LEFT JOIN documents d ON d.page = p.id"
        + f" WHERE p.tenant = %(tenant)s AND (p.used_at, p.key) < (%(used_at)s, %(key)s) {where}"
        + " ORDER BY p.used_at DESC, p.key DESC LIMIT %(limit)s",
        {**values, "tenant": tenant, "used_at": used_at, "key": key, "limit": limit + 1},
    ).fetchall()
    shown = [info_of(row) for row in rows[:limit]]
    last = shown[-1] if len(rows) > limit and shown else None
    return shown, cursor_of(last.used_at, bytes.fromhex(last.key)) if last else ""


def hosts(db: Connection, tenant: int, limit: int) -> list[tuple[str, int]]:
    query = (
        "SELECT host, count(*) FROM pages WHERE tenant = %s AND host <> '' GROUP BY host"
        " ORDER BY count(*) DESC, host LIMIT %s"
    )
    return [(host, count) for host, count in db.execute(query, (tenant, limit))]


def complete(db: Connection, tenant: int, prefix: str, limit: int) -> list[str]:
    bounds = hex_range(prefix.strip().lower())
    if bounds is None:
        return []
    query = "SELECT hash FROM snapshots WHERE tenant = %s AND hash BETWEEN %s AND %s ORDER BY hash LIMIT %s"
    return [row[0].hex() for row in db.execute(query, (tenant, *bounds, limit))]


def seen(db: Connection, tenant: int, urls: Sequence[str]) -> dict[str, SnapshotInfo]:
    found: dict[str, SnapshotInfo] = {}
    query = INFO + (
        "s.id = p.newest WHERE p.tenant = %(tenant)s AND (p.url = %(url)s OR p.final_url = %(url)s)"
        " ORDER BY s.checked_at DESC LIMIT 1"
    )
    for url in urls:
        row = db.execute(query, {"tenant": tenant, "url": storable(url)}).fetchone()
        if row:
            found[url] = info_of(row)
    return found


def documents(db: Connection, tenant: int, keys: Sequence[str]) -> dict[str, DocumentRow]:
    wanted = [raw for key in keys if (raw := key_bytes(key)) is not None]
    rows = db.execute(DOCUMENT + "p.tenant = %s AND p.key = ANY(%s)", (tenant, wanted)) if wanted else ()
    return {found.key: found for found in map(document_row, rows)}


def headlines(db: Connection, tenant: int, keys: Sequence[str]) -> dict[str, Headline]:
    wanted = [raw for key in keys if (raw := key_bytes(key)) is not None]
    query = (
        "SELECT p.key, s.title, p.url, p.path FROM pages p JOIN snapshots s ON s.id = p.newest"
        " WHERE p.tenant = %s AND p.key = ANY(%s)"
    )
    return {key.hex(): Headline(*row) for key, *row in db.execute(query, (tenant, wanted))}


def keys(
    db: Connection, tenant: int, after: str, limit: int, source: Source | None, collection: str | None
) -> list[str]:
    where = "AND p.source = %(source)s" if source else ""
    if collection is not None:
        where += " AND EXISTS (SELECT 1 FROM labels l WHERE l.page = p.id AND l.folded = %(label)s)"
    values = {
        "tenant": tenant,
        "after": bytes.fromhex(after),
        "source": source,
        "label": folded(collection or ""),
        "limit": limit,
    }
    query = (
        f"SELECT key FROM pages p WHERE tenant = %(tenant)s AND key > %(after)s {where} ORDER BY key LIMIT %(limit)s"  # noqa: S608
    )
    return [row[0].hex() for row in db.execute(query, values)]


def listing(db: Connection, tenant: int, source: Source, prefix: str) -> list[tuple[str, str, str, str | None]]:
    rows = db.execute(
        "SELECT p.path, p.key, s.hash, s.etag FROM pages p JOIN snapshots s ON s.id = p.newest"
        " WHERE p.tenant = %s AND p.source = %s AND p.path IS NOT NULL AND starts_with(p.path, %s) ORDER BY p.path",
        (tenant, source, storable(prefix)),
    )
    return [(path, key.hex(), hash_.hex(), etag) for path, key, hash_, etag in rows]


def numbers(db: Connection, tenant: int, keys: Sequence[str]) -> dict[str, int]:
    """The row numbers of pages by key."""
    wanted = [raw for key in keys if (raw := key_bytes(key)) is not None]
    rows = db.execute("SELECT key, id FROM pages WHERE tenant = %s AND key = ANY(%s)", (tenant, wanted))
    return {key.hex(): number for key, number in rows}


def confirm(db: Connection, tenant: int, key: str, checked_at: float, fresh_until: float) -> None:
    db.execute(
        "UPDATE snapshots SET checked_at = %s, fresh_until = %s"
        " WHERE id = (SELECT newest FROM pages WHERE tenant = %s AND key = %s)",
        (checked_at, fresh_until, tenant, key_bytes(key)),
    )


def mark_used(db: Connection, tenant: int, uses: Mapping[str, float]) -> None:
    # In the order of their keys: two processes that mark the same pages never wait for each other in a circle.
    rows = sorted((raw, at) for key, at in uses.items() if (raw := key_bytes(key)) is not None)
    db.execute(
        "UPDATE pages SET used_at = greatest(used_at, u.at) FROM"
        " (SELECT p.id, m.at FROM unnest(%s::bytea[], %s::float8[]) AS m (key, at)"
        "  JOIN pages p ON p.tenant = %s AND p.key = m.key ORDER BY p.key FOR UPDATE OF p) AS u WHERE pages.id = u.id",
        ([raw for raw, _ in rows], [at for _, at in rows], tenant),
    )


def keep(db: Connection, tenant: int, prepared: Prepared, used_at: float) -> tuple[int, int, bool]:
    """Write one version and make it the page's newest; returns the rows of page and version, and is the page new?"""
    version_row = version_values(prepared, 0, prepared.snapshot.checked_at)[1:]  # the page is known there only
    row = db.execute(_KEEP, (tenant, *page_values(prepared.snapshot, used_at), tenant, *version_row)).fetchone()
    assert row is not None
    page, version, is_new = row
    db.execute(
        "UPDATE pages SET newest = %s, bytes ="
        " (SELECT sum(length(text) + length(facts) + length(answer)) FROM snapshots WHERE page = %s) WHERE id = %s",
        (version, page, page),
    )
    return page, version, is_new


_PAGE_MARKS = ", ".join(["%s"] * (PAGE_COLUMNS.count(",") + 2))
_VERSION_MARKS = ", ".join(["%s"] * VERSION_COLUMNS.count(","))
# Both rows in one message; a row that was just inserted has no xmax.
_KEEP = f"""
WITH page AS (
  INSERT INTO pages (tenant, {PAGE_COLUMNS}) VALUES ({_PAGE_MARKS})
  ON CONFLICT (tenant, key) DO UPDATE SET final_url = excluded.final_url, source = excluded.source,
    path = excluded.path, tags = excluded.tags, used_at = greatest(pages.used_at, excluded.used_at)
  RETURNING id, xmax = 0 AS is_new
), version AS (
  INSERT INTO snapshots (tenant, {VERSION_COLUMNS}) SELECT %s, page.id, {_VERSION_MARKS} FROM page
  ON CONFLICT (tenant, hash) DO UPDATE SET {VERSION_UPDATES}, since = CASE
    WHEN snapshots.id = (SELECT newest FROM pages WHERE id = snapshots.page) THEN snapshots.since
    ELSE excluded.since END
  RETURNING id
)
SELECT page.id, version.id, is_new FROM page, version
"""  # noqa: S608


def add(
    db: Connection,
    tenant: int,
    page: int,
    versions: Sequence[Prepared],
    by_hash: Mapping[str, int],
    record: PageRecord,
) -> None:
    """Write a page that is not kept, under the numbers given for its rows."""
    newest = versions[-1].snapshot
    size = sum(len(one.text) + len(one.facts) + len(one.answer) for one in versions)
    db.execute(
        f"INSERT INTO pages (id, newest, bytes, tenant, {PAGE_COLUMNS}) OVERRIDING SYSTEM VALUE"  # noqa: S608
        f" VALUES (%s, %s, %s, {_PAGE_MARKS})",
        (
            page,
            by_hash[newest.hash],
            size + sum(map(len, record.pictures.values())),
            tenant,
            *page_values(newest, record.used_at),
        ),
    )
    for one in versions:
        hash_ = one.snapshot.hash
        db.execute(
            f"INSERT INTO snapshots (id, tenant, {VERSION_COLUMNS}) OVERRIDING SYSTEM VALUE"  # noqa: S608
            f" VALUES (%s, %s, %s, {_VERSION_MARKS})",
            (by_hash[hash_], tenant, *version_values(one, page, record.since[hash_])),
        )
