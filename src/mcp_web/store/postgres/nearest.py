"""The documents nearest to a vector. Candidates come from pgvector, their cosines from the packed vectors, so that both
stores give a document the same score.

Up to EXACT passages of a model are all compared; beyond that an HNSW index finds the candidates. It is built by
`maintain` once there are so many: building it with the first page would cost every later write.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_web.store.postgres import pages
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import Candidate, DocumentFilter
from mcp_web.store.quantized import best_cosine

EXACT = 20_000  # passages that are compared in some 10 ms
_EF_SEARCH = 400  # passages looked at by the index: 8 for each of the 50 documents that a search wants


def find(
    db: Connection,
    tenant: int,
    model: str,
    vector: Sequence[float],
    limit: int,
    filter: DocumentFilter | None,
    also: Sequence[str],
    quick: bool,
) -> list[Candidate]:
    """The nearest documents, and those of `also` that have vectors."""
    query = "SELECT id FROM models WHERE tenant = %s AND name = %s AND dim = %s"
    row = db.execute(query, (tenant, model, len(vector))).fetchone()
    if row is None:
        return []
    number, dim = int(row[0]), len(vector)
    indexed = is_indexed(db, number)
    near: list[int] = []
    if not (quick and indexed and len(also) >= 2 * limit):
        near = _nearest(db, number, dim, vector, limit, filter, indexed)
    known = pages.numbers(db, tenant, also) if also else {}
    wanted = [*near, *(page for page in known.values() if page not in set(near))]
    return _scored(db, model, dim, vector, wanted)


def is_indexed(db: Connection, model: int) -> bool:
    return db.execute("SELECT to_regclass(%s) IS NOT NULL", (f"passages_near_{model}",)).fetchone() == (True,)


def build_indexes(db: Connection, tenant: int) -> None:
    """An index for each model with many passages; without one everything is compared."""
    for model, dim in db.execute("SELECT id, dim FROM models WHERE tenant = %s", (tenant,)).fetchall():
        query = "SELECT count(*) FROM (SELECT 1 FROM passages WHERE model = %s LIMIT %s) AS counted"
        many = db.execute(query, (model, EXACT + 1)).fetchone() == (EXACT + 1,)
        if many and not is_indexed(db, model):
            db.execute("SET maintenance_work_mem = '512MB'")
            db.execute(
                f"CREATE INDEX CONCURRENTLY IF NOT EXISTS passages_near_{model} ON passages USING hnsw"
                f" ((embedding::public.halfvec({dim})) public.halfvec_cosine_ops) WHERE model = {model}"
            )
            db.execute("ANALYZE passages")  # without figures the planner would compare everything instead


def _nearest(
    db: Connection,
    model: int,
    dim: int,
    vector: Sequence[float],
    limit: int,
    filter: DocumentFilter | None,
    indexed: bool,
) -> list[int]:
    conditions, values = pages.conditions(filter)
    joins = "JOIN pages p ON p.id = v.page JOIN documents d ON d.page = v.page" if conditions else ""
    values["question"] = f"[{','.join(f'{value:.6g}' for value in vector)}]"
    distance = f"(v.embedding::public.halfvec({dim})) OPERATOR(public.<=>) %(question)s::public.halfvec({dim})"
    # The model's number stands in the text: the planner then sees that the index of this model serves.
    source = f"FROM passages v {joins} WHERE v.model = {model} {conditions}"
    if not indexed:
        query = f"SELECT v.page {source} GROUP BY v.page ORDER BY min({distance}), v.page LIMIT {limit}"
        return [row[0] for row in db.execute(query, values)]
    db.execute(f"SET LOCAL hnsw.ef_search = {_EF_SEARCH}")
    db.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
    query = f"SELECT v.page {source} ORDER BY {distance} LIMIT {limit * 8}"
    return list(dict.fromkeys(row[0] for row in db.execute(query, values)))[:limit]


def _scored(db: Connection, model: str, dim: int, vector: Sequence[float], wanted: list[int]) -> list[Candidate]:
    query = (
        "SELECT p.key, v.data FROM vectors v JOIN pages p ON p.id = v.page"
        " WHERE v.page = ANY(%s) AND v.model = %s AND v.dim = %s AND length(v.data) > 0"
    )
    rows = db.execute(query, (wanted, model, dim), binary=True)
    found = [Candidate(key.hex(), best_cosine(data, dim, vector)) for key, data in rows]
    return sorted(found, key=lambda one: (-one.score, one.key))
