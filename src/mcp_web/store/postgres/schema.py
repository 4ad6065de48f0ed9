"""The tables of a PostgreSQL database.

Every row belongs to a tenant, and row-level security lets a connection see only the rows of its own. One user without
a team is the tenant "default".
"""

from __future__ import annotations

import re

from psycopg import errors, sql

from mcp_web.errors import ConfigError
from mcp_web.store.postgres.connect import SCHEMA, Connection
from mcp_web.store.sql.database import BRACKETS
from mcp_web.store.sql.schema import TABLES, Layout

_LOCK = 7_203_514_921  # of pg_advisory_lock: one process migrates at a time

_TENANTS = """
CREATE TABLE tenants (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
"""

_COLLECTIONS = """
CREATE TABLE labels (
  tenant integer NOT NULL REFERENCES tenants (id),
  folded text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY (tenant, folded, page)
);
CREATE INDEX labels_page ON labels (page);
CREATE TABLE shares (
  tenant integer NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  folded text COLLATE "C" NOT NULL,
  label text NOT NULL,
  reader integer REFERENCES tenants (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX shares_key ON shares (tenant, folded, coalesce(reader, 0));
"""

# The word index. A writer holds a lock of the tenant until the end of the transaction, so that numbers are committed in
# order.
_INDEX = """
CREATE TABLE index_state (
  tenant integer PRIMARY KEY REFERENCES tenants (id),
  epoch bigint NOT NULL DEFAULT 1,
  merged bigint NOT NULL DEFAULT 0,
  last bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0
);
CREATE TABLE documents (
  tenant integer NOT NULL REFERENCES tenants (id),
  number bigint NOT NULL,
  page bigint NOT NULL UNIQUE REFERENCES pages (id) ON DELETE CASCADE,
  snapshot bigint NOT NULL,
  length integer NOT NULL,
  day integer NOT NULL,
  source text NOT NULL,
  language text NOT NULL,
  mark bigint NOT NULL,
  PRIMARY KEY (tenant, number)
);
CREATE INDEX documents_unindexed ON documents (tenant, number) WHERE mark = 0;
CREATE TABLE waiting (
  tenant integer NOT NULL REFERENCES tenants (id),
  number bigint NOT NULL,
  words bytea NOT NULL,
  PRIMARY KEY (tenant, number)
);
ALTER TABLE waiting ALTER words SET STORAGE EXTERNAL;
CREATE FUNCTION document_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted (tenant, number) VALUES (old.tenant, old.number);
  DELETE FROM waiting WHERE tenant = old.tenant AND number = old.number;
  RETURN old;
END $$;
CREATE TRIGGER document_deleted AFTER DELETE ON documents FOR EACH ROW EXECUTE FUNCTION document_deleted();
CREATE TABLE languages (
  tenant integer NOT NULL REFERENCES tenants (id),
  code text NOT NULL,
  PRIMARY KEY (tenant, code)
);
CREATE TABLE postings (
  tenant integer NOT NULL REFERENCES tenants (id),
  term bigint NOT NULL,
  block integer NOT NULL,
  docs bytea NOT NULL,
  PRIMARY KEY (term, block)
);
ALTER TABLE postings ALTER docs SET STORAGE EXTERNAL;
"""

# The packed blob of a page is read and compared; `passages` is for finding candidates, with an HNSW index for each
# model once there are many (nearest.py).
_VECTORS = """
CREATE TABLE models (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  name text NOT NULL,
  dim integer NOT NULL,
  UNIQUE (tenant, name, dim)
);
CREATE TABLE vectors (
  tenant integer NOT NULL REFERENCES tenants (id),
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  model text NOT NULL,
  dim integer NOT NULL,
  version bigint NOT NULL,
  digests bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (page, model)
);
ALTER TABLE vectors ALTER digests SET STORAGE EXTERNAL, ALTER data SET STORAGE EXTERNAL;
CREATE TABLE passages (
  tenant integer NOT NULL REFERENCES tenants (id),
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  model integer NOT NULL REFERENCES models (id) ON DELETE CASCADE,
  place integer NOT NULL,
  embedding public.halfvec NOT NULL,
  PRIMARY KEY (page, model, place)
);
CREATE INDEX passages_model ON passages (model);
"""

_TABLES = _TENANTS + BRACKETS.sub(r"\1", TABLES) + _COLLECTIONS + _INDEX + _VECTORS
# In the order of their references.
TENANT_TABLES = tuple(re.findall(r"CREATE TABLE (\w+) \([^;]*?\n  tenant integer", _TABLES))

