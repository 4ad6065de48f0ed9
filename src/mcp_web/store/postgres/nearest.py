"""The documents nearest to a vector. Candidates come from pgvector, their cosines from the packed vectors, so that both
stores give a document the same score.

Up to EXACT passages of a model are all compared; beyond that an HNSW index finds the candidates. It is built by
`maintain` once there are so many: building it with the first page would cost every later write.
"""

from __future__ import annotations

from mcp_web.store.protocol import Candidate, VectorQuery
from mcp_web.store.quantized import best_cosine
from mcp_web.store.sql import pages
from mcp_web.store.sql.database import Database

EXACT = 20_000  # passages that are compared in some 10 ms
_LOCK = 7_203_514_922  # of pg_try_advisory_lock: an index that another process builds is invalid, and must stay
_EF_SEARCH = 400  # passages looked at by the index: 8 for each of the 50 documents of a search


def find_nearest(db: Database, query: VectorQuery) -> list[Candidate]:
    """As `Store.find_by_vector`: the documents nearest to the query's vector, which is not empty, best first."""
    statement = "SELECT id FROM models WHERE tenant = :tenant AND name = :model AND dim = :dim"
    model = db.value(statement, model=query.model, dim=len(query.vector))
    if model is None:
        return []
    indexed = is_indexed(db, model)
    near: list[int] = []
    if not (query.quick and indexed and len(query.also) >= 2 * query.limit):
        near = _nearest(db, model, query, indexed)
    known = pages.numbers(db, query.also) if query.also else {}
    return _scored(db, query, [*near, *(page for page in known.values() if page not in set(near))])


def is_indexed(db: Database, model: int) -> bool:
    """Whether the passages of a model (its row number) have an HNSW index, so that not all are compared."""
    # PostgreSQL neither uses nor replaces the invalid index that a build leaves when it fails.
    query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)"
    return bool(db.value(query, name=f"passages_near_{model}"))


def build_indexes(db: Database) -> None:
    """Create an HNSW index for each model with more than EXACT passages; without one, all passages are compared. Does
    nothing while another process does it."""
    if not db.value("SELECT pg_try_advisory_lock(:lock)", lock=_LOCK):
        return
    try:
        for model, dim in db.rows("SELECT id, dim FROM models WHERE tenant = :tenant"):
            query = "SELECT count(*) FROM (SELECT 1 FROM passages WHERE model = :model LIMIT :most) AS counted"
            many = db.value(query, model=model, most=EXACT + 1) > EXACT
            if many and not is_indexed(db, model):
                _build_index(db, model, dim)
    finally:
        db.run("SELECT pg_advisory_unlock(:lock)", lock=_LOCK)


def _build_index(db: Database, model: int, dim: int) -> None:
    """Create the HNSW index of a model (its row number) with `dim` dimensions, in place of one whose build failed."""
    db.run("SET maintenance_work_mem = '512MB'")
    db.run(f"DROP INDEX CONCURRENTLY IF EXISTS passages_near_{model}")
    db.run(
        f"CREATE INDEX CONCURRENTLY passages_near_{model} ON passages USING hnsw"
        f" ((embedding::public.halfvec({dim})) public.halfvec_cosine_ops) WHERE model = {model}"
    )
    db.run("ANALYZE passages")  # without statistics the planner would compare everything instead


def _nearest(db: Database, model: int, query: VectorQuery, indexed: bool) -> list[int]:
    """At most `limit` row numbers of pages that match the filter, those with the nearest passages first. `model` is the
    model's row number; `indexed`: its passages have an HNSW index."""
    conditions, values = pages.conditions(query.filter)
    joins = "JOIN pages p ON p.id = v.page JOIN documents d ON d.page = v.page" if conditions else ""
    values["question"] = f"[{','.join(f'{value:.6g}' for value in query.vector)}]"
    halfvec = f"public.halfvec({len(query.vector)})"
    distance = f"(v.embedding::{halfvec}) OPERATOR(public.<=>) :question::{halfvec}"
    # The model number is part of the statement, so that the planner can use the index of this model.
    source = f"FROM passages v {joins} WHERE v.model = {model} {conditions}"
    if not indexed:
        ordered = f"SELECT v.page {source} GROUP BY v.page ORDER BY min({distance}), v.page LIMIT {query.limit}"
        return [page for (page,) in db.rows(ordered, **values)]
    db.run(f"SET LOCAL hnsw.ef_search = {_EF_SEARCH}")
    db.run("SET LOCAL hnsw.iterative_scan = relaxed_order")
    rows = db.rows(f"SELECT v.page {source} ORDER BY {distance} LIMIT {query.limit * 8}", **values)
    return list(dict.fromkeys(page for (page,) in rows))[: query.limit]


def _scored(db: Database, query: VectorQuery, wanted: list[int]) -> list[Candidate]:
    """Those of the wanted pages (row numbers) that have vectors, best first, with the cosine of the nearest passage."""
    dim = len(query.vector)
    statement = (
        "SELECT p.key, v.data FROM vectors v JOIN pages p ON p.id = v.page"
        " WHERE v.page = ANY(:pages) AND v.model = :model AND v.dim = :dim AND length(v.data) > 0"
    )
    rows = db.rows(statement, pages=wanted, model=query.model, dim=dim)
    found = [Candidate(key.hex(), best_cosine(data, dim, query.vector)) for key, data in rows]
    return sorted(found, key=lambda one: (-one.score, one.key))
