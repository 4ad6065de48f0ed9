"""The tenants of a PostgreSQL store."""

from __future__ import annotations

from typing import Any

from psycopg import sql

from mcp_web import trace
from mcp_web.store.postgres.connect import Connection, connect, connection_parameters, translate_errors
from mcp_web.store.postgres.schema import TENANT_TABLES, migrate


def prepare_database(parameters: dict[str, Any], tenant: str) -> int:
    """Connect once to create or migrate the tables, and add the tenant if it is new; returns its id. Raises CacheError
    or ConfigError."""
    with translate_errors(parameters), connect(parameters) as db:
        migrate(db)
        with db.transaction():
            id_ = enter_tenant(db, tenant)
        row = db.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
        if row and row[0]:
            note = "This PostgreSQL user may see the rows of every tenant; for a team, use one that is not a superuser."
            trace.log("debug", "store_superuser", note=note)
        return id_


def tenant_id(db: Connection, name: str) -> int:
    """The id of a tenant by name; an unknown tenant is added."""
    db.execute("INSERT INTO tenants (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
    row = db.execute("SELECT id FROM tenants WHERE name = %s", (name,)).fetchone()
    assert row is not None
    return int(row[0])


def enter_tenant(db: Connection, name: str) -> int:
    """Let this transaction see the rows of a tenant, which is added if it is unknown; returns its id."""
    id_ = tenant_id(db, name)
    db.execute("SELECT set_config('mcp_web.tenant', %s, true)", (str(id_),))  # until the end of the transaction
    db.execute("INSERT INTO index_state (tenant) VALUES (%s) ON CONFLICT DO NOTHING", (id_,))
    return id_


def tenant_names(url: str, wait_seconds: float) -> list[str]:
    """The names of all tenants of the database, in alphabetical order; creates or migrates its tables first."""
    parameters = connection_parameters(url, wait_seconds)
    with translate_errors(parameters), connect(parameters) as db:
        migrate(db)
        return [str(row[0]) for row in db.execute("SELECT name FROM tenants ORDER BY name")]


def erase_rows(url: str, wait_seconds: float, tenant: str) -> None:
    """Delete every row of a tenant in one transaction, and the tenant itself; does nothing for an unknown one."""
    parameters = connection_parameters(url, wait_seconds)
    with translate_errors(parameters), connect(parameters) as db, db.transaction():
        db.execute("SET LOCAL statement_timeout = 0")
        row = db.execute("SELECT id FROM tenants WHERE name = %s", (tenant,)).fetchone()
        if row is None:
            return
        db.execute("SELECT set_config('mcp_web.tenant', %s, true)", (str(row[0]),))
        # Referencing tables first; a trigger of `documents` writes to `deleted`, which therefore comes last.
        for table in (*(one for one in reversed(TENANT_TABLES) if one != "deleted"), "deleted"):
            db.execute(sql.SQL("DELETE FROM {} WHERE tenant = %s").format(sql.Identifier(table)), (row[0],))
        db.execute("DELETE FROM tenants WHERE id = %s", (row[0],))
