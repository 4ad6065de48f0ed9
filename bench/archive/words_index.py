"""Three ways to keep the index of words in PostgreSQL.  python -m bench.archive.words_index [DOCUMENTS [FILE]]

Blobs of postings (as the product does), a row for each posting under a B-tree, and arrays of stems under a GIN index
with the counts beside them. All hold the same stems and are asked the same questions; the second and third find
candidates by the rarest words of a question and score them with the same BM25. Server and client are on one machine.
FILE: a SQLite archive of so many documents that another bench made.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import anyio
import numpy as np
import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from bench.archive.__main__ import _load
from bench.archive.bulk import fill
from bench.archive.corpus import available, documents, questions
from mcp_web.store.postgres.store import PostgresStore
from mcp_web.store.posting_blobs import BLOCK
from mcp_web.store.protocol import WordQuery
from mcp_web.store.scoring import POSTING
from mcp_web.store.sqlite.index_rows import BLOCKS
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.text.bm25 import DOCUMENTS
from mcp_web.text.words import query_terms
from store.postgres_server import PostgresServer, running

Database = psycopg.Connection[tuple[object, ...]]
ASKED, LIMIT, CANDIDATES = 100, 50, 2000
K1, B = 1.2, 0.75

TABLES = """
CREATE TABLE posting_rows (term text COLLATE "C", doc integer, weight smallint);
CREATE TABLE stem_arrays (doc integer PRIMARY KEY, length integer, stems text[], weights smallint[]);
"""
INDEXES = """
CREATE INDEX ON posting_rows (term) INCLUDE (doc, weight);
CREATE INDEX ON stem_arrays USING gin (stems);
VACUUM ANALYZE posting_rows;
VACUUM ANALYZE stem_arrays;
"""


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder, running() as server:
        file = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "archive.sqlite"
        anyio.run(_measure, count, file, server)


async def _measure(count: int, file: Path, server: PostgresServer) -> None:
    made = list(documents(count))
    local = await SqliteStore.open(file)
    if not (await local.size()).pages:
        await _load(local, made)
    await local.close()
    address = server.database()
    store = await PostgresStore.open(address)
    name = address.rpartition("/")[2]
    with server.superuser(name) as db:
        fill(file, db, store.tenant)
    asked = questions(made, ASKED)
    times = []
    for words in [*asked, *asked]:  # the second time the lists are in memory
        begun = time.perf_counter()
        await store.find_by_words(WordQuery(tuple(words)), LIMIT)
        times.append((time.perf_counter() - begun) * 1000)
    _show("blobs of postings, read from the server", times[: len(asked)])
    _show("blobs of postings, in memory", times[len(asked) :])
    await store.close()
    with server.superuser(name) as db:
        _compare(db, _weights(file), asked)


def _compare(db: Database, weights: dict[int, dict[str, int]], asked: list[list[str]]) -> None:
    db.execute(TABLES)
    _fill(db, weights)
    counts = Counter(term for one in weights.values() for term in one)
    lengths = {doc: sum(one.values()) for doc, one in weights.items()}
    average = sum(lengths.values()) / len(lengths)
    terms = [[term for word in words for term in query_terms(word, ("en",))] for words in asked]
    _ask(db, "posting rows", terms, lambda db, one: _by_rows(db, one, counts, lengths, average))
    _ask(db, "GIN over stems", terms, lambda db, one: _by_arrays(db, one, counts, len(lengths), average))
    for label, tables in (
        ("blobs", ("mcp_web.postings", "mcp_web.terms")),
        ("rows", ("posting_rows",)),
        ("GIN", ("stem_arrays",)),
    ):
        size = sum(_size(db, table) for table in tables)
        print(f"{label}: {size / 1e6:.0f} MB")


def _weights(file: Path) -> dict[int, dict[str, int]]:
    """The weight of each term in each document, read back from the posting lists."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    terms = dict(db.execute("SELECT id, term FROM terms"))
    for at, docs in db.execute("SELECT place, docs FROM postings"):
        term, begin = terms[at // BLOCKS], at % BLOCKS * BLOCK
        rows = np.frombuffer(docs, POSTING)
        for place, weight in zip(rows["at"].tolist(), rows["weight"].tolist(), strict=True):
            found[begin + place][term] = weight
    return found


def _fill(db: Database, weights: dict[int, dict[str, int]]) -> None:
    begun = time.perf_counter()
    with db.cursor().copy("COPY posting_rows FROM STDIN") as copy:
        for doc, one in weights.items():
            for term, weight in one.items():
                copy.write_row((term, doc, weight))
    rows = time.perf_counter() - begun
    with db.cursor().copy("COPY stem_arrays FROM STDIN") as copy:
        for doc, one in weights.items():
            copy.write_row((doc, sum(one.values()), list(one), list(one.values())))
    for statement in INDEXES.strip().split(";\n"):
        begun = time.perf_counter()
        db.execute(statement)
        print(f"{statement.rstrip(';')}: {time.perf_counter() - begun:.1f} s")
    print(f"copied, rows of postings {rows:.0f} s")


def _ask(db: Database, name: str, asked: list[list[str]], find: Callable[[Database, list[str]], object]) -> None:
    times = []
    for terms in [*asked[:5], *asked]:
        begun = time.perf_counter()
        find(db, terms)
        times.append((time.perf_counter() - begun) * 1000)
    _show(name, times[5:])


def _show(name: str, times: list[float]) -> None:
    times.sort()
    print(f"{name}: p50 {statistics.median(times):.1f} ms, p95 {times[int(0.95 * len(times))]:.1f} ms", flush=True)


def _rare(terms: list[str], counts: Counter[str]) -> list[str]:
    """The rarest words, as many as name enough candidates."""
    chosen: list[str] = []
    for term in sorted(set(terms) & counts.keys(), key=lambda term: counts[term]):
        if chosen and sum(counts[one] for one in chosen) + counts[term] > CANDIDATES:
            break
        chosen.append(term)
    return chosen


def _by_rows(
    db: Database, terms: list[str], counts: Counter[str], lengths: dict[int, int], average: float
) -> list[int]:
    query = "SELECT term, doc, weight FROM posting_rows WHERE term = ANY(%s)"
    scores: Counter[int] = Counter()
    for term, doc, weight in db.execute(query, (terms,), binary=True, prepare=True):
        scores[doc] += _score(weight, lengths[doc], average, DOCUMENTS.rarity(counts[term], len(lengths)))  # type: ignore[index,arg-type,assignment]
    return [doc for doc, _ in scores.most_common(LIMIT)]


def _by_arrays(db: Database, terms: list[str], counts: Counter[str], documents: int, average: float) -> list[int]:
    query = "SELECT doc, length, stems, weights FROM stem_arrays WHERE stems && %s"
    wanted = {term: DOCUMENTS.rarity(counts[term], documents) for term in terms if term in counts}
    scores: Counter[int] = Counter()
    for doc, length, stems, weights in db.execute(query, (_rare(terms, counts),), binary=True, prepare=True):
        for stem, weight in zip(stems, weights, strict=True):  # type: ignore[call-overload]
            if stem in wanted:
                scores[doc] += _score(weight, length, average, wanted[stem])  # type: ignore[index,arg-type,assignment]
    return [doc for doc, _ in scores.most_common(LIMIT)]


def _score(weight: int, length: int, average: float, value: float) -> float:
    return value * weight * (K1 + 1) / (weight + K1 * (1 - B + B * length / average))


def _size(db: Database, table: str) -> int:
    row = db.execute("SELECT pg_total_relation_size(%s::regclass)", (table,)).fetchone()
    return int(row[0]) if row else 0  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
