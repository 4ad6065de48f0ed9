"""The vectors of a page: one blob per model (store/quantized.py), and its passages for the nearest-neighbour index."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import StoredVectors
from mcp_web.store.quantized import codes_of
from mcp_web.store.rows import key_bytes


def load(db: Connection, tenant: int, key: str, model: str | None = None) -> list[StoredVectors]:
    """The vectors of one model, or of all."""
    rows = db.execute(
        "SELECT v.model, v.dim, v.digests, v.data, s.hash FROM vectors v JOIN pages p ON p.id = v.page"
        " LEFT JOIN snapshots s ON s.id = v.version WHERE p.tenant = %(tenant)s AND p.key = %(key)s"
        " AND (%(model)s::text IS NULL OR v.model = %(model)s) ORDER BY v.model",
        {"tenant": tenant, "key": key_bytes(key), "model": model},
    )
    return [
        StoredVectors(name, dim, digests, data, hash_.hex() if hash_ else "")
        for name, dim, digests, data, hash_ in rows
    ]


def keep(db: Connection, tenant: int, key: str, vectors: StoredVectors) -> None:
    """Replace the vectors of a page; nothing for a page that is no longer kept."""
    # The page's row is locked first: two processes that read one page write one after the other.
    query = "SELECT id FROM pages WHERE tenant = %s AND key = %s FOR UPDATE"
    row = db.execute(query, (tenant, key_bytes(key))).fetchone()
    if row is None:
        return
    page = row[0]
    db.execute(
        "INSERT INTO vectors (tenant, page, model, dim, version, digests, data) VALUES (%s, %s, %s, %s,"
        " coalesce((SELECT id FROM snapshots WHERE tenant = %s AND hash = %s AND page = %s), 0), %s, %s)"
        " ON CONFLICT (page, model) DO UPDATE SET dim = excluded.dim, version = excluded.version,"
        " digests = excluded.digests, data = excluded.data",
        (
            tenant,
            page,
            vectors.model,
            vectors.dim,
            tenant,
            key_bytes(vectors.snapshot),
            page,
            vectors.digests,
            vectors.data,
        ),
    )
    db.execute(
        "DELETE FROM passages WHERE page = %s AND model IN (SELECT id FROM models WHERE tenant = %s AND name = %s)",
        (page, tenant, vectors.model),
    )
    if vectors.data:
        _keep_passages(db, tenant, page, vectors)


def drop(db: Connection, tenant: int, keep: Sequence[str]) -> int:
    which = (tenant, list(keep))
    found = db.execute("DELETE FROM vectors WHERE tenant = %s AND model <> ALL(%s)", which).rowcount
    db.execute("DELETE FROM models WHERE tenant = %s AND name <> ALL(%s)", which)
    return found


def _keep_passages(db: Connection, tenant: int, page: int, vectors: StoredVectors) -> None:
    model = _model(db, tenant, vectors.model, vectors.dim)
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
