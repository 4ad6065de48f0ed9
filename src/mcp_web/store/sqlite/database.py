"""A connection to a SQLite file, as the statements of `store/sql` use it. A file is one tenant's."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from mcp_web.store.rows import Row, storable
from mcp_web.store.sql.database import BRACKETS, Database, row_names
from mcp_web.store.sqlite.index_rows import SqliteIndexRows

_ANY = re.compile(r"= ANY\(:([a-z_]+)\)")
# In SQLite these columns do not exist: the key and the label themselves are indexed, labels without case.
_COLUMNS = {re.compile(r"(?<!:)\bkey_hash\b"): "key", re.compile(r"(?<!:)\bfolded\b"): "label"}


class SqliteDatabase(Database):
    """A connection to the file of one tenant."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        super().__init__(clock)
        self.connection = connection
        self.execute = connection.execute  # for statements of this engine alone

    def rows(self, query: str, /, **values: Any) -> list[Row]:
        return self._execute(query, values).fetchall()

    def run(self, query: str, /, **values: Any) -> int:
        return self._execute(query, values).rowcount

    def many(self, query: str, rows: Iterable[Sequence[Any]], /, **values: Any) -> list[Row]:
        names = (*row_names(query, frozenset(values)), *values)
        given = ((*row, *values.values()) for row in rows)
        if "RETURNING" in query:  # which `executemany` does not allow
            dicts = (dict(zip(names, row, strict=True)) for row in given)
            return [found for one in dicts for found in self._execute(query, one).fetchall()]
        self.connection.executemany(_numbered(query, names), given)
        return []

    def lock(self, name: str) -> None:
        """Nothing to do: SQLite allows only one write transaction at a time."""

    def pipeline(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def key_hash(self, key: str) -> str:
        return storable(key)

    @property
    def index(self) -> SqliteIndexRows:
        return SqliteIndexRows(self)

    def _execute(self, query: str, values: dict[str, Any]) -> sqlite3.Cursor:
        """Run a statement with these values of its placeholders, by name; changes `values`."""
        # A list is passed as JSON, so that the statement stays the same; a list of blobs, which JSON cannot hold, as
        # one value for each.
        blobs = []
        for name, value in values.items():
            if isinstance(value, list):
                if value and isinstance(value[0], bytes):
                    blobs.append((name, len(value)))
                else:
                    values[name] = json.dumps(value, ensure_ascii=False)
        for name, _ in blobs:
            values |= {f"{name}_{at}": blob for at, blob in enumerate(values.pop(name))}
        return self.connection.execute(translated(query, tuple(blobs)), values)


@lru_cache(maxsize=512)
def translated(query: str, blobs: tuple[tuple[str, int], ...]) -> str:
    """A statement of `store/sql` as SQLite reads it; `blobs` are the names and lengths of its lists of blobs."""
    query = BRACKETS.sub("", query)
    for column, own in _COLUMNS.items():
        query = column.sub(own, query)
    for name, count in blobs:
        query = query.replace(f"= ANY(:{name})", f"IN ({', '.join(f':{name}_{at}' for at in range(count))})")
    return _ANY.sub(r"IN (SELECT value FROM json_each(:\1))", query)


@lru_cache(maxsize=128)
def _numbered(query: str, names: tuple[str, ...]) -> str:
    """A statement with its placeholders numbered, in the order of these names: faster for many rows than named ones."""
    query = translated(query, ())
    for at, name in enumerate(names, start=1):
        query = re.sub(rf":{name}\b", f"?{at}", query)
    return query
