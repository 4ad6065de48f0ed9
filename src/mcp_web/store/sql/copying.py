"""Reads everything that is kept of pages, as one record each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from mcp_web.store.protocol import PageRecord
from mcp_web.store.rows import FULL, all_key_bytes, snapshot_of
from mcp_web.store.sql import readings, vectors
from mcp_web.store.sql.database import Database

T = TypeVar("T")


def page_records(db: Database, keys: Sequence[str]) -> dict[str, PageRecord]:
    """Everything that is kept of the pages with these keys, by key, in this order; unknown keys are left out."""
    wanted = all_key_bytes(keys)
    rows = db.rows(
        FULL + "s.page = p.id WHERE [p.tenant = :tenant AND] p.key = ANY(:keys)"
        " ORDER BY p.key, s.id = p.newest, s.since, s.id",
        keys=wanted,
    )
    versions = _by_key((one.key, one) for one in map(snapshot_of, rows))
    rows = db.rows(
        "SELECT p.key, p.used_at, s.hash, s.since, i.png FROM pages p JOIN snapshots s ON s.page = p.id"
        " LEFT JOIN pictures i ON i.snapshot = s.id WHERE [p.tenant = :tenant AND] p.key = ANY(:keys)",
        keys=wanted,
    )
    facts = _by_key((key.hex(), (used_at, hash_.hex(), since, png)) for key, used_at, hash_, since, png in rows)
    packed = _by_key(vectors.of_pages(db, keys))
    read = _by_key(readings.of_pages(db, keys))
    return {
        key: PageRecord(
            versions=tuple(versions[key]),
            since={hash_: since for _, hash_, since, _ in facts[key]},
            used_at=facts[key][0][0],
            screenshots={hash_: bytes(png) for _, hash_, _, png in facts[key] if png is not None},
            vectors=tuple(packed[key]),
            readings=tuple(read[key]),
        )
        for key in keys
        if key in versions
    }


def _by_key(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """The values of each key, in the order of the pairs."""
    found: dict[str, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found
