"""The vectors of a page: one blob per model (store/quantized.py), and its passages for the nearest-neighbour index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import StoredVectors
from mcp_web.store.quantized import codes_of
from mcp_web.store.rows import key_bytes


def load(db: Connection, tenant: int, keys: Sequence[str], model: str | None = None) -> list[tuple[str, StoredVectors]]:
    """The vectors of pages, of one model or of all, each with the page's key."""
    rows = db.execute(
        "SELECT p.key, v.model, v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE p.tenant = %(tenant)s AND p.key = ANY(%(keys)s)"
        " AND (%(model)s::text IS NULL OR v.model = %(model)s) ORDER BY v.model",
        {"tenant": tenant, "keys": list(map(key_bytes, keys)), "model": model},
        binary=True,
    )
    return [
        (key.hex(), StoredVectors(name, dim, digests, data, hash_.hex() if hash_ else ""))
        for key, name, dim, digests, data, hash_ in rows
    ]


def keep(db: Connection, tenant: int, stored: Mapping[str, StoredVectors]) -> None:
    """Replace the vectors of pages, by key; nothing for a page that is no longer kept."""
    # The rows of the pages are locked first, in their order: processes that embed the same pages take turns.
    query = "SELECT key, id FROM pages WHERE tenant = %s AND key = ANY(%s) ORDER BY key FOR UPDATE"
    pages = {key.hex(): page for key, page in db.execute(query, (tenant, list(map(key_bytes, stored))))}
    query = "SELECT page, hash, id FROM snapshots WHERE tenant = %s AND hash = ANY(%s)"
    hashes = [key_bytes(one.snapshot) for one in stored.values()]
    versions = {(page, hash_.hex()): version for page, hash_, version in db.execute(query, (tenant, hashes))}
    known = models(db, tenant, {(one.model, one.dim) for one in stored.values()})
    with db.pipeline():
        for key, page in pages.items():
            vectors = stored[key]
            db.execute(
                "DELETE FROM passages WHERE page = %s AND model IN"
                " (SELECT id FROM models WHERE tenant = %s AND name = %s)",
                (page, tenant, vectors.model),
            )
            version = versions.get((page, vectors.snapshot), 0)
            add(db, tenant, page, version, known[vectors.model, vectors.dim], vectors)


def add(db: Connection, tenant: int, page: int, version: int, model: int, vectors: StoredVectors) -> None:
    """Write the vectors of a page, whose passages have none of this model."""
    db.execute(
        "INSERT INTO vectors (tenant, page, model, dim, version, digests, data) VALUES (%s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (page, model) DO UPDATE SET dim = excluded.dim, version = excluded.version,"
        " digests = excluded.digests, data = excluded.data",
        (tenant, page, vectors.model, vectors.dim, version, vectors.digests, vectors.data),
    )
    if vectors.data:
        _add_passages(db, tenant, page, model, vectors)


def drop(db: Connection, tenant: int, keep: Sequence[str]) -> int:
    which = (tenant, list(keep))
    found = db.execute("DELETE FROM vectors WHERE tenant = %s AND model <> ALL(%s)", which).rowcount
    db.execute("DELETE FROM models WHERE tenant = %s AND name <> ALL(%s)", which)
    return found


def models(db: Connection, tenant: int, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """The numbers of models by name and dimensions; those that are not known yet are added."""
    return {one: _model(db, tenant, *one) for one in wanted}


def _add_passages(db: Connection, tenant: int, page: int, model: int, vectors: StoredVectors) -> None:
    codes = codes_of(vectors.data, vectors.dim)
    # Only directions are compared, so the scale of a row does not matter.
    rows = {place: f"[{','.join(map(str, row))}]" for place, row in enumerate(codes.tolist()) if any(row)}
    db.execute(
        "INSERT INTO passages (tenant, page, model, place, embedding)"
        " SELECT %s, %s, %s, place, row::public.halfvec FROM unnest(%s::int[], %s::text[]) AS given (place, row)",
        (tenant, page, model, list(rows), list(rows.values())),
    )


def _model(db: Connection, tenant: int, name: str, dim: int) -> int:
    where = (tenant, name, dim)
    query = "SELECT id FROM models WHERE tenant = %s AND name = %s AND dim = %s"
    row = db.execute(query, where).fetchone()
    if row is None:
        db.execute("INSERT INTO models (tenant, name, dim) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", where)
        row = db.execute(query, where).fetchone()
    assert row is not None
    return int(row[0])
