"""The hostile pages and behaviours of the test suite, served by a process of their own.

python -m bench.scorecard.hostile_site PORT
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZE = "100000"  # elements of a body, as in the test suite
_PAGE = b"<html><body><article><h1>Still here</h1><p>An ordinary page that every server can read.</p></article></body>"
ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def hostile_site() -> Iterator[str]:
    """Yields `host:port`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "bench.scorecard.hostile_site", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"HOSTILE_N": SIZE}, stderr=subprocess.DEVNULL)
    try:
        _until_listening(port)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait(10)


def _until_listening(port: int) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


async def _next(reader: Any, writer: Any, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(_PAGE) + _PAGE)
    await writer.drain()


async def _no_robots(reader: Any, writer: Any, path: str) -> None:
    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


async def _serve(port: int) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from security import hostile

    hostile.BEH |= {"next": _next, "robots.txt": _no_robots}
    server = await hostile.serve(port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
