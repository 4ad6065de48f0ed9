"""The tables, as a list of migration steps. A released step is never changed: a change is a new step.

Every row belongs to a tenant, and row-level security lets a connection see only the rows of its own. One user without
a team is the tenant "default".
"""

from __future__ import annotations

from psycopg import errors, sql

from mcp_web.errors import CacheError, ConfigError
from mcp_web.store.postgres.connect import SCHEMA, Connection

_LOCK = 7_203_514_921  # of pg_advisory_lock: one process migrates at a time

# Step 1. Keys and hashes are 32 raw bytes; `newest` is the version a page shows now. Texts are compressed already, so
# PostgreSQL must not compress them again. URLs may be longer than a B-tree allows: they are found by hash.
_TABLES = """
CREATE TABLE tenants (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
CREATE TABLE pages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  key bytea NOT NULL,
  url text NOT NULL,
  final_url text NOT NULL,
  host text NOT NULL,
  variant text NOT NULL,
  source text NOT NULL,
  path text COLLATE "C",
  tags text NOT NULL,
  newest bigint,
  used_at double precision NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  UNIQUE (tenant, key)
);
CREATE INDEX pages_url ON pages USING hash (url);
CREATE INDEX pages_final_url ON pages USING hash (final_url);
CREATE INDEX pages_used ON pages (tenant, source, used_at);
CREATE INDEX pages_recent ON pages (tenant, used_at, key);
CREATE TABLE snapshots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  hash bytea NOT NULL,
  title text NOT NULL,
  chars integer NOT NULL,
  fetched_at double precision NOT NULL,
  checked_at double precision NOT NULL,
  fresh_until double precision NOT NULL,
  since double precision NOT NULL,
  status integer NOT NULL,
  etag text,
  last_modified text,
  media_type text NOT NULL,
  authenticated boolean NOT NULL,
  answer bytea NOT NULL,
  facts bytea NOT NULL,
  text bytea NOT NULL,
  UNIQUE (tenant, hash)
);
ALTER TABLE snapshots ALTER answer SET STORAGE EXTERNAL, ALTER facts SET STORAGE EXTERNAL,
  ALTER text SET STORAGE EXTERNAL;
CREATE INDEX snapshots_page ON snapshots (page, since);
CREATE TABLE pictures (
  snapshot bigint PRIMARY KEY REFERENCES snapshots (id) ON DELETE CASCADE,
  tenant integer NOT NULL REFERENCES tenants (id),
  png bytea NOT NULL
);
ALTER TABLE pictures ALTER png SET STORAGE EXTERNAL;
CREATE TABLE labels (
  tenant integer NOT NULL REFERENCES tenants (id),
  folded text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY (tenant, folded, page)
);
CREATE INDEX labels_page ON labels (page);
CREATE TABLE names (
  tenant integer NOT NULL REFERENCES tenants (id),
  name bigint NOT NULL,
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY (tenant, name, page)
);
CREATE INDEX names_page ON names (page);
CREATE TABLE mentions (
  tenant integer NOT NULL REFERENCES tenants (id),
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  name bigint NOT NULL,
  url text NOT NULL,
  kind text NOT NULL,
  start integer NOT NULL,
  finish integer NOT NULL,
  confidence double precision NOT NULL,
  PRIMARY KEY (page, name)
);
CREATE INDEX mentions_name ON mentions (tenant, name);
CREATE TABLE records (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  key_hash bytea NOT NULL,
  value text NOT NULL,
  expires_at double precision,
  UNIQUE (tenant, kind, key_hash)
);
CREATE TABLE notes (
  tenant integer NOT NULL REFERENCES tenants (id),
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  key_hash bytea NOT NULL,
  value bytea NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (tenant, kind, key_hash)
);
CREATE INDEX notes_expiry ON notes (tenant, expires_at);
CREATE TABLE figures (
  tenant integer NOT NULL REFERENCES tenants (id),
  kind text NOT NULL,
  name text NOT NULL,
  labels text NOT NULL,
  amounts text NOT NULL,
  PRIMARY KEY (tenant, kind, name, labels)
);
"""

# Step 1, continued: the word index (store/posting_blobs.py describes its form). A writer holds a lock of the tenant
# until the end of the transaction, so that numbers are committed in order.
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
CREATE TABLE deleted (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  number bigint NOT NULL
);
CREATE INDEX deleted_tenant ON deleted (tenant, seq);
CREATE FUNCTION document_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted (tenant, number) VALUES (old.tenant, old.number);
  DELETE FROM waiting WHERE tenant = old.tenant AND number = old.number;
  RETURN old;
