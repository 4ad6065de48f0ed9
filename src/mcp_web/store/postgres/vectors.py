"""Writes vectors: one blob per page and model (store/quantized.py), and its passages for finding candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_web.store.protocol import StoredVectors
from mcp_web.store.quantized import codes_of
from mcp_web.store.rows import all_key_bytes
from mcp_web.store.sql import vectors as vector_rows
from mcp_web.store.sql.database import Database


def keep(db: Database, stored: Mapping[str, StoredVectors]) -> None:
    """Replace the vectors of pages, by page key; skips pages that are no longer kept."""
    # The rows of the pages are locked first, in their order: processes that embed the same pages take turns.
    query = "SELECT key, id FROM pages WHERE tenant = :tenant AND key = ANY(:keys) ORDER BY key FOR UPDATE"
    pages = {key.hex(): page for key, page in db.rows(query, keys=all_key_bytes(stored))}
    query = "SELECT page, hash, id FROM snapshots WHERE tenant = :tenant AND hash = ANY(:hashes)"
    rows = db.rows(query, hashes=all_key_bytes(one.snapshot for one in stored.values()))
    versions = {(page, hash_.hex()): version for page, hash_, version in rows}
    models = {named: _model(db, *named) for named in {(one.model, one.dim) for one in stored.values()}}
    with db.pipeline():
        for key, page in pages.items():
            vectors = stored[key]
            version = versions.get((page, vectors.snapshot), 0)
            _keep_page(db, page, version, models[vectors.model, vectors.dim], vectors)


def _keep_page(db: Database, page: int, version: int, model: int, vectors: StoredVectors) -> None:
    """Replace the vectors of one page. `page`, `version` and `model` are row numbers; `version` is that of the text
    they were made of, 0 for incomplete vectors."""
    query = (
        "DELETE FROM passages WHERE page = :page AND model IN"
        " (SELECT id FROM models WHERE tenant = :tenant AND name = :model)"
    )
    db.run(query, page=page, model=vectors.model)
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
    """Delete the vectors of every model not in `keep`; returns how many blobs (one per page and model) were deleted."""
    dropped = vector_rows.drop(db, keep)
    db.run("DELETE FROM models WHERE tenant = :tenant AND NOT name = ANY(:keep)", keep=list(keep))
    return dropped


def _model(db: Database, name: str, dim: int) -> int:
    """The row number of a model with this number of dimensions, which is added if it is not known yet."""
    query = "SELECT id FROM models WHERE tenant = :tenant AND name = :name AND dim = :dim"
    found = db.value(query, name=name, dim=dim)
    if found is None:
        insert = "INSERT INTO models (tenant, name, dim) VALUES (:tenant, :name, :dim) ON CONFLICT DO NOTHING"
        db.run(insert, name=name, dim=dim)
        found = db.value(query, name=name, dim=dim)
    return int(found)
