"""The word index in a PostgreSQL database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mcp_web.store.posting_blobs import Blobs, without_documents
from mcp_web.store.rows import storable
from mcp_web.store.sql.index_rows import IndexRows, PostingRow

if TYPE_CHECKING:
    from mcp_web.store.postgres.database import PostgresDatabase


class PostgresIndexRows(IndexRows):
    _db: PostgresDatabase

    def version(self) -> int:
        return self._db.value("SELECT version FROM index_state WHERE tenant = :tenant") or 0

    def state(self) -> tuple[int, int, int]:
        row = self._db.one("SELECT epoch, merged, last FROM index_state WHERE tenant = :tenant")
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

    def lock(self, documents: int = 0) -> int:
        last = self._db.value(
            "UPDATE index_state SET version = version + 1, last = last + :documents WHERE tenant = :tenant"
            " RETURNING last",
            documents=documents,
        )
        return int(last) - documents + 1

    def languages(self) -> list[str]:
        return [code for (code,) in self._db.rows("SELECT code FROM languages WHERE tenant = :tenant")]

    def postings(self, terms: Sequence[str]) -> Mapping[str, Blobs]:
        found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        wanted = {storable(term): term for term in terms}
        rows = self._db.rows(
            "SELECT t.term, p.block, p.docs FROM terms t JOIN postings p ON p.term = t.id"
            " WHERE t.tenant = :tenant AND t.term = ANY(:terms) ORDER BY t.term, p.block",
            terms=list(wanted),
        )
        for term, block, docs in rows:
            found[wanted[term]].append((block, docs))
        return found

    def _add_languages(self, codes: Sequence[str]) -> None:
        self._db.many(
            "INSERT INTO languages (tenant, code) VALUES (:tenant, :code) ON CONFLICT DO NOTHING",
            [(code,) for code in codes],
        )

    def _append(self, rows: Sequence[PostingRow]) -> None:
        self._db.many(
            "INSERT INTO postings (tenant, term, block, docs) VALUES (:tenant, :term, :block, :docs)"
            " ON CONFLICT (term, block) DO UPDATE SET docs = postings.docs || excluded.docs",
            rows,
        )

    def _drop_postings(self, deleted: Mapping[int, list[int]]) -> None:
        term, block = 0, -1
        query = (
            "SELECT term, block, docs FROM postings WHERE tenant = :tenant AND (term, block) > (:term, :block)"
            " AND block = ANY(:blocks) ORDER BY term, block LIMIT 5000"
        )
        # In parts: a whole index at once would not fit a small machine's memory.
        while rows := self._db.rows(query, term=term, block=block, blocks=list(deleted)):
            term, block, _ = rows[-1]
            left = [(without_documents(docs, deleted[block]), term, block) for term, block, docs in rows]
            self._db.many(
                "UPDATE postings SET docs = :docs WHERE term = :term AND block = :block",
                [row for row in left if row[0] is not None],
            )
        self._db.run("DELETE FROM postings WHERE tenant = :tenant AND length(docs) = 0")
