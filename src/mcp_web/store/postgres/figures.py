"""Totals of counters and histograms over all processes and restarts."""

from __future__ import annotations

import json
from typing import Any

from mcp_web.store.postgres.connect import Connection


def add(db: Connection, tenant: int, drained: dict[str, Any]) -> None:
    """Add what a process measured since it last did so."""
    # One at a time: totals are read, added to and written back.
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended('figures', %s))", (tenant,))
    for name, labels, value in drained.get("counters", ()):
        _add(db, tenant, "counter", name, labels, [value])
    for name, labels, row in drained.get("histograms", ()):
        _add(db, tenant, "histogram", name, labels, row)


def totals(db: Connection, tenant: int) -> dict[str, Any]:
    found: dict[str, Any] = {"counters": [], "histograms": []}
    query = "SELECT kind, name, labels, amounts FROM figures WHERE tenant = %s ORDER BY kind, name, labels"
    for kind, name, labels, amounts in db.execute(query, (tenant,)):
        row = json.loads(amounts)
        if kind == "counter":
            found["counters"].append([name, json.loads(labels), row[0]])
        else:
            found["histograms"].append([name, json.loads(labels), row])
    return found


def _add(db: Connection, tenant: int, kind: str, name: str, labels: dict[str, str], amounts: list[float]) -> None:
    where = (tenant, kind, name, json.dumps(labels, sort_keys=True))
    query = "SELECT amounts FROM figures WHERE tenant = %s AND kind = %s AND name = %s AND labels = %s"
    row = db.execute(query, where).fetchone()
    known = json.loads(row[0]) if row else []
    # A version with other buckets starts again: sums of unlike cells would stay wrong.
    total = [a + b for a, b in zip(known, amounts, strict=True)] if len(known) == len(amounts) else list(amounts)
    db.execute(
        "INSERT INTO figures (tenant, kind, name, labels, amounts) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT (tenant, kind, name, labels) DO UPDATE SET amounts = excluded.amounts",
        (*where, json.dumps(total)),
    )
