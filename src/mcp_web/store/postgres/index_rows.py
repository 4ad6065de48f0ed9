"""What the index of words reads, from PostgreSQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.postgres.labels import folded
from mcp_web.store.postgres.pages import IN_DOMAIN
from mcp_web.store.rows import bare_domain, storable
from mcp_web.store.word_index import Blobs


class PostgresIndexRows:
    def __init__(self, db: Connection, tenant: int) -> None:
        self._db = db
        self._tenant = tenant

    def version(self) -> int:
        row = self._db.execute("SELECT version FROM index_state WHERE tenant = %s", (self._tenant,)).fetchone()
        return int(row[0]) if row else 0

    def state(self) -> tuple[int, int, int]:
        query = "SELECT epoch, merged, last FROM index_state WHERE tenant = %s"
        row = self._db.execute(query, (self._tenant,)).fetchone()
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

    def documents(self, after: int) -> list[tuple[int, int, int, int, str, bytes]]:
        return self._db.execute(
            "SELECT d.number, 0, d.length, d.day, d.source, p.key FROM documents d JOIN pages p ON p.id = d.page"
            " WHERE d.tenant = %s AND d.number > %s ORDER BY d.number",
            (self._tenant, after),
        ).fetchall()

    def deleted(self, after: int) -> list[tuple[int, int]]:
        query = "SELECT seq, number FROM deleted WHERE tenant = %s AND seq > %s ORDER BY seq"
        return [(row[0], row[1]) for row in self._db.execute(query, (self._tenant, after))]

    def waiting(self, after: int) -> Iterable[tuple[int, bytes]]:
        query = "SELECT number, words FROM waiting WHERE tenant = %s AND number > %s ORDER BY number"
        return [(row[0], row[1]) for row in self._db.execute(query, (self._tenant, after))]

    def languages(self) -> list[str]:
        return [row[0] for row in self._db.execute("SELECT code FROM languages WHERE tenant = %s", (self._tenant,))]

    def postings(self, terms: Sequence[str]) -> Mapping[str, Blobs]:
        found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        query = (
            "SELECT t.term, p.block, p.docs FROM terms t JOIN postings p ON p.term = t.id"
            " WHERE t.tenant = %s AND t.term = ANY(%s) ORDER BY t.term, p.block"
        )
        wanted = {storable(term): term for term in terms}
        for term, block, docs in self._db.execute(query, (self._tenant, list(wanted)), binary=True):
            found[wanted[term]].append((block, docs))
        return found

    def members(self, label: str) -> list[int]:
        query = (
            "SELECT d.number FROM labels l JOIN documents d ON d.page = l.page WHERE l.tenant = %s AND l.folded = %s"
        )
        return [row[0] for row in self._db.execute(query, (self._tenant, folded(label)))]

    def in_domain(self, domain: str) -> list[int]:
        query = (
            "SELECT d.number FROM documents d JOIN pages p ON p.id = d.page"  # noqa: S608
            f" WHERE d.tenant = %(tenant)s AND {IN_DOMAIN}"
        )
        values = {"tenant": self._tenant, "domain": bare_domain(domain)}
        return [row[0] for row in self._db.execute(query, values)]

    def in_language(self, language: str) -> list[int]:
        query = "SELECT number FROM documents WHERE tenant = %s AND language = %s"
        return [row[0] for row in self._db.execute(query, (self._tenant, language))]

    def words_from(self, prefix: str, limit: int) -> list[str]:
        query = (
            "SELECT word FROM words WHERE tenant = %s AND word >= %s AND word < %s ORDER BY count DESC, word LIMIT %s"
        )
        start = storable(prefix)
        return [row[0] for row in self._db.execute(query, (self._tenant, start, start + "\U0010ffff", limit))]

    def counts(self, words: Sequence[str]) -> list[tuple[str, int]]:
        query = "SELECT word, count FROM words WHERE tenant = %s AND word = ANY(%s)"
        wanted = [storable(word) for word in words]
        return [(row[0], row[1]) for row in self._db.execute(query, (self._tenant, wanted))]
