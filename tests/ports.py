"""Ports for the programs that tests start.

A port that the system chose may be given to any connection of this machine between the choice and the start of the
program that is to listen there. These are of a range from which the system gives none by itself, and are held until
the process that chose them ends, so that no other worker takes them.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
import tempfile
from pathlib import Path
from typing import IO

_FIRST, _LAST = 20_000, 32_000  # Linux gives connections ports from 32768
_held: list[IO[str]] = []


def free_port() -> int:
    """A port of the loopback interface on which nothing listens, for this process alone."""
    folder = Path(tempfile.gettempdir()) / f"mcp-web-test-ports-{os.geteuid()}"
    folder.mkdir(exist_ok=True)
    while True:
        port = _FIRST + secrets.randbelow(_LAST - _FIRST)
        lock = (folder / str(port)).open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            socket.create_server(("", port)).close()
        except OSError:
            lock.close()
            continue
        _held.append(lock)
        return port
