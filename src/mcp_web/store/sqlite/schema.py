"""The tables, as a list of migration steps. A released step is never changed: a change is a new step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from mcp_web.errors import CacheError, ConfigError
from mcp_web.store.pack import unpack_json
from mcp_web.store.sql import records
from mcp_web.store.sqlite.database import SqliteDatabase

# Step 1. Keys and hashes are 32 raw bytes; `newest` is the version a page shows now.
_PAGES = """
CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  url TEXT NOT NULL,
  final_url TEXT NOT NULL,
  host TEXT NOT NULL,
  variant TEXT NOT NULL,
  source TEXT NOT NULL,
  path TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  newest INTEGER,
  used_at REAL NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX pages_url ON pages (url);
CREATE INDEX pages_final_url ON pages (final_url) WHERE final_url <> url;
CREATE INDEX pages_used ON pages (source, used_at);
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  title TEXT NOT NULL,
  chars INTEGER NOT NULL,
  fetched_at REAL NOT NULL,
  checked_at REAL NOT NULL,
  fresh_until REAL NOT NULL,
  status INTEGER NOT NULL,
  etag TEXT,
  last_modified TEXT,
  media_type TEXT NOT NULL,
  authenticated INTEGER NOT NULL,
  answer BLOB NOT NULL,
  facts BLOB NOT NULL,
  text BLOB NOT NULL
) STRICT;
CREATE INDEX snapshots_page ON snapshots (page, checked_at);
CREATE TABLE vectors (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  dim INTEGER NOT NULL,
  digests BLOB NOT NULL,
  data BLOB NOT NULL,
  codes BLOB NOT NULL,
  UNIQUE (page, model)
) STRICT;
CREATE TABLE notes (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_expiry ON notes (expires_at);
CREATE TABLE figures (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  labels TEXT NOT NULL,
  amounts TEXT NOT NULL,
  PRIMARY KEY (kind, name, labels)
) STRICT, WITHOUT ROWID;
"""

# Step 2: the word index (store/posting_blobs.py describes its form) and citations.
_INDEX = """
CREATE TABLE documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL UNIQUE REFERENCES pages (id) ON DELETE CASCADE,
  snapshot INTEGER NOT NULL,
  length INTEGER NOT NULL,
  day INTEGER NOT NULL,
  source TEXT NOT NULL
) STRICT;
CREATE TABLE waiting (
  number INTEGER PRIMARY KEY,
  words BLOB NOT NULL
) STRICT;
CREATE TABLE dead (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  number INTEGER NOT NULL
) STRICT;
CREATE TRIGGER documents_die AFTER DELETE ON documents BEGIN
  INSERT INTO dead (number) VALUES (old.number);
  DELETE FROM waiting WHERE number = old.number;
