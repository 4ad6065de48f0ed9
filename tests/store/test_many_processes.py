"""Several processes on one file, and processes that die."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_web.store.protocol import WordQuery
from mcp_web.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio
WRITER = Path(__file__).with_name("writer.py")


def _start(file: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(file), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_processes_that_start_at_once_and_write_to_one_file_all_succeed(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    writers = [_start(file, f"w{number}", 60) for number in range(4)]
    told: list[str] = []
    for writer in writers:
        out, err = writer.communicate(timeout=60)
        assert writer.returncode == 0, err
        told += out.split()
    store = await SqliteStore.open(file)
    assert (await store.size()).pages == len(told) == 240
    for hash_ in told:
        assert await store.snapshot(hash_) is not None
    for number in (0, 30, 59):
        found = await store.find_by_words(WordQuery((f"word{number}",)), 10)
        assert len(found.candidates) == 4
    await store.close()


async def test_a_killed_writer_loses_nothing_it_said_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    told: list[str] = []
    for round_ in range(5):
        writer = _start(file, f"round{round_}", 0)
        assert writer.stdout is not None
        told += [writer.stdout.readline().strip() for _ in range(7 + 5 * round_)]
        writer.kill()
        # A kill may cut the last line short; only whole lines were said.
        told += [line for line in writer.communicate(timeout=60)[0].split() if len(line) == 64]
    store = await SqliteStore.open(file)
    for hash_ in told:
        assert await store.snapshot(hash_) is not None
    pages = (await store.size()).pages
    await store.maintain()
    assert len((await store.find_by_words(WordQuery(prefixes=("word",)), 10_000)).candidates) == pages
    await store.close()
    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
