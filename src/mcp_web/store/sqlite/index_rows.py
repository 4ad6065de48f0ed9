"""The word index in a SQLite file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mcp_web.store.posting_blobs import Blobs, without_documents
from mcp_web.store.sql.index_rows import IndexRows, PostingRow

if TYPE_CHECKING:
    from mcp_web.store.sqlite.database import SqliteDatabase

LANGUAGE = "/"  # before a language code: a term without postings, present if documents of that language are indexed
BLOCKS = 1 << 20  # the row number of a blob is its term's number times this plus its block's number


class SqliteIndexRows(IndexRows):
    _db: SqliteDatabase

    def version(self) -> int:
        # Changes with every write of another connection; this one only reads.
        return int(self._db.value("PRAGMA data_version"))

    def state(self) -> tuple[int, int, int]:
        epoch, merged = self._db.rows("SELECT epoch, merged FROM index_state")[0]
        return epoch, merged, self._last()

    def lock(self, documents: int = 0) -> int:
        return self._last() + 1

    def languages(self) -> list[str]:
        rows = self._db.rows("SELECT term FROM terms WHERE term >= :language AND term < '0'", language=LANGUAGE)
        return [term.removeprefix(LANGUAGE) for (term,) in rows]

    def postings(self, terms: Sequence[str]) -> Mapping[str, Blobs]:
        return {term: self._blobs(term) for term in terms}

    def _blobs(self, term: str) -> Blobs:
        """The posting list of one term, as its blobs; empty for an unknown term."""
        row = self._db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
        if row is None:
            return ()
        first = row[0] * BLOCKS
        query = "SELECT place - ?1, docs FROM postings WHERE place BETWEEN ?1 AND ?2"
        return self._db.execute(query, (first, first + BLOCKS - 1)).fetchall()

    def _last(self) -> int:
        """The highest document number that was ever used."""
        return self._db.value("SELECT seq FROM sqlite_sequence WHERE name = 'documents'") or 0

    def _add_languages(self, codes: Sequence[str]) -> None:
        self._term_ids([LANGUAGE + code for code in codes])

    def _append(self, rows: Sequence[PostingRow]) -> None:
        # `||` converts its operands to text, so the result is cast to a blob again.
        self._db.many(
            "INSERT INTO postings (place, docs) VALUES (:place, :docs)"
            " ON CONFLICT (place) DO UPDATE SET docs = CAST(docs || excluded.docs AS BLOB)",
            [(term * BLOCKS + block, docs) for term, block, docs in rows],
        )

    def _drop_postings(self, deleted: Mapping[int, list[int]]) -> None:
        last = -1
        query = "SELECT place, docs FROM postings WHERE place > :last ORDER BY place LIMIT 5000"
        # In parts: a whole index at once would not fit a small machine's memory.
        while rows := self._db.rows(query, last=last):
            last = rows[-1][0]
            with_deleted = ((place, docs, deleted.get(place % BLOCKS)) for place, docs in rows)
            left = [(without_documents(docs, places), place) for place, docs, places in with_deleted if places]
            changed = [(docs, place) for docs, place in left if docs is not None]
            self._db.many("UPDATE postings SET docs = :docs WHERE place = :place", changed)
        self._db.run("DELETE FROM postings WHERE length(docs) = 0")
