"""The tables of a store, and the changes made to them since.

They are written as the statements are (database.py), in the types of PostgreSQL; each engine translates them, and adds
the tables that it has in its own way: labels, shares, vectors and most of the word index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_web.errors import CacheError

# Keys and hashes are 32 raw bytes; `newest` is the version a page shows now, and `since` the time at which a version
# last became that. Texts are compressed already, so PostgreSQL must not compress them again. URLs may be longer than
# its B-tree allows: they are found by hash. The last three tables belong to the word index (store/posting_blobs.py).
TABLES = """
CREATE TABLE pages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  key bytea NOT NULL,
  url text NOT NULL,
  final_url text NOT NULL,
  host text NOT NULL,
  variant text NOT NULL,
  source text NOT NULL,
  path text [COLLATE "C"],
  tags text NOT NULL,
  newest bigint,
  used_at double precision NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  UNIQUE ([tenant,] key)
);
CREATE INDEX pages_url ON pages [USING hash] (url);
CREATE INDEX pages_final_url ON pages [USING hash] (final_url) WHERE final_url <> url;
CREATE INDEX pages_host ON pages ([tenant,] host);
CREATE INDEX pages_used ON pages ([tenant,] source, used_at);
CREATE INDEX pages_recent ON pages ([tenant,] used_at, key);
CREATE TABLE snapshots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
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
  UNIQUE ([tenant,] hash)
);
[ALTER TABLE snapshots ALTER answer SET STORAGE EXTERNAL, ALTER facts SET STORAGE EXTERNAL,
  ALTER text SET STORAGE EXTERNAL;]
CREATE INDEX snapshots_page ON snapshots (page, since);
CREATE TABLE pictures (
  snapshot bigint PRIMARY KEY REFERENCES snapshots (id) ON DELETE CASCADE,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  png bytea NOT NULL
);
[ALTER TABLE pictures ALTER png SET STORAGE EXTERNAL;]
CREATE TABLE names (
  [tenant integer NOT NULL REFERENCES tenants (id),]
  name bigint NOT NULL,
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  PRIMARY KEY ([tenant,] name, page)
);
CREATE INDEX names_page ON names (page);
CREATE TABLE mentions (
  [tenant integer NOT NULL REFERENCES tenants (id),]
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  name bigint NOT NULL,
  url text NOT NULL,
  kind text NOT NULL,
  start integer NOT NULL,
  finish integer NOT NULL,
  confidence double precision NOT NULL,
  PRIMARY KEY (page, name)
);
CREATE INDEX mentions_name ON mentions ([tenant,] name);
CREATE TABLE readings (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  page bigint NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  at double precision NOT NULL,
  tool text NOT NULL,
  question text NOT NULL,
  client text NOT NULL,
  snapshot bytea NOT NULL,
  spans text NOT NULL,
  outcome text NOT NULL DEFAULT ''
);
CREATE INDEX readings_page ON readings (page, seq);
CREATE INDEX readings_at ON readings ([tenant,] at);
CREATE TABLE records (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  kind text [COLLATE "C"] NOT NULL,
  key text [COLLATE "C"] NOT NULL,
  [key_hash bytea NOT NULL,]
  value text NOT NULL,
  expires_at double precision,
  UNIQUE ([tenant,] kind, key_hash)
);
CREATE TABLE notes (
  [tenant integer NOT NULL REFERENCES tenants (id),]
  kind text [COLLATE "C"] NOT NULL,
  key text [COLLATE "C"] NOT NULL,
  [key_hash bytea NOT NULL,]
  value bytea NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY ([tenant,] kind, key_hash)
);
CREATE INDEX notes_expiry ON notes ([tenant,] expires_at);
CREATE TABLE figures (
  [tenant integer NOT NULL REFERENCES tenants (id),]
  kind text NOT NULL,
  name text NOT NULL,
  labels text NOT NULL,
  amounts text NOT NULL,
  PRIMARY KEY ([tenant,] kind, name, labels)
);
CREATE TABLE deleted (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  number bigint NOT NULL
);
[CREATE INDEX deleted_tenant ON deleted (tenant, seq);]
CREATE TABLE terms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  [tenant integer NOT NULL REFERENCES tenants (id),]
  term text [COLLATE "C"] NOT NULL,
  UNIQUE ([tenant,] term)
);
CREATE TABLE words (
  [tenant integer NOT NULL REFERENCES tenants (id),]
  word text [COLLATE "C"] NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY ([tenant,] word)
);
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of an engine as SQL scripts, numbered by layout: one that creates the first, and one for each change
    since. To change the tables, add a step; a released script is never changed."""

    first: int  # the number of the layout that `tables` makes
    tables: str
    setting: str  # the variable that names the database
    steps: tuple[str, ...] = ()  # each makes the next layout

    @property
    def newest(self) -> int:
        return self.first + len(self.steps)

    def missing(self, have: int) -> Sequence[str]:
        """The scripts to run on a database that has the layout `have` (0: an empty one), in order. Raises CacheError
        for a layout that this version cannot read or change."""
        if have > self.newest:
            raise CacheError(
                f"The store was written by a newer mcp-web (its layout is {have}, this one knows {self.newest}).",
                suggestion=f"Upgrade mcp-web, or name another database with {self.setting}.",
            )
        if 0 < have < self.first:
            raise CacheError(
                f"The store was written by an older mcp-web (its layout is {have}, this one knows {self.first} and"
                " later).",
                suggestion=f"Name another database with {self.setting}. To take the documents along, write them to a"
                " file with `mcp-web archive export` of the older version; `mcp-web archive import` reads it.",
            )
        return self.steps[have - self.first :] if have else (self.tables, *self.steps)
