"""What the index of words reads, from SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from mcp_web.store.rows import bare_domain
from mcp_web.store.sqlite.pages import IN_DOMAIN
from mcp_web.store.sqlite.postings import BLOCKS, LANGUAGE
from mcp_web.store.word_index import Blobs

_AT_ONCE = 500  # one statement for many words is three times faster than one each


class SqliteIndexRows:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def version(self) -> int:
        # Changes whenever another connection wrote; this one only reads.
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def state(self) -> tuple[int, int, int]:
        epoch, merged = self._db.execute("SELECT epoch, merged FROM index_state").fetchone()
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
        return epoch, merged, row[0] if row else 0

    def documents(self, after: int) -> list[tuple[int, int, int, int, str, bytes]]:
        return self._db.execute(
            "SELECT d.number, d.page, d.length, d.day, d.source, p.key FROM documents d JOIN pages p ON p.id = d.page"
            " WHERE d.number > ? ORDER BY d.number",
            (after,),
        ).fetchall()

    def deleted(self, after: int) -> list[tuple[int, int]]:
        return self._db.execute("SELECT seq, number FROM deleted WHERE seq > ? ORDER BY seq", (after,)).fetchall()

    def waiting(self, after: int) -> Iterable[tuple[int, bytes]]:
        return self._db.execute("SELECT number, words FROM waiting WHERE number > ? ORDER BY number", (after,))

    def languages(self) -> list[str]:
        rows = self._db.execute("SELECT term FROM terms WHERE term >= ? AND term < '0'", (LANGUAGE,))
        return [term.removeprefix(LANGUAGE) for (term,) in rows]

    def postings(self, terms: Sequence[str]) -> Mapping[str, Blobs]:
        return {term: self._blobs(term) for term in terms}

    def members(self, label: str) -> list[int]:
        query = "SELECT d.number FROM labels l JOIN documents d ON d.page = l.page WHERE l.label = ?"
        return [number for (number,) in self._db.execute(query, (label,))]

    def in_domain(self, domain: str) -> list[int]:
        query = f"SELECT d.number FROM documents d JOIN pages p ON p.id = d.page WHERE {IN_DOMAIN}"  # noqa: S608
        return [number for (number,) in self._db.execute(query, {"domain": bare_domain(domain)})]

    def in_language(self, language: str) -> list[int]:
        query = "SELECT number FROM documents WHERE language = ?"
        return [number for (number,) in self._db.execute(query, (language,))]

    def words_from(self, prefix: str, limit: int) -> list[str]:
        rows = self._db.execute(
            "SELECT word FROM words WHERE word >= ? AND word < ? ORDER BY count DESC, word LIMIT ?",
            (prefix, prefix + "\U0010ffff", limit),
        )
        return [word for (word,) in rows]

    def counts(self, words: Sequence[str]) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for at in range(0, len(words), _AT_ONCE):
            some = words[at : at + _AT_ONCE]
            marks = ",".join("?" * len(some))
            found += self._db.execute(f"SELECT word, count FROM words WHERE word IN ({marks})", some).fetchall()  # noqa: S608
        return found

    def _blobs(self, term: str) -> Blobs:
        row = self._db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
        if row is None:
            return ()
        first = row[0] * BLOCKS
        query = "SELECT place - ?1, docs FROM postings WHERE place BETWEEN ?1 AND ?2"
        return self._db.execute(query, (first, first + BLOCKS - 1)).fetchall()
