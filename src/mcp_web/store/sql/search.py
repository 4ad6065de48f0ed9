"""Searches by words and by vectors, the part that engines have in common."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_web.store.protocol import Candidate, VectorQuery, WordMatches, WordQuery
from mcp_web.store.sql import pages
from mcp_web.store.sql.database import Database

if TYPE_CHECKING:
    from mcp_web.store.word_index import WordIndex


class SearchIndex(ABC):
    """Finds documents with the indexes that are in memory. Used by one thread at a time."""

    def __init__(self, *, visible_only: bool = False) -> None:
        """`visible_only`: the connection sees only a part of the documents, and any write may change which."""
        self._visible_only = visible_only

    def by_words(self, db: Database, query: WordQuery, limit: int, rows: int) -> WordMatches:
        found = self._words.find(db.index, query, limit)
        return replace(found, rows=pages.documents(db, [one.key for one in found.candidates[:rows]]))

    def word_counts(self, db: Database, words: Sequence[str]) -> dict[str, int]:
        return self._words.count(db.index, words)

    @abstractmethod
    def by_vector(self, db: Any, query: VectorQuery) -> list[Candidate]:
        """As `Store.find_by_vector`; the vector is not empty."""

    # Lazy, because importing numpy takes a tenth of a second, and opening a page does not need it.
    @functools.cached_property
    def _words(self) -> WordIndex:
        from mcp_web.store.word_index import WordIndex

        return WordIndex(visible_only=self._visible_only)
