"""Adds, merges and reads the rows of the word index (store/posting_blobs.py describes their form)."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import cast

from mcp_web.store.posting_blobs import DELETED_SHARE, Blobs, additions, places_by_block
from mcp_web.store.prepare import Prepared
from mcp_web.store.rows import bare_domain, storable
from mcp_web.store.sql.database import Database
from mcp_web.store.sql.labels import folded
from mcp_web.store.sql.pages import IN_DOMAIN

PostingRow = tuple[int, int, bytes]  # the number of a term and of a block, and the postings in it


class IndexRows(ABC):
    """Reads and writes the rows of the word index, within one transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @abstractmethod
    def version(self) -> int:
        """A number that changes whenever the index is written, so that a reader knows when to read it again."""

    @abstractmethod
    def state(self) -> tuple[int, int, int]:
        """How often the index was rewritten, the last document (number) in the posting lists, and the last that was
        added."""

    @abstractmethod
    def lock(self, documents: int = 0) -> int:
        """Wait for other writers of the index, as the first step of a transaction, so that none deadlocks and documents
        become visible in the order of their numbers. Reserves numbers for so many new documents; returns the first."""

    @abstractmethod
    def languages(self) -> list[str]:
        """The language codes of the documents in the posting lists."""

    @abstractmethod
    def postings(self, terms: Sequence[str]) -> Mapping[str, Blobs]:
        """The posting lists of terms, each as its blobs (the number of a block, and the postings of its documents); a
        term without one may be left out."""

    @abstractmethod
    def _add_languages(self, codes: Sequence[str]) -> None:
        """Note that documents in these languages are in the posting lists."""

    @abstractmethod
    def _append(self, rows: Sequence[PostingRow]) -> None:
        """Append postings to the blobs of their term and block; a row is (term number, block number, postings)."""

    @abstractmethod
    def _drop_postings(self, deleted: Mapping[int, list[int]]) -> None:
        """Delete the postings of documents, which are given as the number of a block and their places in it."""

    # writing
    def add(self, page: int, version: int, prepared: Prepared, number: int, *, is_new: bool) -> None:
        """Index the newest version of a page as the document `number`, in place of the previous one. Does nothing if it
        is already indexed. `page` and `version` are row numbers; `is_new`: the page has no entry."""
        facts = {
            "snapshot": version,
            "length": prepared.length,
            "day": prepared.day,
            "source": prepared.snapshot.source,
            "language": prepared.language,
            "mark": zlib.crc32(prepared.words) or 1,
        }
        if not is_new:
            query = "SELECT snapshot, length, day, source, language, mark FROM documents WHERE page = :page"
            if self._db.one(query, page=page) == tuple(facts.values()):
                return
            self._db.run("DELETE FROM documents WHERE page = :page", page=page)
        query = (
            "INSERT INTO documents ([tenant,] number, page, snapshot, length, day, source, language, mark)"
            " VALUES ([:tenant,] :number, :page, :snapshot, :length, :day, :source, :language, :mark)"
        )
        self._db.run(query, number=number, page=page, **facts)
        query = "INSERT INTO waiting ([tenant,] number, words) VALUES ([:tenant,] :number, :words)"
        self._db.run(query, number=number, words=prepared.words)

    def merge(self) -> None:
        """Move all waiting documents (those added since the last merge) to the posting lists; the caller holds the
        lock."""
        found = additions(self.waiting(0))
        if not found.last:
            return
        ids = self._term_ids(sorted({term for term, _ in found.lists}))
        self._append(sorted((ids[term], block, docs) for (term, block), docs in found.lists.items()))
        self._add_languages(found.languages)
        self._db.many(
            "INSERT INTO words ([tenant,] word, count) VALUES ([:tenant,] :word, :count)"
            " ON CONFLICT ([tenant,] word) DO UPDATE SET count = words.count + excluded.count",
            sorted(found.words.items()),
        )
        self._db.run("DELETE FROM waiting WHERE [tenant = :tenant AND] number <= :last", last=found.last)
        self._db.run("UPDATE index_state SET merged = :last [WHERE tenant = :tenant]", last=found.last)

    def drop_deleted(self) -> None:
        """If many documents were deleted since the last time, delete their postings; the caller holds the lock."""
        (living, deleted) = self._db.rows(
            "SELECT (SELECT count(*) FROM documents [WHERE tenant = :tenant]),"
            " (SELECT count(*) FROM deleted [WHERE tenant = :tenant])"
        )[0]
        if not deleted or deleted < DELETED_SHARE * (living + deleted):
            return
        self.merge()
        self._drop_postings(places_by_block(number for _, number in self.deleted(0)))
        self._db.run("DELETE FROM deleted [WHERE tenant = :tenant]")
        self._db.run("UPDATE index_state SET epoch = epoch + 1 [WHERE tenant = :tenant]")

    def _term_ids(self, terms: Sequence[str]) -> dict[str, int]:
        """The row numbers of terms, by term; new terms are added."""
        self._db.many(
            "INSERT INTO terms ([tenant,] term) VALUES ([:tenant,] :term) ON CONFLICT DO NOTHING",
            [(term,) for term in terms],
        )
        query = "SELECT term, id FROM terms WHERE [tenant = :tenant AND] term = ANY(:terms)"
        return dict(self._db.rows(query, terms=list(terms)))

    # reading
    def documents(self, after: int) -> Sequence[tuple[int, int, int, int, str, bytes]]:
        """(number, page, length, day, source, key) of the documents with numbers above `after`, in ascending order.
        `length` is the sum of the weights of its words, `day` an ordinal date (0: none). `page` is a row number, or 0
        in a database of all tenants, where the rows of one are far apart."""
        rows = self._db.rows(
            "SELECT d.number, [0 *] d.page, d.length, d.day, d.source, p.key FROM documents d"
            " JOIN pages p ON p.id = d.page WHERE [d.tenant = :tenant AND] d.number > :after ORDER BY d.number",
            after=after,
        )
        return cast("list[tuple[int, int, int, int, str, bytes]]", rows)

    def unindexed(self, limit: int) -> list[str]:
        """At most `limit` keys of documents whose index format is out of date."""
        rows = self._db.rows(
            "SELECT p.key FROM documents d JOIN pages p ON p.id = d.page WHERE [d.tenant = :tenant AND] d.mark = 0"
            " ORDER BY d.number LIMIT :limit",
            limit=limit,
        )
        return [key.hex() for (key,) in rows]

    def count_waiting(self) -> int:
        """How many documents wait to be merged into the posting lists."""
        return int(self._db.value("SELECT count(*) FROM waiting [WHERE tenant = :tenant]"))

    def waiting(self, after: int) -> Sequence[tuple[int, bytes]]:
        """(number, packed words) of the documents above `after` that wait to be merged into the posting lists."""
        query = "SELECT number, words FROM waiting WHERE [tenant = :tenant AND] number > :after ORDER BY number"
        return cast("list[tuple[int, bytes]]", self._db.rows(query, after=after))

    def deleted(self, after: int) -> Sequence[tuple[int, int]]:
        """(sequence number, document number) of the deletions whose sequence numbers are above `after`, in order."""
        query = "SELECT seq, number FROM deleted WHERE [tenant = :tenant AND] seq > :after ORDER BY seq"
        return cast("list[tuple[int, int]]", self._db.rows(query, after=after))

    def in_collection(self, label: str) -> list[int]:
        """The numbers of the documents in a collection."""
        rows = self._db.rows(
            "SELECT d.number FROM labels l JOIN documents d ON d.page = l.page"
            " WHERE [l.tenant = :tenant AND] l.folded = :label",
            label=folded(label),
        )
        return [number for (number,) in rows]

    def in_domain(self, domain: str) -> list[int]:
        """The numbers of the documents of a host and its subdomains."""
        query = "SELECT d.number FROM documents d JOIN pages p ON p.id = d.page WHERE [d.tenant = :tenant AND] "
        return [number for (number,) in self._db.rows(query + IN_DOMAIN, domain=bare_domain(domain))]

    def in_language(self, language: str) -> list[int]:
        """The numbers of the documents in a language."""
        query = "SELECT number FROM documents WHERE [tenant = :tenant AND] language = :language"
        return [number for (number,) in self._db.rows(query, language=language)]

    def words_from(self, prefix: str, limit: int) -> list[str]:
        """At most `limit` words that begin with a prefix, those in the most documents first."""
        start = storable(prefix)
        query = (
            "SELECT word FROM words WHERE [tenant = :tenant AND] word >= :start AND word < :end"
            " ORDER BY count DESC, word LIMIT :limit"
        )
        rows = self._db.rows(query, start=start, end=start + "\U0010ffff", limit=limit)
        return [word for (word,) in rows]

    def counts(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """(word, how many documents merged into the posting lists had it, even if deleted since) for the known
        words."""
        query = "SELECT word, count FROM words WHERE [tenant = :tenant AND] word = ANY(:words)"
        return [(word, count) for word, count in self._db.rows(query, words=list(map(storable, words)))]
