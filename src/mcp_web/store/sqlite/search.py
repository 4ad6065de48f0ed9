"""What a process holds in memory for searching: the index of words and the vectors of each model."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_web.store.protocol import Candidate, DocumentFilter, WordMatches, WordQuery
from mcp_web.store.sqlite import pages

if TYPE_CHECKING:
    from mcp_web.store.sqlite.index_rows import SqliteIndexRows
    from mcp_web.store.sqlite.nearest import NearestIndex
    from mcp_web.store.word_index import WordIndex


class SearchState:
    """Used by one thread at a time, always with the same connection."""

    def __init__(self, *, visible_only: bool = False) -> None:
        """`visible_only`: the connection shows a part of the documents only, which any write may change."""
        self._visible_only = visible_only
        self._version = -1
        self._nearest: dict[tuple[str, int], NearestIndex] = {}
        self._numbers: dict[str, int] = {}  # of the pages that words found last

    def by_words(self, db: sqlite3.Connection, query: WordQuery, limit: int, rows: int) -> WordMatches:
        found = self._words.find(_rows(db), query, limit)
        self._numbers = dict(zip(found.keys, found.pages, strict=True))
        candidates = tuple(map(Candidate, found.keys, found.scores))
        return WordMatches(candidates, found.unknown, found.worths, pages.documents(db, found.keys[:rows]))

    def by_vector(
        self,
        db: sqlite3.Connection,
        model: str,
        vector: Sequence[float],
        limit: int,
        filter: DocumentFilter | None,
        also: Sequence[str],
        quick: bool,
    ) -> list[Candidate]:
        if not len(vector):
            return []
        from mcp_web.store.sqlite.nearest import NearestIndex

        self._forget_if_changed(db)
        name = model, len(vector)
        if name not in self._nearest:
            self._nearest[name] = NearestIndex(*name)
        allowed = self._words.allowed(_rows(db), filter) if filter else None
        keys_of = functools.partial(self._words.keys, _rows(db))
        index = self._nearest[name]
        return index.find(db, vector, limit, allowed, self._numbers_of(db, also), keys_of, quick=quick)

    def word_counts(self, db: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
        return self._words.count(_rows(db), words)

    # numpy takes a tenth of a second to import, which opening a page need not wait for.
    @functools.cached_property
    def _words(self) -> WordIndex:
        from mcp_web.store.word_index import WordIndex

        return WordIndex(visible_only=self._visible_only)

    def _forget_if_changed(self, db: sqlite3.Connection) -> None:
        if self._visible_only and (version := _rows(db).version()) != self._version:
            self._version = version
            self._nearest.clear()

    def _numbers_of(self, db: sqlite3.Connection, keys: Sequence[str]) -> dict[int, str]:
        """Pages by row number, mostly those that words have just found."""
        found = {self._numbers[key]: key for key in keys if key in self._numbers}
        unknown = [key for key in keys if key not in self._numbers]
        return found | {number: key for key, number in pages.numbers(db, unknown).items()} if unknown else found


def _rows(db: sqlite3.Connection) -> SqliteIndexRows:
    from mcp_web.store.sqlite.index_rows import SqliteIndexRows

    return SqliteIndexRows(db)
