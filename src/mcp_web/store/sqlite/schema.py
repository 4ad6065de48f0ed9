"""The tables of a SQLite file."""

from __future__ import annotations

import re
import sqlite3

from mcp_web.errors import ConfigError
from mcp_web.store.sql.schema import TABLES, Layout
from mcp_web.store.sqlite.database import translated

# `version` in `vectors` is the row number of the version that they belong to, or 0 if they are incomplete. A document
# whose `mark` is 0 is indexed again before the next search: a step that changes what is indexed sets it. The shares are
# those of all tenants, in the file of the default one.
_OWN_TABLES = """
CREATE INDEX snapshots_fetched ON snapshots (fetched_at);
CREATE TABLE vectors (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  dim INTEGER NOT NULL,
  version INTEGER NOT NULL,
  digests BLOB NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (page, model)
) STRICT;
CREATE TABLE labels (
  label TEXT NOT NULL COLLATE NOCASE,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY (label, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_page ON labels (page);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL UNIQUE REFERENCES pages (id) ON DELETE CASCADE,
  snapshot INTEGER NOT NULL,
  length INTEGER NOT NULL,
  day INTEGER NOT NULL,
  source TEXT NOT NULL,
  mark INTEGER NOT NULL DEFAULT 0,
  language TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX documents_unindexed ON documents (number) WHERE mark = 0;
CREATE TABLE waiting (
  number INTEGER PRIMARY KEY,
  words BLOB NOT NULL
) STRICT;
CREATE TRIGGER document_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO deleted (number) VALUES (old.number);
  DELETE FROM waiting WHERE number = old.number;
END;
CREATE TABLE postings (
  place INTEGER PRIMARY KEY,
  docs BLOB NOT NULL
) STRICT;
CREATE TABLE index_state (
  epoch INTEGER NOT NULL,
  merged INTEGER NOT NULL
) STRICT;
INSERT INTO index_state VALUES (1, 0);
CREATE TABLE shares (
  owner TEXT NOT NULL,
  collection TEXT NOT NULL COLLATE NOCASE,
  reader TEXT NOT NULL,
  PRIMARY KEY (owner, collection, reader)
) STRICT, WITHOUT ROWID;
CREATE TABLE schema_version (version INTEGER NOT NULL, at TEXT NOT NULL);
"""

_TYPES = {
    "seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY": "seq INTEGER PRIMARY KEY AUTOINCREMENT",
    "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY": "id INTEGER PRIMARY KEY",
    "bigint": "INTEGER",
    "boolean": "INTEGER",
    "bytea": "BLOB",
    "double precision": "REAL",
}


def _tables() -> str:
    """The tables of every store as an SQL script for SQLite: STRICT; WITHOUT ROWID where the key has its own line."""
    script = translated(TABLES, ())
    for name, own in _TYPES.items():
        script = script.replace(name, own)
    return re.sub(r"(PRIMARY KEY \(.+\)\n\) STRICT);", r"\1, WITHOUT ROWID;", script.replace("\n);", "\n) STRICT;"))


# Documents are found by their titles, too: 15.
_STEPS = ("UPDATE documents SET mark = 0;",)
LAYOUT = Layout(14, _tables() + _OWN_TABLES, "MCP_WEB_DB_PATH", _STEPS)


def migrate(db: sqlite3.Connection) -> None:
    """Create the tables, or change those of an earlier layout to the current ones; safe when several processes start at
    once. Raises CacheError for a layout that this version cannot change, ConfigError for a file of another program."""
    if _layout_of(db) == LAYOUT.newest:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        have = _layout_of(db)  # another process may have done it while we waited
        for script in LAYOUT.missing(have):
            for statement in _statements(script):
                db.execute(statement)
        if have != LAYOUT.newest:
            db.execute("INSERT INTO schema_version VALUES (?, datetime('now'))", (LAYOUT.newest,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _layout_of(db: sqlite3.Connection) -> int:
    """The number of the layout that the file has; 0 for a new file. Raises ConfigError for one of another program."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    query = "SELECT coalesce(max(version), 0) FROM schema_version"
    layout = int(db.execute(query).fetchone()[0]) if "schema_version" in tables else 0
    if tables and not layout:
        raise ConfigError(
            "MCP_WEB_DB_PATH names a SQLite database of another program: it has tables that mcp-web did not make.",
            suggestion="Name a file that does not exist yet; mcp-web creates it.",
        )
    return layout


def _statements(script: str) -> list[str]:
    """The SQL statements of a script, one by one, because `executescript` would commit the transaction we are in."""
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
