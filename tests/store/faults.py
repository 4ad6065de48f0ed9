"""Writers in processes of their own, killed in the middle of writing: what tests and `bench.archive.faults` share."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store, WordQuery

from .postgres_server import PostgresServer

WRITER = Path(__file__).with_name("writer.py")
HASH = 64  # characters


def start(place: str, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), place, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def write_at_once(place: str, processes: int, pages: int) -> list[str]:
    """Several processes, started together, each keep some pages; returns the hashes that they reported."""
    writers = [start(place, f"w{number}", pages) for number in range(processes)]
    reported: list[str] = []
    for writer in writers:
        out, err = writer.communicate(timeout=900)
        if writer.returncode:
            raise AssertionError(err)
        reported += out.splitlines()
    return reported


def kill_writers(place: str, rounds: int) -> list[str]:
    """A writer is killed in each round; returns the hashes that it had reported."""
    reported: list[str] = []
    for number in range(rounds):
        writer = start(place, f"round{number}", 0)
        assert writer.stdout is not None
        reported += [writer.stdout.readline().strip() for _ in range(7 + 5 * number)]
        writer.kill()
        # A kill may cut the last line short; only whole lines were reported.
        reported += [line for line in writer.communicate(timeout=60)[0].splitlines() if len(line) == HASH]
    return reported


def kill_server(server: PostgresServer, place: str, rounds: int) -> list[str]:
    """The server is killed and started again in each round while one process writes; returns what it reported."""
    writer = start(place, "survivor", 0)
    reported: list[str] = []
    assert writer.stdout is not None
    reader = threading.Thread(target=lambda: reported.extend(line.strip() for line in writer.stdout or ()))
    reader.start()
    for _ in range(rounds):
        _wait_for_hashes(writer, reported, 10)
        server.kill()
        server.start()
    _wait_for_hashes(writer, reported, 10)  # it works again
    writer.kill()
    reader.join(60)
    writer.communicate()
    return reported


def _wait_for_hashes(writer: subprocess.Popen[str], reported: list[str], more: int) -> None:
    """Until so many more pages were kept."""
    wanted = sum(len(line) == HASH for line in reported) + more
    ends = time.monotonic() + 120
    while sum(len(line) == HASH for line in list(reported)) < wanted:
        if writer.poll() is not None or time.monotonic() > ends:
            writer.kill()
            raise AssertionError(f"The writer stopped: {reported[-3:]} {writer.stderr.read() if writer.stderr else ''}")
        time.sleep(0.02)


async def verify(place: str, reported: list[str]) -> tuple[int, list[float]]:
    """Everything reported as kept is there, once, and found; returns the pages and how long failed calls took."""
    hashes = [line for line in reported if len(line) == HASH]
    store: Store = await engine_of(place).open(place, StoreOptions())
    assert len(set(hashes)) == len(hashes)
    for hash_ in hashes:
        assert await store.snapshot(hash_) is not None, hash_
    size = await store.size()
    assert size.pages == size.snapshots >= len(hashes)
    found = await store.find_by_words(WordQuery(("shared",)), 100_000)
    await store.maintain()
    again = await store.find_by_words(WordQuery(("shared",)), 100_000)
    assert len(found.candidates) == len(again.candidates) == size.pages
    assert await store.check() == []
    await store.close()
    return size.pages, [float(line.split()[1]) for line in reported if line.startswith("retry")]
