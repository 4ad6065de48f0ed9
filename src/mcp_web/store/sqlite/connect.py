"""One connection to the file: pragmas, permissions, and what to do with a damaged file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from mcp_web import trace
from mcp_web.errors import CacheError
from mcp_web.file_lock import locked
from mcp_web.store.sqlite.schema import migrate

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def connect(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open the file, created or migrated if needed; a damaged one is moved aside first. Raises CacheError."""
    with translate_errors(path):
        # For the user only: the contents are private.
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        _set_aside_if_damaged(path, wait_seconds)
        try:
            return _open(path, wait_seconds)
        except sqlite3.DatabaseError as error:
            if _primary_code(error) not in _DAMAGED:
                raise
        _marker(path).touch()
        _set_aside_if_damaged(path, wait_seconds)
        return _open(path, wait_seconds)


def refuse_other_file(path: Path, wait_seconds: float) -> None:
    """Raise CacheError for a file that is damaged or no store: one that a user named is neither replaced nor given
    tables. A missing or empty file passes."""
    with translate_errors(path):
        if not path.exists() or path.stat().st_size == 0:
            return
        if not _is_damaged(path, wait_seconds):
            with closing(sqlite3.connect(path, timeout=wait_seconds)) as db:
                tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables or {"pages", "snapshots"} <= tables:
                return
    raise CacheError(
        f"{path} is not a store of mcp-web, or it is damaged.",
        suggestion="Name the SQLite file of a store. `sqlite3 FILE .recover` may rescue the rows of a damaged one.",
    )


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """A context manager: in its block, the errors of SQLite and of the file are raised as CacheError, which an operator
    can act on. One that means damage is noted in a file, so that the next start checks the whole store."""
    try:
        yield
    except sqlite3.Error as error:
        code = _primary_code(error)
        if code in _DAMAGED:
            with suppress(OSError):
                _marker(path).touch()
        raise _store_error(path, code, error) from error
    except OSError as error:
        raise CacheError(f"The store {path} cannot be used: {error.strerror or error}.") from error


def _store_error(path: Path, code: int, error: sqlite3.Error) -> CacheError:
    if code == sqlite3.SQLITE_FULL:
        return CacheError(
            f"The disk that holds the store {path} is full; what was kept before is safe, this page was not kept.",
            suggestion="Free disk space, or run `mcp-web cache purge`; pages can still be opened meanwhile.",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CacheError(
            f"Another process has been writing to the store {path} for too long.",
            suggestion="Try again in a moment.",
            retryable=True,
        )
    if code in _DAMAGED:
        return CacheError(
            f"The store {path} is damaged: {error}.",
            suggestion="Restart mcp-web: it checks the file, moves a damaged one aside and creates an empty one.",
        )
    if code == sqlite3.SQLITE_READONLY:
        return CacheError(f"The store {path} cannot be written: it or its folder is read-only.")
    if code == sqlite3.SQLITE_CANTOPEN:
        return CacheError(f"The store {path} cannot be opened: check that its folder exists and may be written.")
    return CacheError(f"The store {path} failed: {error}.")


def _primary_code(error: sqlite3.Error) -> int:
    """The result code of an SQLite error, without its extension; 0 if it has none."""
    code = getattr(error, "sqlite_errorcode", None)
    return int(code) & 0xFF if code is not None else 0


def _open(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open the file with the pragmas of the store, and give it the current tables; raises sqlite3.Error."""
    # One worker uses a connection at a time, but not always from the same thread.
    db = sqlite3.connect(path, timeout=wait_seconds, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only takes effect in a new file
        _enter_wal(db, wait_seconds)
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA journal_size_limit = 67108864")
        db.execute("PRAGMA temp_store = MEMORY")
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _enter_wal(db: sqlite3.Connection, wait_seconds: float) -> None:
    """Switch to WAL mode, retrying while another process does the same: the busy timeout does not apply to it."""
    ends = time.monotonic() + wait_seconds
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= ends:
                raise
            time.sleep(0.02)


def _marker(path: Path) -> Path:
    """The path of the file whose presence marks the store as damaged: the next start then checks the whole store."""
    return path.with_name(path.name + ".damaged")


def _set_aside_if_damaged(path: Path, wait_seconds: float) -> None:
    """If the file is damaged, rename it and its log, so that an empty one can be created."""
    if not _is_damaged(path, wait_seconds):
        return
    # Windows has no such lock, but refuses to rename an open file, which has the same effect.
    with locked(path.with_name(path.name + ".lock")):
        if not _is_damaged(path, wait_seconds):  # another process was quicker
            return
        stamp = time.strftime("%Y%m%d-%H%M%S")
        aside = path.with_name(f"{path.name}.damaged-{stamp}")
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{path}{suffix}", f"{aside}{suffix}")
        _marker(path).unlink(missing_ok=True)
        trace.log(
            "error",
            "store_damaged",
            moved_to=str(aside),
            note="The store was damaged; it was moved aside and replaced by an empty one. "
            "`sqlite3 FILE .recover` may rescue its rows.",
        )


def _is_damaged(path: Path, wait_seconds: float) -> bool:
    """Whether the file exists and is damaged. Only its header and list of tables are read, unless a process noted
    damage: then all of it, and the note is deleted if the file is sound."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    try:
        with closing(sqlite3.connect(path, timeout=wait_seconds, isolation_level=None)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if _marker(path).exists():
                if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                    return True
                _marker(path).unlink(missing_ok=True)
    except sqlite3.DatabaseError as error:
        if _primary_code(error) in _DAMAGED:
            return True
        raise
    return False