END;
CREATE TABLE terms (
  id INTEGER PRIMARY KEY,
  term TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE postings (
  place INTEGER PRIMARY KEY,
  docs BLOB NOT NULL
) STRICT;
CREATE TABLE words (
  word TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE index_state (
  epoch INTEGER NOT NULL,
  merged INTEGER NOT NULL
) STRICT;
INSERT INTO index_state VALUES (1, 0);
CREATE TABLE names (
  name INTEGER NOT NULL,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY (name, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_page ON names (page);
CREATE TABLE mentions (
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,
  url TEXT NOT NULL,
  kind TEXT NOT NULL,
  start INTEGER NOT NULL,
  finish INTEGER NOT NULL,
  confidence REAL NOT NULL,
  PRIMARY KEY (page, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_name ON mentions (name);
"""

# Step 3: a mark of the indexed words of a document, so that new tags or a new title are noticed.
_MARK = "ALTER TABLE documents ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;"

# Step 4: vectors in a quarter of the space, with the version that they belong to (0: incomplete), all to be embedded
# again; and the collections of documents.
_COLLECTIONS = """
DROP TABLE vectors;
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
INSERT OR IGNORE INTO labels SELECT tag.value, pages.id FROM pages, json_each(pages.tags) AS tag;
INSERT OR IGNORE INTO labels SELECT substr(path, 1, instr(path, '/') - 1), id FROM pages
  WHERE source = 'research' AND instr(path, '/') > 1;
"""

# Step 5: screenshots of rendered pages, which are deleted with their version.
_PICTURES = """
CREATE TABLE pictures (
  snapshot INTEGER PRIMARY KEY REFERENCES snapshots (id) ON DELETE CASCADE,
  png BLOB NOT NULL
) STRICT;
"""

# Step 6: words are indexed by the language of their document. The index is built again before the next search, from
# the documents whose mark is 0 (store/sql/index_rows.py).
_LANGUAGES = """
UPDATE documents SET mark = 0;
DELETE FROM waiting;
DELETE FROM dead;
DELETE FROM terms;
DELETE FROM postings;
DELETE FROM words;
UPDATE index_state SET epoch = epoch + 1, merged = 0;
CREATE INDEX documents_unindexed ON documents (number) WHERE mark = 0;
"""

# Step 7: values that several processes change become records of their own, and a version says since when it is the
# newest one, so that a page that returned to an earlier text lists its versions in order.
_RECORDS = """
CREATE TABLE records (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at REAL,
  UNIQUE (kind, key)
) STRICT;
ALTER TABLE snapshots ADD COLUMN since REAL NOT NULL DEFAULT 0;
UPDATE snapshots SET since = fetched_at;
UPDATE snapshots SET since = checked_at WHERE id IN (SELECT newest FROM pages)
  AND fetched_at < (SELECT max(other.fetched_at) FROM snapshots other WHERE other.page = snapshots.page);
"""


def _move_notes(db: sqlite3.Connection) -> None:
    """Rewrite the watch list, unfinished crawls, the model in use, synced folders and the search history as records."""
    rows = db.execute(
        "SELECT kind, key, value, expires_at FROM notes"
        " WHERE kind IN ('watch', 'crawl', 'embedding', 'sync_folder', 'sync_tags', 'search_history')"
    ).fetchall()
    for kind, key, blob, expires_at in rows:
        for new_kind, new_key, value, lasts in _records_of(kind, key, unpack_json(blob), expires_at):
            records.keep(SqliteDatabase(db), new_kind, new_key, value, lasts)
        db.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (kind, key))


def _records_of(kind: str, key: str, value: Any, expires_at: float) -> Iterator[tuple[str, str, Any, float | None]]:
    """A note as records: (kind, key, value, expiry)."""
    if kind == "watch":
        yield from ((kind, url, {}, None) for url in value or ())
    elif kind == "search_history":
        for entry in reversed(value or ()):  # it was kept newest first
            yield kind, f"{entry.get('at', 0):.6f}", entry, expires_at
    elif kind == "crawl":
        waiting = dict(value["waiting"]) if value else {}
        for url in value["known"] if value else ():
            state = {"depth": waiting.get(url, 0), "state": "waiting" if url in waiting else "visited"}
            yield f"crawl {key}", url, state, expires_at
    else:
        yield kind, key, value, None


# Step 8: lists of documents by last use, page by page, and by language.
_BROWSE = """
CREATE INDEX pages_recent ON pages (used_at, key);
ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT '';
"""

# Step 9: deletions under a plain name; collections that tenants share, in the file of the default tenant.
_SHARES = """
DROP TRIGGER documents_die;
ALTER TABLE dead RENAME TO deleted;
CREATE TRIGGER document_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO deleted (number) VALUES (old.number);
  DELETE FROM waiting WHERE number = old.number;
END;
CREATE TABLE shares (
  owner TEXT NOT NULL,
  collection TEXT NOT NULL COLLATE NOCASE,
  reader TEXT NOT NULL,
  PRIMARY KEY (owner, collection, reader)
) STRICT, WITHOUT ROWID;
"""

# Step 10: what callers were shown of pages, and how many documents a host has.
_READINGS = """
CREATE TABLE readings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  at REAL NOT NULL,
  tool TEXT NOT NULL,
  question TEXT NOT NULL,
  client TEXT NOT NULL,
  snapshot BLOB NOT NULL,
  spans TEXT NOT NULL
) STRICT;
CREATE INDEX readings_page ON readings (page, seq);
CREATE INDEX readings_at ON readings (at);
CREATE INDEX pages_host ON pages (host);
"""

# Step 11: when the oldest and the newest version were read, without reading all of them.
_FETCHED = """
CREATE INDEX snapshots_fetched ON snapshots (fetched_at);
"""

# Step 12: the verdict on what was asked of a page.
_OUTCOMES = """
ALTER TABLE readings ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
"""

# Step 13: documents are found by the names that they define. They are indexed again, those of before can be found until
# then.
_DEFINITIONS = """
UPDATE documents SET mark = 0;
"""

# Step 14: the model embeds sections too. Documents get their vectors again; those of before are compared until then.
_SECTIONS = """
UPDATE vectors SET version = 0 WHERE model LIKE '%;summary';
"""

Step = str | Callable[[sqlite3.Connection], None]

STEPS: tuple[tuple[Step, ...], ...] = (
    (_PAGES,),
    (_INDEX,),
    (_MARK,),
    (_COLLECTIONS,),
    (_PICTURES,),
    (_LANGUAGES,),
    (_RECORDS, _move_notes),
    (_BROWSE,),
    (_SHARES,),
    (_READINGS,),
    (_FETCHED,),
    (_OUTCOMES,),
    (_DEFINITIONS,),
    (_SECTIONS,),
)


def migrate(db: sqlite3.Connection) -> None:
    """Migrate the file to the current tables; safe when several processes start at once."""
    if _version(db) == len(STEPS):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        have = _version(db)  # another process may have done it while we waited
        _refuse_others(db, have)
        if have == 0:
            db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL, at TEXT NOT NULL)")
        for number, step in enumerate(STEPS[have:], start=have + 1):
            for part in step:
                _run(db, part)
            db.execute("INSERT INTO schema_version VALUES (?, datetime('now'))", (number,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _run(db: sqlite3.Connection, part: Step) -> None:
    """Run one part of a migration step: a script or a function."""
    if not isinstance(part, str):
        part(db)
        return
    for statement in _statements(part):
        db.execute(statement)


def _version(db: sqlite3.Connection) -> int:
    """The number of the last migration step that the file has; 0 for a new file."""
    known = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if not known:
        return 0
    return int(db.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0])


def _refuse_others(db: sqlite3.Connection, version: int) -> None:
    """Raise for a database of a newer version or of another program."""
    if version > len(STEPS):
        raise CacheError(
            f"The store was written by a newer mcp-web (its schema is {version}, this one knows {len(STEPS)}).",
            suggestion="Upgrade mcp-web, or name another file with MCP_WEB_DB_PATH.",
        )
    if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ConfigError(
            "MCP_WEB_DB_PATH names a SQLite database of another program: it has tables that mcp-web did not make.",
            suggestion="Name a file that does not exist yet; mcp-web creates it.",
        )


def _statements(script: str) -> list[str]:
    """The statements of a script; `executescript` would commit the transaction we are in."""
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
