"""Totals of counters and histograms (store/figures.py) as rows."""

from __future__ import annotations

from typing import Any

from mcp_web.store import figures
from mcp_web.store.postgres.connect import Connection


def add(db: Connection, tenant: int, drained: dict[str, Any]) -> None:
    """Add what a process measured since it last did so."""
    # One at a time: totals are read, added to and written back.
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended('figures', %s))", (tenant,))
    query = "SELECT amounts FROM figures WHERE (tenant, kind, name, labels) = (%s, %s, %s, %s)"
    for total, amounts in figures.measured(drained):
        row = db.execute(query, (tenant, *total)).fetchone()
        db.execute(
            "INSERT INTO figures (tenant, kind, name, labels, amounts) VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT (tenant, kind, name, labels) DO UPDATE SET amounts = excluded.amounts",
            (tenant, *total, figures.added(row[0] if row else None, amounts)),
        )


def totals(db: Connection, tenant: int) -> dict[str, Any]:
    query = "SELECT kind, name, labels, amounts FROM figures WHERE tenant = %s ORDER BY kind, name, labels"
    return figures.totals(db.execute(query, (tenant,)))
