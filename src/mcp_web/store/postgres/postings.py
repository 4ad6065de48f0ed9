"""The index of words in PostgreSQL (store/posting_blobs.py describes its form)."""

from __future__ import annotations

import zlib

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.posting_blobs import DELETED_SHARE, Additions, additions, places_by_block, without
from mcp_web.store.prepare import Prepared


def lock(db: Connection, tenant: int, documents: int = 0) -> int:
    """Take turns with other writers of the index: the first step of their transactions, so that none deadlocks, and
    numbers of documents become visible in their order. Returns the first of the numbers reserved for new documents."""
    row = db.execute(
        "UPDATE index_state SET version = version + 1, last = last + %s WHERE tenant = %s RETURNING last",
        (documents, tenant),
    ).fetchone()
    assert row is not None
    return int(row[0]) - documents + 1


def add(db: Connection, tenant: int, page: int, version: int, prepared: Prepared, number: int, *, is_new: bool) -> None:
    """Put the newest version of a page into the index, in place of the one before; nothing when it is there already."""
    facts = (
        version,
        prepared.length,
        prepared.day,
        prepared.snapshot.source,
        prepared.language,
        zlib.crc32(prepared.words) or 1,
    )
    query = "SELECT snapshot, length, day, source, language, mark FROM documents WHERE page = %s"
    if not is_new:
        if db.execute(query, (page,)).fetchone() == facts:
            return
        db.execute("DELETE FROM documents WHERE page = %s", (page,))
    db.execute(
        "INSERT INTO documents (tenant, number, page, snapshot, length, day, source, language, mark)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (tenant, number, page, *facts),
    )
    db.execute("INSERT INTO waiting (tenant, number, words) VALUES (%s, %s, %s)", (tenant, number, prepared.words))


def unindexed(db: Connection, tenant: int, limit: int) -> list[str]:
    """The keys of documents that an older version indexed in another way."""
    rows = db.execute(
        "SELECT p.key FROM documents d JOIN pages p ON p.id = d.page WHERE d.tenant = %s AND d.mark = 0"
        " ORDER BY d.number LIMIT %s",
        (tenant, limit),
    )
    return [row[0].hex() for row in rows]


def waiting(db: Connection, tenant: int) -> int:
    row = db.execute("SELECT count(*) FROM waiting WHERE tenant = %s", (tenant,)).fetchone()
    return int(row[0]) if row else 0


def merge(db: Connection, tenant: int) -> None:
    """Move everything that waits into the blobs; the lock is held."""
    rows = db.execute("SELECT number, words FROM waiting WHERE tenant = %s ORDER BY number", (tenant,))
    found = additions(rows.fetchall())
    if not found.last:
        return
    _append(db, tenant, found)
    db.execute(
        "INSERT INTO languages (tenant, code) SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING",
        (tenant, list(found.languages)),
    )
    words = sorted(found.words.items())
    db.execute(
        "INSERT INTO words (tenant, word, count) SELECT %s, * FROM unnest(%s::text[], %s::bigint[])"
        " ON CONFLICT (tenant, word) DO UPDATE SET count = words.count + excluded.count",
        (tenant, [word for word, _ in words], [count for _, count in words]),
    )
    db.execute("DELETE FROM waiting WHERE tenant = %s AND number <= %s", (tenant, found.last))
    db.execute("UPDATE index_state SET merged = %s WHERE tenant = %s", (found.last, tenant))


def drop_deleted(db: Connection, tenant: int) -> int:
    """When many documents were deleted, drop their postings; returns of how many documents. The lock is held."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM documents WHERE tenant = %(t)s),"
        " (SELECT count(*) FROM deleted WHERE tenant = %(t)s)",
        {"t": tenant},
    ).fetchone()
    assert row is not None
    living, gone = row
    if not gone or gone < DELETED_SHARE * (living + gone):
        return 0
    merge(db, tenant)
    numbers = [one for (one,) in db.execute("SELECT number FROM deleted WHERE tenant = %s", (tenant,))]
    _drop_postings(db, tenant, numbers)
    db.execute("DELETE FROM deleted WHERE tenant = %s", (tenant,))
    db.execute("UPDATE index_state SET epoch = epoch + 1 WHERE tenant = %s", (tenant,))
    return len(numbers)


def _append(db: Connection, tenant: int, found: Additions) -> None:
    terms = sorted({term for term, _ in found.lists})
    db.execute("INSERT INTO terms (tenant, term) SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING", (tenant, terms))
    query = "SELECT term, id FROM terms WHERE tenant = %s AND term = ANY(%s)"
    ids: dict[str, int] = dict(db.execute(query, (tenant, terms)).fetchall())
    rows = sorted((ids[term], block, docs) for (term, block), docs in found.lists.items())
    db.execute(
        "INSERT INTO postings (tenant, term, block, docs)"
        " SELECT %s, * FROM unnest(%s::bigint[], %s::int[], %s::bytea[])"
        " ON CONFLICT (term, block) DO UPDATE SET docs = postings.docs || excluded.docs",
        (tenant, *([row[at] for row in rows] for at in range(3))),
    )


def _drop_postings(db: Connection, tenant: int, numbers: list[int]) -> None:
    deleted = places_by_block(numbers)
    after, rows = (0, -1), [(0, -1, b"")]
    while rows:
        # In parts: a whole index at once would not fit a small machine's memory.
        rows = db.execute(
            "SELECT term, block, docs FROM postings WHERE tenant = %s AND (term, block) > (%s, %s)"
            " AND block = ANY(%s) ORDER BY term, block LIMIT 5000",
            (tenant, *after, list(deleted)),
        ).fetchall()
        for term, block, docs in rows:
            if (left := without(docs, deleted[block])) is not None:
                query = "UPDATE postings SET docs = %s WHERE term = %s AND block = %s"
                db.execute(query, (left, term, block))
            after = term, block
    db.execute("DELETE FROM postings WHERE tenant = %s AND length(docs) = 0", (tenant,))
