"""Options of the store: its place and its size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcp_web.model.option import option

FILE_NAME = "mcp-web.sqlite"


@dataclass(frozen=True, slots=True)
class StoreOptions:
    path: str = option(
        "",
        "The SQLite file, to have it on another disk; empty is mcp-web.sqlite in the data folder.",
        env=("MCP_WEB_DB_PATH", "SEARCH_DB_PATH"),
    )
    data_dir: str = option(
        "",
        "The folder for everything that is kept, such as a mounted volume; empty is the platform's own "
        "(~/.local/share/mcp-web).",
        env=("MCP_WEB_DATA_DIR", "DATA_DIR"),
    )
    database_url: str = option(
        "",
        "A PostgreSQL server instead of the SQLite file: postgresql://user:password@host/name.",
        env="MCP_WEB_DATABASE_URL",
        secret=True,
    )
    database_read_url: str = option(
        "",
        "A read replica of that server, which answers searches; the server answers them while it is unavailable.",
        env="MCP_WEB_DATABASE_READ_URL",
        secret=True,
    )
    size_limit: int = option(
        4 << 30,
        "Largest size of the SQLite file in bytes; the least recently used web pages are deleted first. 0 is no limit.",
        env="MCP_WEB_STORE_MAX_BYTES",
        least=0,
    )
    # Seconds that a call waits for another process that is writing, or for a server that restarts: longer than either
    # takes, shorter than the deadline of a call.
    wait_seconds: float = 20.0
    connections: int = option(
        8,
        "Most connections of one process to a PostgreSQL server; all replicas together must stay below its "
        "max_connections.",
        env="MCP_WEB_DATABASE_CONNECTIONS",
        least=2,
        most=100,
    )


def data_folder(options: StoreOptions) -> Path:
    """The folder for everything that mcp-web keeps on disk: the configured one, or the platform's for user data."""
    if options.data_dir:
        return Path(options.data_dir).expanduser()
    # Supports XDG, AppData and Library/Application Support; reads the environment itself.
    from platformdirs import user_data_path

    return user_data_path("mcp-web", appauthor=False)


def database_file(options: StoreOptions) -> Path:
    """The path of the configured SQLite file."""
    return user_path(options.path) if options.path else data_folder(options) / FILE_NAME


def user_path(path: str) -> Path:
    """The path with `~` replaced by the home folder."""
    return Path(path).expanduser()
