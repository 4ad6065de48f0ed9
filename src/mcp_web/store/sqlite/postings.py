"""The index of words in SQLite (store/posting_blobs.py describes its form)."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping

from mcp_web.store.posting_blobs import DELETED_SHARE, additions, places_by_block, without
from mcp_web.store.prepare import Prepared

LANGUAGE = "/"  # and a code: a term without postings, which says that documents of this language are indexed
BLOCKS = 1 << 20  # blobs of one term: its number times this, plus the block's number, is the row


def add(db: sqlite3.Connection, page: int, version: int, prepared: Prepared) -> None:
    """Put the newest version of a page into the index, in place of the one before; nothing when it is there already."""
    facts = (
        version,
        prepared.length,
        prepared.day,
        prepared.snapshot.source,
        prepared.language,
        zlib.crc32(prepared.words) or 1,
    )
    query = "SELECT snapshot, length, day, source, language, mark FROM documents WHERE page = ?"
    if db.execute(query, (page,)).fetchone() == facts:
        return
    db.execute("DELETE FROM documents WHERE page = ?", (page,))
    number = db.execute(
        "INSERT INTO documents (page, snapshot, length, day, source, language, mark) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (page, *facts),
    ).lastrowid
    db.execute("INSERT INTO waiting VALUES (?, ?)", (number, prepared.words))


def unindexed(db: sqlite3.Connection, limit: int) -> list[str]:
    """The keys of documents that an older version indexed in another way."""
    rows = db.execute(
        "SELECT p.key FROM documents d JOIN pages p ON p.id = d.page WHERE d.mark = 0 ORDER BY d.number LIMIT ?",
        (limit,),
    )
    return [row[0].hex() for row in rows]


def waiting(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM waiting").fetchone()[0])


def merge(db: sqlite3.Connection) -> None:
    """Move everything that waits into the blobs."""
    found = additions(db.execute("SELECT number, words FROM waiting ORDER BY number"))
    if not found.last:
        return
    _append(db, found.lists)
    marks = ((LANGUAGE + code,) for code in found.languages)
    db.executemany("INSERT OR IGNORE INTO terms (term) VALUES (?)", marks)
    db.executemany(
        "INSERT INTO words VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET count = count + excluded.count",
        sorted(found.words.items()),
    )
    db.execute("DELETE FROM waiting")
    db.execute("UPDATE index_state SET merged = ?", (found.last,))


def drop_deleted(db: sqlite3.Connection) -> int:
    """When many documents were deleted, drop their postings; returns of how many documents."""
    living = db.execute("SELECT count(*) FROM documents").fetchone()[0]
    numbers = [row[0] for row in db.execute("SELECT number FROM deleted")]
    if not numbers or len(numbers) < DELETED_SHARE * (living + len(numbers)):
        return 0
    merge(db)
    _drop_postings(db, numbers)
    db.execute("DELETE FROM deleted")
    db.execute("UPDATE index_state SET epoch = epoch + 1")
    return len(numbers)


def _append(db: sqlite3.Connection, lists: Mapping[tuple[str, int], bytes]) -> None:
    terms = sorted({term for term, _ in lists})
    db.executemany("INSERT OR IGNORE INTO terms (term) VALUES (?)", ((term,) for term in terms))
    ids = {term: db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()[0] for term in terms}
    rows = sorted((ids[term] * BLOCKS + block, docs) for (term, block), docs in lists.items())
    # `||` makes text of its operands, so the bytes have to be called a blob again.
    db.executemany(
        "INSERT INTO postings VALUES (?, ?)"
        " ON CONFLICT (place) DO UPDATE SET docs = CAST(docs || excluded.docs AS BLOB)",
        rows,
    )


def _drop_postings(db: sqlite3.Connection, numbers: list[int]) -> None:
    deleted = places_by_block(numbers)
    last, read = -1, 1
    while read:
        # In parts: a whole index at once would not fit a small machine's memory.
        rows = db.execute("SELECT place, docs FROM postings WHERE place > ? ORDER BY place LIMIT 20000", (last,))
        changed: list[tuple[bytes, int]] = []
        read = 0
        for place, docs in rows:
            read, last = read + 1, place
            places = deleted.get(place % BLOCKS)
            if places and (left := without(docs, places)) is not None:
                changed.append((left, place))
        db.executemany("UPDATE postings SET docs = ? WHERE place = ?", changed)
    db.execute("DELETE FROM postings WHERE length(docs) = 0")
