"""Searches of a SQLite file: the word index, and the vectors of each model in memory."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from mcp_web.store.protocol import Candidate, VectorQuery
from mcp_web.store.sql import pages
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.search import SearchIndex

if TYPE_CHECKING:
    from mcp_web.store.sqlite.database import SqliteDatabase
    from mcp_web.store.sqlite.nearest import NearestIndex


class SqliteSearchIndex(SearchIndex):
    """The word index and the vectors of each model, in memory."""

    def __init__(self, *, visible_only: bool = False) -> None:
        super().__init__(visible_only=visible_only)
        self._version = -1
        self._nearest: dict[tuple[str, int], NearestIndex] = {}

    def by_vector(self, db: SqliteDatabase, query: VectorQuery) -> list[Candidate]:
        from mcp_web.store.sqlite.nearest import NearestIndex

        self._reset_if_changed(db)
        name = query.model, len(query.vector)
        if name not in self._nearest:
            self._nearest[name] = NearestIndex(*name)
        allowed = self._words.allowed(db.index, query.filter)
        keys_of = functools.partial(self._words.keys, db.index)
        also = {number: key for key, number in pages.numbers(db, query.also).items()} if query.also else {}
        return self._nearest[name].find(db, query, allowed, also, keys_of)

    def _reset_if_changed(self, db: Database) -> None:
        """With `visible_only`, read all vectors again after a write, which may have changed what is visible."""
        if self._visible_only and (version := db.index.version()) != self._version:
            self._version = version
            self._nearest.clear()
