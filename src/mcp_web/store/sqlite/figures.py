"""Totals of counters and histograms over all processes and restarts."""

from __future__ import annotations

import json
import sqlite3
from typing import Any


def add(db: sqlite3.Connection, drained: dict[str, Any]) -> None:
    """Add what a process measured since it last did so."""
    for name, labels, value in drained.get("counters", ()):
        _add(db, "counter", name, labels, [value])
    for name, labels, row in drained.get("histograms", ()):
        _add(db, "histogram", name, labels, row)


def totals(db: sqlite3.Connection) -> dict[str, Any]:
    found: dict[str, Any] = {"counters": [], "histograms": []}
    for kind, name, labels, amounts in db.execute("SELECT kind, name, labels, amounts FROM figures"):
        row = json.loads(amounts)
        if kind == "counter":
            found["counters"].append([name, json.loads(labels), row[0]])
        else:
            found["histograms"].append([name, json.loads(labels), row])
    return found


def _add(db: sqlite3.Connection, kind: str, name: str, labels: dict[str, str], amounts: list[float]) -> None:
    where = (kind, name, json.dumps(labels, sort_keys=True))
    row = db.execute("SELECT amounts FROM figures WHERE kind = ? AND name = ? AND labels = ?", where).fetchone()
    known = json.loads(row[0]) if row else []
    # A version with other buckets starts again: sums of unlike cells would stay wrong.
    total = [a + b for a, b in zip(known, amounts, strict=True)] if len(known) == len(amounts) else list(amounts)
    db.execute("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?)", (*where, json.dumps(total)))
