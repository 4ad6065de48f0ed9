"""Runs functions with a connection in a worker thread, because SQLite blocks."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from mcp_web import trace
from mcp_web.errors import CacheError
from mcp_web.store.sql.database import read_only_error
from mcp_web.store.sqlite.connect import connect, translate_errors
from mcp_web.store.sqlite.database import SqliteDatabase
from mcp_web.store.sqlite.shares import restrict

T = TypeVar("T")
_SHRINK_PAGES = 25_000  # pages released at a time, 100 MB: other processes want to write too


class ConnectionWorker:
    """One connection to an SQLite file. It runs the functions that use it one at a time, each in a worker thread."""

    def __init__(
        self,
        path: Path,
        wait_seconds: float,
        cache_bytes: int,
        on_replaced: Callable[[], None],
        collections: Sequence[str] | None,
        clock: Callable[[], float],
    ) -> None:
        """`wait_seconds`: how long a statement waits while another process writes.

        `on_replaced` is called when the path refers to another file, so that caches of the old one can be cleared.
        With `collections` the connection sees only their documents and cannot write.
        """
        self._path = path
        self._cache_bytes = cache_bytes
        self._wait_seconds = wait_seconds
        self._limiter = anyio.CapacityLimiter(1)
        self._db: SqliteDatabase | None = None
        self._file: tuple[int, int] | None = None  # which file the connection has open
        self._on_replaced = on_replaced
        self._collections = collections
        self._clock = clock
        self._closed = False

    async def read(self, work: Callable[[SqliteDatabase], T]) -> T:
        """Run a function over one consistent state of the file; raises CacheError."""
        return await anyio.to_thread.run_sync(self._run_in_transaction, "BEGIN", work, limiter=self._limiter)

    async def write(self, work: Callable[[SqliteDatabase], T]) -> T:
        """Run a function in one transaction, which is rolled back if it raises; raises CacheError."""
        if self._collections is not None:
            raise read_only_error()
        return await anyio.to_thread.run_sync(self._run_in_transaction, "BEGIN IMMEDIATE", work, limiter=self._limiter)

    async def write_if_free(self, work: Callable[[SqliteDatabase], None]) -> None:
        """Run a function in a transaction; skipped, and logged, when another process is writing or the store fails."""
        await anyio.to_thread.run_sync(self._write_if_free, work, limiter=self._limiter)

    async def release_free_pages(self) -> None:
        """Give disk space back: cut free pages off the file, at most 100 MB of them, and empty the write-ahead log."""
        await anyio.to_thread.run_sync(self._release_free_pages, limiter=self._limiter)

    async def open(self) -> None:
        """Connect, which creates or migrates the file; otherwise the first call does."""
        await anyio.to_thread.run_sync(self._connection, limiter=self._limiter)

    async def close(self) -> None:
        # A cancelled shutdown still closes its file.
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._close, limiter=self._limiter)

    def _connection(self) -> SqliteDatabase:
        """The open connection; connects first, or again if the path refers to another file now. Raises CacheError."""
        if self._closed:
            raise CacheError(f"The store {self._path} has been closed.")
        if self._db is not None and self._file != _identity(self._path):
            # Deleted or moved while open: what is written to the old file would be lost.
            with contextlib.suppress(sqlite3.Error):
                self._db.connection.close()
            self._db = None
            self._on_replaced()
        if self._db is None:
            self._db = SqliteDatabase(connect(self._path, self._wait_seconds), self._clock)
            self._file = _identity(self._path)
            self._db.execute(f"PRAGMA cache_size = -{self._cache_bytes >> 10}")
            if self._collections is not None:
                restrict(self._db.connection, self._collections)
        return self._db

    def _run_in_transaction(self, begin: str, work: Callable[[SqliteDatabase], T]) -> T:
        """Run a function in the transaction that the statement `begin` starts; it is rolled back if the function
        raises."""
        db = self._connection()
        with translate_errors(self._path):
            db.execute(begin)
            try:
                result = work(db)
                db.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if db.connection.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return result

    def _write_if_free(self, work: Callable[[SqliteDatabase], None]) -> None:
        try:
            with self._without_waiting(self._connection()):
                self._run_in_transaction("BEGIN IMMEDIATE", work)
        except CacheError as error:
            trace.log("debug", "store_skipped", note=str(error))

    @contextlib.contextmanager
    def _without_waiting(self, db: SqliteDatabase) -> Iterator[None]:
        """A context manager: in its block, a statement that needs a lock of another connection fails at once."""
        db.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            db.execute(f"PRAGMA busy_timeout = {int(self._wait_seconds * 1000)}")

    def _release_free_pages(self) -> None:
        db = self._connection()
        with translate_errors(self._path):
            # `execute` steps a pragma once, which frees one page; a script runs to its end.
            db.connection.executescript(f"PRAGMA incremental_vacuum({_SHRINK_PAGES});")
            # The log keeps the size of the largest transaction. While another connection reads it, it is left as it is.
            with self._without_waiting(db):
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _close(self) -> None:
        self._closed = True
        if self._db is not None:
            with translate_errors(self._path):
                self._db.connection.close()
            self._db = None


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another at the same path: its device and inode; None if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
