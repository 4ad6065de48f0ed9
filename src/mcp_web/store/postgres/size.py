"""How much is kept: documents and versions of a tenant, and what the whole schema takes on its disk."""

from __future__ import annotations

from mcp_web.store.postgres.connect import SCHEMA, Connection
from mcp_web.store.protocol import StoreSize


def size_of(db: Connection, tenant: int) -> StoreSize:
    query = "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM pages WHERE tenant = %s"
    count, text = db.execute(query, (tenant,)).fetchone() or (0, 0)
    query = "SELECT count(*), min(fetched_at), max(fetched_at) FROM snapshots WHERE tenant = %s"
    versions, oldest, newest = db.execute(query, (tenant,)).fetchone() or (0, None, None)
    row = db.execute(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r'",
        (SCHEMA,),
    ).fetchone()
    return StoreSize(count, versions, text, row[0] if row else 0, oldest, newest)
