"""How a statement of `store/sql` is translated for each engine."""

from __future__ import annotations

import sqlite3

import pytest

from mcp_web.store.postgres import database as postgres
from mcp_web.store.sql.database import row_names
from mcp_web.store.sqlite import database as sqlite

_NOTE = "SELECT value FROM notes WHERE [tenant = :tenant AND] kind = :kind AND key_hash = :key_hash"
_INSERT = "INSERT INTO labels ([tenant, folded,] label, page) VALUES ([:tenant, :folded,] :label, :page)"


@pytest.fixture
def db() -> sqlite.SqliteDatabase:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (key BLOB, word TEXT)")
    return sqlite.SqliteDatabase(connection)


def test_a_file_of_one_tenant_is_asked_without_the_tenant_and_by_the_columns_that_it_has() -> None:
    assert sqlite.translated(_NOTE, ()) == "SELECT value FROM notes WHERE  kind = :kind AND key = :key_hash"
    assert sqlite.translated(_INSERT, ()) == "INSERT INTO labels ( label, page) VALUES ( :label, :page)"


def test_a_server_is_asked_for_one_tenant_with_the_placeholders_of_its_driver() -> None:
    assert postgres._translated(_NOTE) == (
        "SELECT value FROM notes WHERE tenant = %(tenant)s AND kind = %(kind)s AND key_hash = %(key_hash)s"
    )
    assert postgres._translated("SELECT :a::text, '5 %'") == "SELECT %(a)s::text, '5 %%'"


def test_many_rows_are_one_statement_for_a_server() -> None:
    names = row_names(_INSERT, frozenset({"page"}))
    assert names == ("folded", "label")
    assert postgres._insert_many(_INSERT, names) == (
        "INSERT INTO labels (tenant, folded, label, page) SELECT %(tenant)s, given.folded, given.label, %(page)s"
        " FROM unnest(%(folded)b, %(label)b) AS given (folded, label)"
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_lists_of_blobs_and_of_texts_are_compared_with_each_value(db: sqlite.SqliteDatabase, count: int) -> None:
    words = ["a", 'quo"te\\', "ü😀"]
    db.many("INSERT INTO t (key, word) VALUES (:key, :word)", [(word.encode(), word) for word in words])
    query = "SELECT word FROM t WHERE key = ANY(:keys) OR word = ANY(:words)"
    assert [row[0] for row in db.rows(query, keys=[word.encode() for word in words[:count]], words=[])] == words[:count]
    assert [row[0] for row in db.rows(query, keys=[], words=words[:count])] == words[:count]


def test_a_list_may_be_longer_than_the_placeholders_that_a_statement_can_have(db: sqlite.SqliteDatabase) -> None:
    db.many("INSERT INTO t (word) VALUES (:word)", [("5",), ("299999",), ("x",)])
    words = [str(number) for number in range(300_000)]
    assert db.value("SELECT count(*) FROM t WHERE word = ANY(:words)", words=words) == 2
