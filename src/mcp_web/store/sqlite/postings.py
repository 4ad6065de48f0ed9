"""The words index on disk.

FTS5 answers a long question about 100,000 documents in a tenth of a second and more, because it scores row by row.
Here the postings of a term lie in blobs of three bytes each (place in the block, weight), so that a whole list is
scored in one numpy step (lookup.py). They live in ordinary tables: one file, one transaction with the page itself,
any number of processes.

A kept document waits as one row of word counts; a few hundred at once are merged into the blobs. Numbers of documents
are never used twice: a document that goes is only marked dead, and `sweep` drops its postings later.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Mapping

from mcp_web.store.pack import unpack_json
from mcp_web.store.prepare import Prepared
from mcp_web.text.words import fold, terms

LANGUAGE = "/"  # and a code: a term without postings, which says that documents of this language are indexed
MOST_TF = 255  # BM25 saturates long before; one byte in the index
BLOCK = 1 << 14  # documents in one blob: below 65,536, so that a place fits two bytes
BLOCKS = 1 << 20  # blobs of one term: its number times this, plus the block's number, is the row

# A merge rewrites the blobs of common terms: more at once is cheaper on the whole, fewer holds the file for less time.
MERGE_AT = 256


def term_weights(language: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Word counts of a document as the weights of the terms that it is found by."""
    weights: dict[str, int] = {}
    for word, count in counts.items():
        for term in terms(word, language):
            weights[term] = weights[term] + count if term in weights else count
    return weights


def add(db: sqlite3.Connection, page: int, version: int, prepared: Prepared) -> None:
    """Put the newest version of a page into the index, in place of the one before; nothing when it is there already."""
    facts = (version, prepared.length, prepared.day, prepared.snapshot.source, zlib.crc32(prepared.words) or 1)
    known = db.execute("SELECT snapshot, length, day, source, mark FROM documents WHERE page = ?", (page,)).fetchone()
    if known == facts:
        return
    _insert(db, page, facts, prepared.words)


def unindexed(db: sqlite3.Connection, limit: int) -> list[str]:
    """The keys of documents that an older version indexed in another way."""
    rows = db.execute(
        "SELECT p.key FROM documents d JOIN pages p ON p.id = d.page WHERE d.mark = 0 ORDER BY d.number LIMIT ?",
        (limit,),
    )
    return [row[0].hex() for row in rows]


def _insert(db: sqlite3.Connection, page: int, facts: tuple[int, int, int, str, int], words: bytes) -> None:
    db.execute("DELETE FROM documents WHERE page = ?", (page,))
    number = db.execute(
        "INSERT INTO documents (page, snapshot, length, day, source, mark) VALUES (?, ?, ?, ?, ?, ?)", (page, *facts)
    ).lastrowid
    db.execute("INSERT INTO waiting VALUES (?, ?)", (number, words))


def waiting(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM waiting").fetchone()[0])


def merge(db: sqlite3.Connection) -> None:
    """Move everything that waits into the blobs."""
    lists: dict[tuple[str, int], bytearray] = defaultdict(bytearray)
    vocabulary: dict[str, int] = defaultdict(int)
    languages: set[str] = set()
    merged = 0
    for number, blob in db.execute("SELECT number, words FROM waiting ORDER BY number"):
        language, counts = unpack_json(blob)
        languages.add(language)
        block, at = divmod(number, BLOCK)
        entries = [at.to_bytes(2, "little") + bytes((weight,)) for weight in range(MOST_TF + 1)]
        for term, weight in term_weights(language, counts).items():
            lists[term, block] += entries[weight if weight < MOST_TF else MOST_TF]
        for word in set(map(fold, counts)):
            vocabulary[word] += 1
        merged = number
    if not merged:
        return
    _append(db, lists)
    db.executemany("INSERT OR IGNORE INTO terms (term) VALUES (?)", ((LANGUAGE + code,) for code in sorted(languages)))
    db.executemany(
        "INSERT INTO words VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET count = count + excluded.count",
        sorted(vocabulary.items()),
    )
    db.execute("DELETE FROM waiting")
    db.execute("UPDATE index_state SET merged = ?", (merged,))


def sweep(db: sqlite3.Connection, share: float = 0.3) -> int:
    """When many documents died, drop their postings; answers how many documents were swept."""
    living = db.execute("SELECT count(*) FROM documents").fetchone()[0]
    numbers = [row[0] for row in db.execute("SELECT number FROM dead")]
    if not numbers or len(numbers) < share * (living + len(numbers)):
        return 0
    merge(db)
    _drop_postings(db, numbers)
    db.execute("DELETE FROM dead")
    db.execute("UPDATE index_state SET epoch = epoch + 1")
    return len(numbers)


def clear(db: sqlite3.Connection) -> None:
    """Forget the whole index; the documents themselves stay."""
    for table in ("documents", "waiting", "dead", "terms", "postings", "words"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608
    db.execute("UPDATE index_state SET epoch = epoch + 1, merged = 0")


def _append(db: sqlite3.Connection, lists: Mapping[tuple[str, int], bytearray]) -> None:
    terms = sorted({term for term, _ in lists})
    db.executemany("INSERT OR IGNORE INTO terms (term) VALUES (?)", ((term,) for term in terms))
    ids = {term: db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()[0] for term in terms}
    rows = sorted((ids[term] * BLOCKS + block, bytes(docs)) for (term, block), docs in lists.items())
    # `||` makes text of its operands, so the bytes have to be called a blob again.
    db.executemany(
        "INSERT INTO postings VALUES (?, ?)"
        " ON CONFLICT (place) DO UPDATE SET docs = CAST(docs || excluded.docs AS BLOB)",
        rows,
    )


def _drop_postings(db: sqlite3.Connection, numbers: list[int]) -> None:
    from mcp_web.store.sqlite.score import without

    dead: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        dead[number // BLOCK].append(number % BLOCK)
    last, read = -1, 1
    while read:
        # In slices: a whole index at once would not fit a small machine's memory.
        rows = db.execute("SELECT place, docs FROM postings WHERE place > ? ORDER BY place LIMIT 20000", (last,))
        changed: list[tuple[bytes, int]] = []
        read = 0
        for place, docs in rows:
            read, last = read + 1, place
            gone = dead.get(place % BLOCKS)
            if gone and (left := without(docs, gone)) is not None:
                changed.append((left, place))
        db.executemany("UPDATE postings SET docs = ? WHERE place = ?", changed)
    db.execute("DELETE FROM postings WHERE length(docs) = 0")
