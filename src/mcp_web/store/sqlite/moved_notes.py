"""Values of earlier versions that were notes, rewritten as records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from mcp_web.store.pack import unpack_json
from mcp_web.store.sql import records
from mcp_web.store.sqlite.database import SqliteDatabase


def move_notes(db: sqlite3.Connection) -> None:
    """Rewrite the watch list, unfinished crawls, the model in use, synced folders and the search history as records."""
    rows = db.execute(
        "SELECT kind, key, value, expires_at FROM notes"
        " WHERE kind IN ('watch', 'crawl', 'embedding', 'sync_folder', 'sync_tags', 'search_history')"
    ).fetchall()
    for kind, key, blob, expires_at in rows:
        for new_kind, new_key, value, lasts in _items(kind, key, unpack_json(blob), expires_at):
            records.keep(SqliteDatabase(db), new_kind, new_key, value, lasts)
        db.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (kind, key))


def _items(kind: str, key: str, value: Any, expires_at: float) -> Iterator[tuple[str, str, Any, float | None]]:
    if kind == "watch":
        yield from ((kind, url, {}, None) for url in value or ())
    elif kind == "search_history":
        for entry in reversed(value or ()):  # it was kept newest first
            yield kind, f"{entry.get('at', 0):.6f}", entry, expires_at
    elif kind == "crawl":
        waiting = dict(value["waiting"]) if value else {}
        for url in value["known"] if value else ():
            state = {"depth": waiting.get(url, 0), "state": "waiting" if url in waiting else "visited"}
            yield f"crawl {key}", url, state, expires_at
    else:
        yield kind, key, value, None
