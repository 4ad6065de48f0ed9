"""What a process holds in memory for searching: the index of words."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_web.store.postgres import pages
from mcp_web.store.postgres.connect import Connection
from mcp_web.store.protocol import Candidate, WordMatches, WordQuery

if TYPE_CHECKING:
    from mcp_web.store.postgres.index_rows import PostgresIndexRows
    from mcp_web.store.word_index import WordIndex


class SearchState:
    """Used by one thread at a time."""

    def __init__(self, tenant: int, *, visible_only: bool = False) -> None:
        self._tenant = tenant
        self._visible_only = visible_only

    def by_words(self, db: Connection, query: WordQuery, limit: int, rows: int) -> WordMatches:
        found = self._words.find(self._rows(db), query, limit)
        candidates = tuple(map(Candidate, found.keys, found.scores))
        return WordMatches(
            candidates, found.unknown, found.worths, pages.documents(db, self._tenant, found.keys[:rows])
        )

    def word_counts(self, db: Connection, words: Sequence[str]) -> dict[str, int]:
        return self._words.count(self._rows(db), words)

    # numpy takes a tenth of a second to import, which opening a page need not wait for.
    @functools.cached_property
    def _words(self) -> WordIndex:
        from mcp_web.store.word_index import WordIndex

        return WordIndex(visible_only=self._visible_only)

    def _rows(self, db: Connection) -> PostgresIndexRows:
        from mcp_web.store.postgres.index_rows import PostgresIndexRows

        return PostgresIndexRows(db, self._tenant)
