"""SQLite and PostgreSQL side by side, on the same documents.  python -m bench.archive.stores [DOCUMENTS [PASSAGES]]

Documents are kept in SQLite and copied to a PostgreSQL server that is started here and back; the copying process is
killed once on the way. PASSAGES of each document have vectors (3; with 0 nothing is copied back). Then the same
questions are asked of both: the order must be the same, and times are compared.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from bench.archive.__main__ import _load, _snapshots
from bench.archive.corpus import available, documents, questions
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.transfer import copy_store
from mcp_web.model.passage import PackedVectors
from mcp_web.store.open import open_place
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.store import SqliteStore
from store.postgres_server import running

DIM = 384
ASKED = 200


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count, passages = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((1, 20_000), (2, 3)))
    with tempfile.TemporaryDirectory() as folder, running() as server:
        anyio.run(_measure, count, passages, Path(folder), server.database())


async def _measure(count: int, passages: int, folder: Path, server: str) -> None:
    made = list(documents(count))
    local = await SqliteStore.open(folder / "from.sqlite")
    await _load(local, made)
    keys = [one.key for _, one in _snapshots(made)]
    await _keep_vectors(local, keys, made, passages)
    await copy_killed_once(folder / "from.sqlite", server, count)
    remote = await open_place(server, StoreOptions())
    if passages:
        await _copy_back(local, remote, folder / "back.sqlite")
    begun = time.perf_counter()
    await remote.maintain()
    print(f"indexes of the server finished in {time.perf_counter() - begun:.0f} s", flush=True)
    sizes = [(await store.size()).disk_bytes for store in (local, remote)]
    print(f"on disk: SQLite {sizes[0] / 1e6:.0f} MB, PostgreSQL {sizes[1] / 1e6:.0f} MB = {sizes[1] / sizes[0]:.1f} ×")
    await _compare(local, remote, keys, [" ".join(one) for one in questions(made, ASKED)])
    for store in (local, remote):
        await store.close()


async def _copy_back(local: Store, remote: Store, file: Path) -> None:
    begun = time.perf_counter()
    back = await SqliteStore.open(file)
    there, home = await copy_store(local, remote), await copy_store(remote, back)
    print(f"copied back in {time.perf_counter() - begun:.0f} s; identical: {there.digest == home.digest}", flush=True)
    await back.close()


async def copy_killed_once(source: Path, target: str, count: int) -> None:
    """Copy in a process that is killed on the way, then again to the end."""
    command = [sys.executable, "-m", "mcp_web", "store", "copy", str(source), target]
    store = await open_place(target, StoreOptions())
    async with await anyio.open_process(command, stdout=None, stderr=None) as first:
        while (await store.size()).pages < count // 3 and first.returncode is None:  # noqa: ASYNC110
            await anyio.sleep(0.5)
        first.kill()
    print(f"the copy was killed at {(await store.size()).pages} of {count} pages", flush=True)
    await store.close()
    begun = time.perf_counter()
    done = await anyio.run_process(command)
    print(f"resumed, {time.perf_counter() - begun:.0f} s: {done.stdout.decode().splitlines()[0]}", flush=True)


async def _keep_vectors(store: SqliteStore, keys: list[str], made: list[Any], passages: int) -> None:
    chance = np.random.default_rng(3)
    hashes = [one.hash for _, one in _snapshots(made)]
    names = tuple("abcdefghij"[:passages])
    for key, hash_ in zip(keys, hashes, strict=True) if passages else ():
        rows = chance.normal(size=(passages, DIM)).astype("<f4")
        await store.keep_vectors(key, PackedVectors("bench@1", DIM, names, rows.tobytes(), hash_))


async def _compare(local: Store, remote: Store, keys: list[str], asked: list[str]) -> None:
    answers: dict[str, list[list[str]]] = {}
    chance = np.random.default_rng(4)
    vectors = [chance.normal(size=DIM).tolist() for _ in asked]
    opened = random.Random(5).choices(keys, k=len(asked))
    works: dict[str, Callable[[Store, int], Awaitable[list[str]]]] = {
        "search by words, with highlights": lambda store, at: _search(store, asked[at]),
        "nearest documents to a vector": lambda store, at: _near(store, vectors[at]),
        "cached open": lambda store, at: _open(store, opened[at]),
    }
    for name, work in works.items():
        times: list[list[float]] = [[], []]
        answers[name] = [[], []]
        for at in range(-10, len(asked)):
            for number, store in enumerate((local, remote)):
                begun = time.perf_counter()
                found = await work(store, at)
                if at >= 0:
                    times[number].append((time.perf_counter() - begun) * 1000)
                    answers[name][number].append("\n".join(found))
        p50 = [statistics.median(one) for one in times]
        same = sum(one == other for one, other in zip(*answers[name], strict=True))
        print(
            f"{name}: p50 SQLite {p50[0]:.2f} ms, PostgreSQL {p50[1]:.2f} ms = {p50[1] / p50[0]:.1f} ×; "
            f"{same} of {len(asked)} answers the same in the same order",
            flush=True,
        )


async def _search(store: Store, text: str) -> list[str]:
    archive = _ARCHIVES.setdefault(id(store), Archive(store))
    return [one.document.id for one in (await archive.search(ArchiveQuery(text, mode="text"))).results]


_ARCHIVES: dict[int, Archive] = {}


async def _near(store: Store, vector: list[float]) -> list[str]:
    return [one.key for one in await store.find_by_vector("bench@1", vector, 10)]


async def _open(store: Store, key: str) -> list[str]:
    found = await store.latest(key)
    return [found.hash] if found else []


if __name__ == "__main__":
    main()
