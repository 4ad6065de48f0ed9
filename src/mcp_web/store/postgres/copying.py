"""Everything that is kept of pages, out of the store and into it: many at a time, since each statement is a message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from mcp_web.store.base import PreparedRecord
from mcp_web.store.postgres import pages, readings, vectors
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import PageRecord
from mcp_web.store.rows import FULL, key_bytes, snapshot_of

T = TypeVar("T")
Place = tuple[int, int]  # the rows of a page and of its newest version


def page_records(db: Connection, tenant: int, keys: Sequence[str]) -> dict[str, PageRecord]:
    """Everything that is kept of pages, by key, in the order of the keys."""
    which = (tenant, list(map(key_bytes, keys)))
    order = "s.page = p.id WHERE p.tenant = %s AND p.key = ANY(%s) ORDER BY p.key, s.id = p.newest, s.since, s.id"
    versions = _by_key((one.key, one) for one in map(snapshot_of, db.execute(FULL + order, which)))
    rows = db.execute(
        "SELECT p.key, p.used_at, s.hash, s.since, i.png FROM pages p JOIN snapshots s ON s.page = p.id"
        " LEFT JOIN pictures i ON i.snapshot = s.id WHERE p.tenant = %s AND p.key = ANY(%s)",
        which,
        binary=True,
    )
    facts = _by_key((key.hex(), (used_at, hash_.hex(), since, png)) for key, used_at, hash_, since, png in rows)
    packed = _by_key(vectors.load(db, tenant, keys))
    read = _by_key(readings.readings(db, tenant, keys))
    return {
        key: PageRecord(
            versions=tuple(versions[key]),
            since={hash_: since for _, hash_, since, _ in facts[key]},
            used_at=facts[key][0][0],
            pictures={hash_: bytes(png) for _, hash_, _, png in facts[key] if png is not None},
            vectors=tuple(packed[key]),
            readings=tuple(read[key]),
        )
        for key in keys
        if key in versions
    }


def _by_key(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found


def keep_page_records(db: Connection, tenant: int, ready: Sequence[PreparedRecord]) -> list[Place]:
    """Write pages in place of what is kept of them. Row numbers are taken first, so that nothing is read back and all
    statements are sent at once; the caller has opened a pipeline."""
    keys = [key_bytes(versions[-1].snapshot.key) for versions, _ in ready]
    db.execute("DELETE FROM pages WHERE tenant = %s AND key = ANY(%s)", (tenant, keys))
    numbers = _numbers(db, "pages", len(ready))
    version_numbers = iter(_numbers(db, "snapshots", sum(len(versions) for versions, _ in ready)))
    models = vectors.models(db, tenant, {(one.model, one.dim) for _, record in ready for one in record.vectors})
    places = []
    for page, (versions, record) in zip(numbers, ready, strict=True):
        by_hash = {one.snapshot.hash: next(version_numbers) for one in versions}
        pages.add(db, tenant, page, versions, by_hash, record)
        for hash_, png in record.pictures.items():
            query = "INSERT INTO pictures (snapshot, tenant, png) VALUES (%s, %s, %s)"
            db.execute(query, (by_hash[hash_], tenant, png))
        for stored in record.vectors:
            vectors.add(db, tenant, page, by_hash.get(stored.snapshot, 0), models[stored.model, stored.dim], stored)
        readings.add(db, tenant, page, record.readings[::-1])
        places.append((page, by_hash[versions[-1].snapshot.hash]))
    return places


def _numbers(db: Connection, table: str, count: int) -> list[int]:
    """The next numbers of a table's rows."""
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    return [number for (number,) in db.execute(query, (table, count))]
