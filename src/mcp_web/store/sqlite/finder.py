"""`Finder` over a connection: what a process holds in memory of words and vectors belongs to it."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from mcp_web.store.protocol import Candidate, Card, DocumentFilter, WordAnswer, WordQuery
from mcp_web.store.sqlite import pages

if TYPE_CHECKING:
    from mcp_web.store.sqlite.lookup import WordIndex
    from mcp_web.store.sqlite.nearest import NearestIndex


class SqliteFinder:
    """Used by one thread at a time, always over the same connection."""

    def __init__(self) -> None:
        self._nearest: dict[tuple[str, int], NearestIndex] = {}
        self._numbers: dict[str, int] = {}  # of the pages that words found last
        self._db: sqlite3.Connection

    def on(self, db: sqlite3.Connection) -> Self:
        self._db = db
        return self

    def by_words(self, query: WordQuery, limit: int, *, cards: int = 0) -> WordAnswer:
        found = self._words.find(self._db, query, limit)
        self._numbers = dict(zip(found.keys, found.pages, strict=True))
        candidates = tuple(map(Candidate, found.keys, found.scores))
        return WordAnswer(candidates, found.unknown, self.cards(found.keys[:cards]))

    def by_vector(
        self,
        model: str,
        vector: Sequence[float],
        limit: int,
        filter: DocumentFilter | None = None,
        *,
        also: Sequence[str] = (),
        quick: bool = False,
    ) -> list[Candidate]:
        if not len(vector):
            return []
        from mcp_web.store.sqlite.nearest import NearestIndex

        name = model, len(vector)
        if name not in self._nearest:
            self._nearest[name] = NearestIndex(*name)
        allowed = self._words.allowed(self._db, filter) if filter else None
        keys_of = functools.partial(self._words.keys, self._db)
        index = self._nearest[name]
        return index.find(self._db, vector, limit, allowed, self._numbers_of(also), keys_of, quick=quick)

    def word_counts(self, words: Sequence[str]) -> dict[str, int]:
        return self._words.count(self._db, words)

    def cards(self, keys: Sequence[str]) -> dict[str, Card]:
        return pages.cards(self._db, keys)

    # numpy takes a tenth of a second to import, which opening a page need not wait for.
    @functools.cached_property
    def _words(self) -> WordIndex:
        from mcp_web.store.sqlite.lookup import WordIndex

        return WordIndex()

    def _numbers_of(self, keys: Sequence[str]) -> dict[int, str]:
        """Pages by row number, mostly those that words have just found."""
        found = {self._numbers[key]: key for key in keys if key in self._numbers}
        for key in keys:
            if key not in self._numbers:
                found |= dict.fromkeys(pages.numbers(self._db, [key]), key)
        return found
