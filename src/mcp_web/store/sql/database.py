"""The interface of connections: what the statements of this package run on, in every engine.

A statement is written once, for tables in which every row belongs to a tenant, with placeholders such as `:key`. An
engine translates it when it is first used:

- `[tenant = :tenant AND]`: text in brackets is for an engine that keeps all tenants in one database; it knows
  the value of `:tenant`. An engine that keeps each tenant in a file of its own leaves the brackets out.
- `key = ANY(:keys)` compares with the values of a list.
- `key_hash` and `folded` are columns by which long keys and labels of any case are found; `key_hash()` and
  `labels.folded()` make their values. SQLite indexes `key` and `label` themselves.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_web.errors import CacheError
from mcp_web.store.rows import Row

if TYPE_CHECKING:
    from mcp_web.store.sql.index_rows import IndexRows

PLACEHOLDER = re.compile(r"(?<!:):([a-z_]+)")
BRACKETS = re.compile(r"\[([^\]]+)\]")


class Database(ABC):
    """One connection, on which statements read and write the rows of one tenant; `now` returns seconds since the
    epoch."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.now = clock

    @abstractmethod
    def rows(self, query: str, /, **values: Any) -> list[Row]:
        """Run a statement and return all its rows; `values` are those of its placeholders, by name."""

    @abstractmethod
    def run(self, query: str, /, **values: Any) -> int:
        """Run a statement that returns no rows; returns how many rows it changed."""

    @abstractmethod
    def many(self, query: str, rows: Iterable[Sequence[Any]], /, **values: Any) -> list[Row]:
        """Run a statement for each of the rows, which have the values of its placeholders in order; `values` are the
        same for all rows. Returns the rows that an INSERT with RETURNING returns, otherwise none."""

    @abstractmethod
    def lock(self, name: str) -> None:
        """Take the lock of this name until the end of the transaction; waits if another writer of this tenant has
        it."""

    @abstractmethod
    def pipeline(self) -> AbstractContextManager[Any]:
        """A context manager: statements in its block are sent without waiting for their results, where that is
        possible."""

    @abstractmethod
    def key_hash(self, key: str) -> str | bytes:
        """The value of the column `key_hash` for a key, by which its row is found."""

    @property
    @abstractmethod
    def index(self) -> IndexRows:
        """The rows of the word index, read and written over this connection."""

    def one(self, query: str, /, **values: Any) -> Row | None:
        """The first row of a statement; None if it has no rows."""
        found = self.rows(query, **values)
        return found[0] if found else None

    def value(self, query: str, /, **values: Any) -> Any:
        """The first value of the first row; None when there is no row."""
        found = self.rows(query, **values)
        return found[0][0] if found else None


@lru_cache(maxsize=512)
def row_names(query: str, common: frozenset[str]) -> tuple[str, ...]:
    """The names of a statement's placeholders in order, each once, without `:tenant` and those in `common`."""
    return tuple(name for name in dict.fromkeys(PLACEHOLDER.findall(query)) if name not in common and name != "tenant")


def read_only_error() -> CacheError:
    """The error for a write to a collection that another tenant shares."""
    return CacheError("This collection is shared by another tenant: it can be read, not changed.")
