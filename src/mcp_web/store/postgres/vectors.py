"""Writes vectors: one blob per page and model (store/quantized.py), and its passages for finding candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.quantized import codes_of
from mcp_web.store.rows import all_key_bytes
from mcp_web.store.sql import vectors as vector_rows
from mcp_web.store.sql.database import Database


def keep(db: Database, stored: Mapping[str, StoredVectors]) -> None:
    """Replace the vectors of pages, by key; skips pages that are no longer kept."""
    # The rows of the pages are locked first, in their order: processes that embed the same pages take turns.
    query = "SELECT key, id FROM pages WHERE tenant = :tenant AND key = ANY(:keys) ORDER BY key FOR UPDATE"
    pages = {key.hex(): page for key, page in db.rows(query, keys=all_key_bytes(stored))}
    query = "SELECT page, hash, id FROM snapshots WHERE tenant = :tenant AND hash = ANY(:hashes)"
    rows = db.rows(query, hashes=all_key_bytes(one.snapshot for one in stored.values()))
    versions = {(page, hash_.hex()): version for page, hash_, version in rows}
    known = models(db, {(one.model, one.dim) for one in stored.values()})
    with db.pipeline():
        for key, page in pages.items():
            vectors = stored[key]
            query = (
                "DELETE FROM passages WHERE page = :page AND model IN"
                " (SELECT id FROM models WHERE tenant = :tenant AND name = :model)"
            )
            db.run(query, page=page, model=vectors.model)
            version = versions.get((page, vectors.snapshot), 0)
            add(db, page, version, known[vectors.model, vectors.dim], vectors)


def add(db: Database, page: int, version: int, model: int, vectors: StoredVectors) -> None:
    """Write the vectors of a page that has none of this model yet."""
    db.run(
        "INSERT INTO vectors (tenant, page, model, dim, version, digests, data)"
        " VALUES (:tenant, :page, :model, :dim, :version, :digests, :data)"
        " ON CONFLICT (page, model) DO UPDATE SET dim = excluded.dim, version = excluded.version,"
        " digests = excluded.digests, data = excluded.data",
        page=page,
        model=vectors.model,
        dim=vectors.dim,
        version=version,
        digests=vectors.digests,
        data=vectors.data,
    )
    if not vectors.data:
        return
    # Only directions are compared, so the scale of a row does not matter.
    codes = enumerate(codes_of(vectors.data, vectors.dim).tolist())
    db.many(
        "INSERT INTO passages (tenant, page, model, place, embedding)"
        " VALUES (:tenant, :page, :model, :place, :embedding::public.halfvec)",
        [(place, f"[{','.join(map(str, row))}]") for place, row in codes if any(row)],
        page=page,
        model=model,
    )


def drop(db: Database, keep: Sequence[str]) -> int:
    """Delete the vectors of all other models."""
    dropped = vector_rows.drop(db, keep)
    db.run("DELETE FROM models WHERE tenant = :tenant AND NOT name = ANY(:keep)", keep=list(keep))
    return dropped


def models(db: Database, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """The numbers of models by name and dimensions; those that are not known yet are added."""
    return {one: _model(db, *one) for one in wanted}


def _model(db: Database, name: str, dim: int) -> int:
    query = "SELECT id FROM models WHERE tenant = :tenant AND name = :name AND dim = :dim"
    found = db.value(query, name=name, dim=dim)
    if found is None:
        insert = "INSERT INTO models (tenant, name, dim) VALUES (:tenant, :name, :dim) ON CONFLICT DO NOTHING"
        db.run(insert, name=name, dim=dim)
        found = db.value(query, name=name, dim=dim)
    return int(found)
