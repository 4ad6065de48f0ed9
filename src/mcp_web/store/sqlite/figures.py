"""Totals of counters and histograms (store/figures.py) as rows."""

from __future__ import annotations

import sqlite3
from typing import Any

from mcp_web.store import figures


def add(db: sqlite3.Connection, drained: dict[str, Any]) -> None:
    """Add what a process measured since it last did so."""
    for total, amounts in figures.measured(drained):
        row = db.execute("SELECT amounts FROM figures WHERE (kind, name, labels) = (?, ?, ?)", total).fetchone()
        kept = figures.added(row[0] if row else None, amounts)
        db.execute("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?)", (*total, kept))


def totals(db: sqlite3.Connection) -> dict[str, Any]:
    return figures.totals(db.execute("SELECT kind, name, labels, amounts FROM figures"))
