"""Totals of counters and histograms over all processes and restarts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from mcp_web.store.sql.database import Database

_Total = tuple[str, str, str]  # kind, name, labels as JSON


def add(db: Database, drained: dict[str, Any]) -> None:
    """Add to the stored totals what a process measured since the last call: what `trace.metrics.drain()` returned."""
    db.lock("figures")  # totals are read, added to and written back
    for (kind, name, labels), amounts in _measured(drained):
        query = (
            "SELECT amounts FROM figures WHERE [tenant = :tenant AND] (kind, name, labels) = (:kind, :name, :labels)"
        )
        known = db.value(query, kind=kind, name=name, labels=labels)
        query = (
            "INSERT INTO figures ([tenant,] kind, name, labels, amounts)"
            " VALUES ([:tenant,] :kind, :name, :labels, :amounts)"
            " ON CONFLICT ([tenant,] kind, name, labels) DO UPDATE SET amounts = excluded.amounts"
        )
        db.run(query, kind=kind, name=name, labels=labels, amounts=_added(known, amounts))


def totals(db: Database) -> dict[str, Any]:
    """The stored totals, in the form that `trace.metrics.drain()` returns."""
    found: dict[str, Any] = {"counters": [], "histograms": []}
    query = "SELECT kind, name, labels, amounts FROM figures [WHERE tenant = :tenant] ORDER BY kind, name, labels"
    for kind, name, labels, amounts in db.rows(query):
        row = json.loads(amounts)
        if kind == "counter":
            found["counters"].append([name, json.loads(labels), row[0]])
        else:
            found["histograms"].append([name, json.loads(labels), row])
    return found


def _measured(drained: dict[str, Any]) -> Iterator[tuple[_Total, list[float]]]:
    """The totals that `drained` adds to, each with the amounts to add."""
    for name, labels, value in drained.get("counters", ()):
        yield ("counter", name, json.dumps(labels, sort_keys=True)), [value]
    for name, labels, row in drained.get("histograms", ()):
        yield ("histogram", name, json.dumps(labels, sort_keys=True)), list(row)


def _added(known: str | None, amounts: Sequence[float]) -> str:
    """The JSON of a stored total with new amounts added, or of these if there is none or it has other buckets."""
    before = json.loads(known) if known else []
    same = len(before) == len(amounts)
    return json.dumps([a + b for a, b in zip(before, amounts, strict=True)] if same else list(amounts))
