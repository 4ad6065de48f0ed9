"""Fills PostgreSQL from a SQLite archive row by row, without deriving anything again: both keep the same rows.

`mcp-web store copy` derives and verifies every page; this is for benches that want many documents soon.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg

from mcp_web.store.quantized import codes_of
from mcp_web.store.sqlite.index_rows import BLOCKS, LANGUAGE

# Of each table the columns that both stores have; what differs is below.
_SAME = {
    "pages": "id, key, url, final_url, host, variant, source, path, tags, newest, used_at, bytes",
    "snapshots": "id, page, hash, title, chars, fetched_at, checked_at, fresh_until, status, etag, last_modified,"
    " media_type, answer, facts, text, since",
    "documents": "number, page, snapshot, length, day, source, mark, language",
    "names": "name, page",
    "mentions": "page, name, url, kind, start, finish, confidence",
    "words": "word, count",
    "deleted": "number",
    "vectors": "page, model, dim, version, digests, data",
}
Server = psycopg.Connection[Any]


def fill(source: Path, db: Server, tenant: int) -> None:
    """Copy every page into a database with empty tables; `db` is a superuser's, since row security forbids COPY."""
    db.execute("SET search_path = mcp_web, public")
    local = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    with db.transaction():
        for table, columns in _SAME.items():
            more = ", authenticated" if table == "snapshots" else ""
            rows = local.execute(f"SELECT {columns}{', authenticated <> 0' if more else ''} FROM {table}")
            _copy(db, tenant, table, columns + more, map(_plain, rows) if more else rows)
        _copy_index(local, db, tenant)
        _copy_passages(local, db, tenant)
        for table in ("pages", "snapshots", "terms"):
            db.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
    db.execute("VACUUM ANALYZE")


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[:-1], bool(row[-1]))


def _copy_index(local: sqlite3.Connection, db: Server, tenant: int) -> None:
    terms = local.execute("SELECT id, term FROM terms").fetchall()
    _copy(db, tenant, "terms", "id, term", (row for row in terms if not row[1].startswith(LANGUAGE)))
    languages = (term.removeprefix(LANGUAGE) for _, term in terms if term.startswith(LANGUAGE))
    _copy(db, tenant, "languages", "code", ((code,) for code in languages))
    rows = local.execute("SELECT place, docs FROM postings")
    _copy(db, tenant, "postings", "term, block, docs", ((at // BLOCKS, at % BLOCKS, docs) for at, docs in rows))
    epoch, merged = local.execute("SELECT epoch, merged FROM index_state").fetchone()
    last = local.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()[0]
    db.execute(
        "UPDATE index_state SET epoch = %s, merged = %s, last = %s, version = version + 1 WHERE tenant = %s",
        (epoch, merged, last, tenant),
    )


def _copy_passages(local: sqlite3.Connection, db: Server, tenant: int) -> None:
    for name, dim in local.execute("SELECT DISTINCT model, dim FROM vectors").fetchall():
        query = "INSERT INTO models (tenant, name, dim) VALUES (%s, %s, %s) RETURNING id"
        model = db.execute(query, (tenant, name, dim)).fetchone()[0]  # type: ignore[index]
        pages = local.execute("SELECT page, data FROM vectors WHERE model = ? AND dim = ? AND data <> x''", (name, dim))
        rows = (
            (page, model, place, f"[{','.join(map(str, code))}]")
            for page, data in pages
            for place, code in enumerate(codes_of(data, dim).tolist())
            if any(code)
        )
        _copy(db, tenant, "passages", "page, model, place, embedding", rows)


def _copy(db: Server, tenant: int, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with db.cursor().copy(f"COPY {table} (tenant, {columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row((tenant, *row))
