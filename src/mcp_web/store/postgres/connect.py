"""Connections to the server: their parameters, and the translation of their errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import conninfo, errors
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from mcp_web.errors import CacheError, ConfigError

Connection = psycopg.Connection[TupleRow]
Pool = ConnectionPool[Connection]

SCHEMA = "mcp_web"
_CONNECT_SECONDS = 10  # for one attempt
# SQLSTATE codes: the connection or the server is gone, or driver and server disagree about prepared statements.
_BROKEN = ("08", "25P03", "57P01", "57P02", "57P03", "57P05", "26000", "42P05")


def connection_parameters(url: str, wait_seconds: float) -> dict[str, Any]:
    """The parameters of every connection: ours, and those in the URL, which may be any that libpq knows. `wait_seconds`
    limits each statement. Raises ConfigError for an invalid URL."""
    try:
        parameters = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ConfigError(
            "The address of the database is not a PostgreSQL address.",
            suggestion="Write it as postgresql://user:password@host:5432/database.",
        ) from error
    milliseconds = max(1000, int(wait_seconds * 1000))
    settings = {
        "search_path": f"{SCHEMA},public",
        "statement_timeout": milliseconds,
        "lock_timeout": int(milliseconds * 0.8),  # the error of statement_timeout would not mention the lock
        "idle_in_transaction_session_timeout": 4 * milliseconds,
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return {
        "connect_timeout": _CONNECT_SECONDS,
        "application_name": "mcp-web",
        "keepalives_idle": 30,
        **parameters,
        "options": f"{options} {parameters.get('options', '')}".strip(),
    }


def connect(parameters: dict[str, Any]) -> Connection:
    """One connection outside the pool; statements commit by themselves unless a transaction is begun."""
    return psycopg.connect(**parameters, autocommit=True)


def make_pool(parameters: dict[str, Any], size: int, wait_seconds: float) -> Pool:
    """A pool of at most `size` connections, opened when needed; broken ones are replaced. The pool itself is not open
    yet. `wait_seconds`: how long a caller waits for a connection."""
    return ConnectionPool(
        kwargs={**parameters, "autocommit": True, "prepare_threshold": 2},
        min_size=1,
        max_size=size,
        max_idle=300.0,
        timeout=wait_seconds,
        reconnect_timeout=max(5.0, wait_seconds),
        open=False,
    )


def is_broken(error: BaseException) -> bool:
    """Whether an error means that the connection failed, so that the same work may succeed over another one."""
    if isinstance(error, PoolTimeout):
        return False
    state = getattr(error, "sqlstate", None)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and state is None:
        return True
    return state is not None and state.startswith(_BROKEN)


@contextmanager
def translate_errors(parameters: dict[str, Any]) -> Iterator[None]:
    """A context manager: in its block, the errors of PostgreSQL are raised as CacheError or ConfigError, which an
    operator can act on. `parameters` are those of the connection, which the message names."""
    try:
        yield
    except psycopg.Error as error:
        raise _store_error(parameters, error) from error


def _store_error(parameters: dict[str, Any], error: psycopg.Error) -> CacheError | ConfigError:
    place = f"{parameters.get('host', 'localhost')}/{parameters.get('dbname', '')}"
    detail = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if isinstance(error, errors.InvalidPassword | errors.InvalidAuthorizationSpecification) or (
        "password authentication failed" in detail or "no password supplied" in detail
    ):
        return ConfigError(
            f"The PostgreSQL server {place} refused the user {parameters.get('user', '')!r}: wrong name or password.",
            suggestion="Correct the address of the database (MCP_WEB_DATABASE_URL).",
        )
    if isinstance(error, errors.InvalidCatalogName) or ("database" in detail and "does not exist" in detail):
        return ConfigError(
            f"The PostgreSQL server {place} has no database of that name.",
            suggestion=f"Create it: createdb {parameters.get('dbname', 'mcp_web')}.",
        )
    if isinstance(error, errors.InsufficientPrivilege):
        return ConfigError(
            f"The PostgreSQL user {parameters.get('user', '')!r} lacks a privilege on {place}: {detail}.",
            suggestion="Let the user own the database: ALTER DATABASE name OWNER TO user.",
        )
    if isinstance(error, errors.DiskFull):
        return CacheError(
            f"The disk of the PostgreSQL server {place} is full; what was kept before is safe, this page was not kept.",
            suggestion="Free space on the server, then try again; pages can still be opened meanwhile.",
            retryable=True,
        )
    if isinstance(error, errors.LockNotAvailable | errors.QueryCanceled | errors.DeadlockDetected):
        return CacheError(
            f"The PostgreSQL server {place} took too long: {detail}.",
            suggestion="Try again in a moment.",
            retryable=True,
        )
    if isinstance(error, PoolTimeout | errors.TooManyConnections) or is_broken(error):
        return CacheError(
            f"The PostgreSQL server {place} cannot be reached: {detail}.",
            suggestion="Try again in a moment; check that the server runs and accepts connections.",
            retryable=True,
        )
    return CacheError(f"The PostgreSQL server {place} failed: {detail}.")
