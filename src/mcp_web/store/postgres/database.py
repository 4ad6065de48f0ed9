"""A connection to a PostgreSQL server, as the statements of `store/sql` use it: for the rows of one tenant."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from mcp_web.store.postgres.connect import Connection
from mcp_web.store.postgres.index_rows import PostgresIndexRows
from mcp_web.store.rows import Row, storable
from mcp_web.store.sql.database import BRACKETS, PLACEHOLDER, Database, row_names


class PostgresDatabase(Database):
    """A connection, and the id of the tenant whose rows its statements read and write."""

    def __init__(self, connection: Connection, tenant: int, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.connection = connection
        self.tenant = tenant
        self.execute = connection.execute  # for statements of this engine alone

    def rows(self, query: str, /, **values: Any) -> list[Row]:
        values["tenant"] = self.tenant
        return self.connection.execute(_translated(query), values, binary=True).fetchall()

    def run(self, query: str, /, **values: Any) -> int:
        values["tenant"] = self.tenant
        return self.connection.execute(_translated(query), values).rowcount

    def many(self, query: str, rows: Iterable[Sequence[Any]], /, **values: Any) -> list[Row]:
        names, columns = row_names(query, frozenset(values)), list(zip(*rows, strict=True))
        values["tenant"] = self.tenant
        if not columns:
            return []
        if " VALUES (" in query:
            values |= {name: list(column) for name, column in zip(names, columns, strict=True)}
            cursor = self.connection.execute(_insert_many(query, names), values, binary=True)
            return cursor.fetchall() if "RETURNING" in query else []
        given = [dict(zip(names, row, strict=True)) | values for row in zip(*columns, strict=True)]
        self.connection.cursor().executemany(_translated(query), given)
        return []

    def lock(self, name: str) -> None:
        self.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (name, self.tenant))

    def pipeline(self) -> AbstractContextManager[Any]:
        return self.connection.pipeline()

    def key_hash(self, key: str) -> bytes:
        """The SHA-256 of a key, by which its row is found: the key may be a URL that is too long for an index."""
        return hashlib.sha256(storable(key).encode()).digest()

    @property
    def index(self) -> PostgresIndexRows:
        return PostgresIndexRows(self)


@lru_cache(maxsize=512)
def _translated(query: str) -> str:
    """A statement of `store/sql` for the driver: `:name` as `%(name)s`, and the text in `[…]` without the brackets."""
    return PLACEHOLDER.sub(r"%(\1)s", BRACKETS.sub(r"\1", query.replace("%", "%%")))


@lru_cache(maxsize=128)
def _insert_many(query: str, names: tuple[str, ...]) -> str:
    """An INSERT of one row, rewritten to insert many with one message: these placeholders become lists of values."""
    head, _, rest = query.partition(" VALUES (")
    row, _, tail = rest.partition(")")
    values = _translated(re.sub(rf":({'|'.join(names)})\b", r"given.\1", row))
    lists = ", ".join(f"%({name})b" for name in names)  # binary, so that the driver names the types of the elements
    given = f"unnest({lists}) AS given ({', '.join(names)})"
    return f"{_translated(head)} SELECT {values} FROM {given}{_translated(tail)}"  # noqa: S608
