"""The documents nearest to a vector. Candidates come from pgvector, their cosines from the packed vectors, so that both
stores give a document the same score.

Up to EXACT passages of a model are all compared; beyond that an HNSW index finds the candidates. It is built by
`maintain` once there are so many: building it with the first page would cost every later write.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.protocol import Candidate, DocumentFilter
from mcp_web.store.quantized import best_cosine
from mcp_web.store.sql import pages
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.search import SearchIndex

EXACT = 20_000  # passages that are compared in some 10 ms
_EF_SEARCH = 400  # passages looked at by the index: 8 for each of the 50 documents that a search wants


class PostgresSearchIndex(SearchIndex):
    def by_vector(
        self,
        db: Database,
        model: str,
        vector: Sequence[float],
        limit: int,
        filter: DocumentFilter | None,
        also: Sequence[str],
        quick: bool,
    ) -> list[Candidate]:
        """The nearest documents, and those of `also` that have vectors."""
        query = "SELECT id FROM models WHERE tenant = :tenant AND name = :model AND dim = :dim"
        number = db.value(query, model=model, dim=len(vector))
        if number is None:
            return []
        indexed = is_indexed(db, number)
        near: list[int] = []
        if not (quick and indexed and len(also) >= 2 * limit):
            near = _nearest(db, number, vector, limit, filter, indexed)
        known = pages.numbers(db, also) if also else {}
        wanted = [*near, *(page for page in known.values() if page not in set(near))]
        return _scored(db, model, vector, wanted)


def is_indexed(db: Database, model: int) -> bool:
    return bool(db.value("SELECT to_regclass(:name) IS NOT NULL", name=f"passages_near_{model}"))


def build_indexes(db: Database) -> None:
    """An index for each model with many passages; without one everything is compared."""
    for model, dim in db.rows("SELECT id, dim FROM models WHERE tenant = :tenant"):
        query = "SELECT count(*) FROM (SELECT 1 FROM passages WHERE model = :model LIMIT :most) AS counted"
        many = db.value(query, model=model, most=EXACT + 1) > EXACT
        if many and not is_indexed(db, model):
            db.run("SET maintenance_work_mem = '512MB'")
            db.run(
                f"CREATE INDEX CONCURRENTLY IF NOT EXISTS passages_near_{model} ON passages USING hnsw"
                f" ((embedding::public.halfvec({dim})) public.halfvec_cosine_ops) WHERE model = {model}"
            )
            db.run("ANALYZE passages")  # without figures the planner would compare everything instead


def _nearest(
    db: Database, model: int, vector: Sequence[float], limit: int, filter: DocumentFilter | None, indexed: bool
) -> list[int]:
    conditions, values = pages.conditions(filter)
    joins = "JOIN pages p ON p.id = v.page JOIN documents d ON d.page = v.page" if conditions else ""
    values["question"] = f"[{','.join(f'{value:.6g}' for value in vector)}]"
    halfvec = f"public.halfvec({len(vector)})"
    distance = f"(v.embedding::{halfvec}) OPERATOR(public.<=>) :question::{halfvec}"
    # The model's number stands in the text: the planner then sees that the index of this model serves.
    source = f"FROM passages v {joins} WHERE v.model = {model} {conditions}"
    if not indexed:
        query = f"SELECT v.page {source} GROUP BY v.page ORDER BY min({distance}), v.page LIMIT {limit}"
        return [page for (page,) in db.rows(query, **values)]
    db.run(f"SET LOCAL hnsw.ef_search = {_EF_SEARCH}")
    db.run("SET LOCAL hnsw.iterative_scan = relaxed_order")
    rows = db.rows(f"SELECT v.page {source} ORDER BY {distance} LIMIT {limit * 8}", **values)
    return list(dict.fromkeys(page for (page,) in rows))[:limit]


def _scored(db: Database, model: str, vector: Sequence[float], wanted: list[int]) -> list[Candidate]:
    dim = len(vector)
    query = (
        "SELECT p.key, v.data FROM vectors v JOIN pages p ON p.id = v.page"
        " WHERE v.page = ANY(:pages) AND v.model = :model AND v.dim = :dim AND length(v.data) > 0"
    )
    rows = db.rows(query, pages=wanted, model=model, dim=dim)
    found = [Candidate(key.hex(), best_cosine(data, dim, vector)) for key, data in rows]
    return sorted(found, key=lambda one: (-one.score, one.key))
