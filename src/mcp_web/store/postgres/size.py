"""The size of the store: documents and versions of a tenant, and the disk space of the whole schema."""

from __future__ import annotations

from mcp_web.store.postgres.connect import SCHEMA
from mcp_web.store.protocol import StoreSize
from mcp_web.store.sql.database import Database


def size_of(db: Database) -> StoreSize:
    query = "SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM pages WHERE tenant = :tenant"
    (count, text) = db.rows(query)[0]
    query = "SELECT count(*), min(fetched_at), max(fetched_at) FROM snapshots WHERE tenant = :tenant"
    (versions, oldest, newest) = db.rows(query)[0]
    disk_bytes = db.value(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r'",
        schema=SCHEMA,
    )
    return StoreSize(count, versions, text, disk_bytes, oldest, newest)