# A connection sees the rows of its own tenant.
_ME = "current_setting('mcp_web.tenant', true)::integer"
_ISOLATION = "".join(
    f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON {table} USING (tenant = {_ME});
"""
    for table in TENANT_TABLES
)

# It also sees the documents in collections that another tenant shares with it (`reader`) or with all (no reader). They
# can be read, never written. The word index of an owner can be read as well, since its rows contain the stems of many
# documents; word_index.py drops the documents that the connection cannot see before it counts.
_FOR_ME = f"(s.reader = {_ME} OR s.reader IS NULL)"
_SHARED_PAGE = (
    "EXISTS (SELECT 1 FROM labels l JOIN shares s ON s.tenant = l.tenant AND s.folded = l.folded"  # noqa: S608
    f" WHERE l.page = {{page}} AND {_FOR_ME})"
)
_SHARING_OWNER = f"EXISTS (SELECT 1 FROM shares s WHERE s.tenant = {{table}}.tenant AND {_FOR_ME})"  # noqa: S608
_READABLE = {
    "shares": f"reader = {_ME} OR reader IS NULL",
    "pages": _SHARED_PAGE.format(page="pages.id"),
    **{
        table: _SHARED_PAGE.format(page=f"{table}.page")
        for table in ("snapshots", "documents", "vectors", "passages", "names", "mentions")
    },
    "labels": _SHARING_OWNER.format(table="labels").replace("WHERE", "WHERE s.folded = labels.folded AND", 1),
    "pictures": "EXISTS (SELECT 1 FROM snapshots v WHERE v.id = pictures.snapshot)",
    "waiting": "EXISTS (SELECT 1 FROM documents d WHERE d.tenant = waiting.tenant AND d.number = waiting.number)",
    **{
        table: _SHARING_OWNER.format(table=table)
        for table in ("index_state", "deleted", "terms", "languages", "postings", "words", "models")
    },
}
_SHARING = "".join(
    f"CREATE POLICY shared_rows ON {table} FOR SELECT USING ({condition});\n" for table, condition in _READABLE.items()
)

# A step that changes the rows of a table needs `ALTER TABLE … NO FORCE ROW LEVEL SECURITY` before it and `FORCE` after
# it: without FORCE the owner of the table sees the rows of every tenant.
# Documents are found by their titles, too: 7.
_STEPS = (
    "ALTER TABLE documents NO FORCE ROW LEVEL SECURITY; UPDATE documents SET mark = 0;"
    " ALTER TABLE documents FORCE ROW LEVEL SECURITY",
)
LAYOUT = Layout(6, _TABLES + _ISOLATION + _SHARING, "MCP_WEB_DATABASE_URL", _STEPS)


def migrate(db: Connection) -> None:
    """Create the tables, or change those of an earlier layout to the current ones; safe when several processes start at
    once. Raises CacheError for a layout that this version cannot change, ConfigError if pgvector is not available."""
    if _layout_of(db) == LAYOUT.newest:
        return
    with db.transaction():
        db.execute("SET LOCAL statement_timeout = 0")
        db.execute("SET LOCAL lock_timeout = 0")
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _require_vector(db)
        db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
        db.execute(
            "CREATE TABLE IF NOT EXISTS schema_version"
            " (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
        )
        for script in LAYOUT.missing(_layout_of(db)):  # another process may have done it while this one waited
            db.execute(script)
        db.execute("INSERT INTO schema_version (version) VALUES (%s) ON CONFLICT DO NOTHING", (LAYOUT.newest,))


def _layout_of(db: Connection) -> int:
    """The number of the layout that the database has; 0 for a new one."""
    known = db.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.schema_version",)).fetchone()
    if known is None or known[0] is None:
        return 0
    row = db.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()
    return int(row[0]) if row else 0


def _require_vector(db: Connection) -> None:
    """Create the extension pgvector if it is missing; raises ConfigError if that is not possible."""
    if db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        return
    try:
        with db.transaction():
            db.execute("CREATE EXTENSION vector WITH SCHEMA public")
    except errors.InsufficientPrivilege as error:
        raise ConfigError(
            "The PostgreSQL database lacks the extension pgvector, and its user may not create it.",
            suggestion="Let an administrator run once in this database: CREATE EXTENSION vector;",
        ) from error
    except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
        raise ConfigError(
            "The PostgreSQL server does not have the extension pgvector.",
            suggestion="Install pgvector 0.7 or newer on the server (package postgresql-NN-pgvector).",
        ) from error