END $$;
CREATE TRIGGER document_deleted AFTER DELETE ON documents FOR EACH ROW EXECUTE FUNCTION document_deleted();
CREATE TABLE terms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  term text COLLATE "C" NOT NULL,
  UNIQUE (tenant, term)
);
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
CREATE TABLE words (
  tenant integer NOT NULL REFERENCES tenants (id),
  word text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tenant, word)
);
"""

# Step 1, continued: vectors. The packed blob of a page is read and compared; `passages` is for finding candidates, with
# an HNSW index for each model once there are many (nearest.py).
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

TENANT_TABLES = (
    "pages", "snapshots", "pictures", "labels", "names", "mentions", "records", "notes", "figures", "index_state",
    "documents", "waiting", "deleted", "terms", "languages", "postings", "words", "models", "vectors", "passages",
    "readings",
)  # fmt: skip


def _isolation(*tables: str) -> str:
    """Row-level security: a connection sees the rows of its own tenant."""
    return "".join(
        f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON {table} USING (tenant = current_setting('mcp_web.tenant', true)::integer);
"""
        for table in tables
    )


# Step 2: collections that a tenant shares with another (`reader`) or with all (no reader). Their documents can be read
# by the reader's connections, never written. The word index of an owner can be read as well, since its rows contain
# the stems of many documents; word_index.py drops the documents that the connection cannot see before it counts.
_ME = "current_setting('mcp_web.tenant', true)::integer"
_FOR_ME = f"(s.reader = {_ME} OR s.reader IS NULL)"
_SHARED_PAGE = (
    "EXISTS (SELECT 1 FROM labels l JOIN shares s ON s.tenant = l.tenant AND s.folded = l.folded"  # noqa: S608
    f" WHERE l.page = {{page}} AND {_FOR_ME})"
)
_SHARING_OWNER = f"EXISTS (SELECT 1 FROM shares s WHERE s.tenant = {{table}}.tenant AND {_FOR_ME})"  # noqa: S608
_READABLE = {
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
_SHARES = f"""
CREATE TABLE shares (
  tenant integer NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  folded text COLLATE "C" NOT NULL,
  label text NOT NULL,
  reader integer REFERENCES tenants (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX shares_key ON shares (tenant, folded, coalesce(reader, 0));
ALTER TABLE shares ENABLE ROW LEVEL SECURITY;
ALTER TABLE shares FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON shares USING (tenant = {_ME});
CREATE POLICY shared_rows ON shares FOR SELECT USING (reader = {_ME} OR reader IS NULL);
""" + "".join(
    f"CREATE POLICY shared_rows ON {table} FOR SELECT USING ({condition});\n" for table, condition in _READABLE.items()
)

# Step 3: what callers were shown of pages, and how many documents a host has.
_READINGS = """
CREATE TABLE readings (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL REFERENCES tenants (id),
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  at double precision NOT NULL,
  tool text NOT NULL,
  question text NOT NULL,
  client text NOT NULL,
  snapshot bytea NOT NULL,
  spans text NOT NULL
);
CREATE INDEX readings_page ON readings (page, seq);
CREATE INDEX readings_at ON readings (tenant, at);
CREATE INDEX pages_host ON pages (tenant, host);
"""

# Step 4: the verdict on what was asked of a page.
_OUTCOMES = """
ALTER TABLE readings ADD COLUMN outcome text NOT NULL DEFAULT '';
"""

# Step 5: documents are found by the names that they define. All are indexed again; until then they are found as before.
# Without FORCE the owner of the table sees the rows of every tenant.
_DEFINITIONS = """
ALTER TABLE documents NO FORCE ROW LEVEL SECURITY;
UPDATE documents SET mark = 0;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;
"""

# Step 6: the model embeds sections too. Documents get their vectors again; those of before are compared until then.
_SECTIONS = """
ALTER TABLE vectors NO FORCE ROW LEVEL SECURITY;
UPDATE vectors SET version = 0 WHERE model LIKE '%;summary';
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
"""

STEPS: tuple[str, ...] = (
    _TABLES + _INDEX + _VECTORS + _isolation(*TENANT_TABLES[:-1]),
    _SHARES,
    _READINGS + _isolation("readings"),
    _OUTCOMES,
    _DEFINITIONS,
    _SECTIONS,
)


def migrate(db: Connection) -> None:
    """Migrate the database to the current tables; safe when several processes start at once."""
    if _version(db) == len(STEPS):
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
        have = _version(db)  # another process may have done it while this one waited
        if have > len(STEPS):
            raise CacheError(
                f"The database was written by a newer mcp-web (its schema is {have}, this one knows {len(STEPS)}).",
                suggestion="Upgrade mcp-web, or name another database with MCP_WEB_DATABASE_URL.",
            )
        for number, step in enumerate(STEPS[have:], start=have + 1):
            db.execute(step)
            db.execute("INSERT INTO schema_version (version) VALUES (%s)", (number,))


def _version(db: Connection) -> int:
    """The number of the last migration step that the database has; 0 for a new one."""
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
