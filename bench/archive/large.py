"""Both stores at a real size, in one run.  python -m bench.archive.large [DOCUMENTS [FOLDER]]

Documents of some hundred words are kept in SQLite, embedded by the static signal, as a server would, and copied to a
PostgreSQL server that is started here (bench/archive/bulk.py). Then each question is put to both in turn, with
highlights, and both open the same kept pages. At the end four processes open and keep the same 1,000 pages of a
site in each store. With a FOLDER what was built is left there and used again.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from bench.archive.__main__ import _snapshots
from bench.archive.bulk import fill
from bench.archive.corpus import Made, available, documents, questions
from bench.team.site import Site
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.archive.derive import derive
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.model.snapshot import page_key
from mcp_web.services.embed_documents import embed_documents
from mcp_web.services.open_page import OpenRequest, open_page
from mcp_web.services.search_archive import search_archive
from mcp_web.settings import Settings, load
from mcp_web.store.postgres.store import PostgresStore
from store.postgres_server import PostgresServer

ASKED, OPENED, WARM_UP = 200, 1000, 20
PROCESSES, PAGES = 4, 1000
_BATCH = 500
_SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "4GB"}
_DATABASE = "archive"
_YEARS = 20 * 365 * 86400.0  # that the kept pages stay fresh


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        run(count, Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        run(count, Path(folder))


def run(count: int, folder: Path) -> None:
    place = folder / "postgres"
    server = PostgresServer(place)
    made = list(documents(count))
    try:
        anyio.run(_measure, made, folder, server)
    finally:
        server.stop()


async def _measure(made: list[Made], folder: Path, server: PostgresServer) -> None:
    words = sum(len(one.markdown.split()) for one in made) / len(made)
    print(f"{len(made):,} documents of {words:.0f} words", flush=True)
    await _fill(made, folder)
    address = await _start(server, folder)
    async with AsyncExitStack() as stack:
        environs = ({"MCP_WEB_DB_PATH": str(folder / "archive.sqlite")}, {"MCP_WEB_DATABASE_URL": address})
        apps = [await stack.enter_async_context(App(_settings(folder, one))) for one in environs]
        await _finish(apps)
        await _compare(apps, made)
        for app, given in zip(apps, ([], [address]), strict=True):
            await _open_at_once(app, folder, given)


def _settings(folder: Path, place: dict[str, str]) -> Settings:
    return load(environ={"MCP_WEB_EMBEDDINGS": "none", "DATA_DIR": str(folder), **place})


async def _fill(made: list[Made], folder: Path) -> None:
    async with App(_settings(folder, {"MCP_WEB_DB_PATH": str(folder / "archive.sqlite")})) as app:
        store = await app.store()
        if (kept := (await store.size()).pages) < len(made):
            begun = time.perf_counter()
            snapshots = [replace(one, fresh_until=one.fetched_at + _YEARS) for _, one in _snapshots(made)]
            for at in range(kept, len(made), _BATCH):
                await store.keep_many([(one, derive(one)) for one in snapshots[at : at + _BATCH]])
            await store.maintain()
            print(f"kept in SQLite at {_rate(len(made) - kept, begun)}", flush=True)
        begun = time.perf_counter()
        if done := await embed_documents(app, only=STATIC_MODEL):
            print(f"embedded by the static signal at {_rate(done, begun)}", flush=True)


async def _start(server: PostgresServer, folder: Path) -> str:
    address: str = server.url(_DATABASE)
    if (server.folder / "filled").exists():
        server.start(**_SETTINGS)
        return address
    await anyio.Path(folder).chmod(0o755)  # the server runs as another user
    server.folder.mkdir(exist_ok=True)
    server.create()
    with server.superuser() as db:
        db.execute(f"CREATE DATABASE {_DATABASE} OWNER archivist")
    server.stop()
    server.start(**_SETTINGS)
    begun = time.perf_counter()
    store = await PostgresStore.open(address)
    await anyio.to_thread.run_sync(_fill_server, folder / "archive.sqlite", server, store.tenant)
    await store.close()
    print(f"the same rows copied to PostgreSQL in {time.perf_counter() - begun:.0f} s", flush=True)
    (server.folder / "filled").touch()
    return address


def _fill_server(file: Path, server: PostgresServer, tenant: int) -> None:
    with server.superuser(_DATABASE) as db:
        fill(file, db, tenant)


async def _finish(apps: list[App]) -> None:
    begun = time.perf_counter()
    for app in apps:
        await (await app.store()).maintain()
    print(f"indexes finished in {time.perf_counter() - begun:.0f} s", flush=True)
    sizes = [(await (await app.store()).size()).disk_bytes / 1e6 for app in apps]
    print(f"on disk: SQLite {sizes[0]:.0f} MB, PostgreSQL {sizes[1]:.0f} MB = {sizes[1] / sizes[0]:.1f} ×", flush=True)


async def _compare(apps: list[App], made: list[Made]) -> None:
    asked = [" ".join(one) for one in questions(made, ASKED)]
    urls = random.Random(5).choices([one.url for _, one in _snapshots(made)], k=OPENED)
    modes: dict[str, SearchMode] = {"by words": "text", "by words and meaning": "hybrid", "by meaning": "semantic"}
    for name, mode in modes.items():
        await _time(f"search {name}, with highlights", apps, asked, partial(_search, mode=mode))
    await _time("cached open", apps, urls, _open)
    await _time("cached open of the store alone", apps, urls, _latest)


async def _search(app: App, text: str, mode: SearchMode) -> list[str]:
    answer = await search_archive(app, ArchiveQuery(text, mode=mode))
    return [f"{one.document.score:.3f} {one.document.id}" for one in answer.results]


async def _open(app: App, url: str) -> list[str]:
    opened = await open_page(app, OpenRequest(url))
    assert opened.cache == "hit", opened.cache
    return [opened.snapshot.hash]


async def _latest(app: App, url: str) -> list[str]:
    found = await (await app.store()).latest(page_key(url, "readable"))
    assert found is not None
    return [found.hash]


Work = Callable[[App, str], Awaitable[list[str]]]


async def _time(name: str, apps: list[App], asked: list[str], work: Work) -> None:
    """Ask both in turn, so that a busy machine slows both."""
    times: tuple[list[float], list[float]] = ([], [])
    same = 0
    for at, text in enumerate([*asked[:WARM_UP], *asked]):
        found = []
        for app, took in zip(apps, times, strict=True):
            begun = time.perf_counter()
            found.append(sorted(await work(app, text)))  # documents of the same score in any order
            took.append((time.perf_counter() - begun) * 1000)
        same += at >= WARM_UP and found[0] == found[1]
    p50, p95 = ([sorted(took[WARM_UP:])[int(share * len(asked))] for took in times] for share in (0.5, 0.95))
    print(
        f"{name}: p50 SQLite {p50[0]:.2f} ms, PostgreSQL {p50[1]:.2f} ms = {p50[1] / p50[0]:.2f} ×; "
        f"p95 {p95[0]:.1f} and {p95[1]:.1f} ms; {same} of {len(asked)} answers the same",
        flush=True,
    )


async def _open_at_once(app: App, folder: Path, given: list[str]) -> None:
    """Four processes open the same pages: each must be kept once. They are removed afterwards."""
    store = await app.store()
    before = await store.size()
    begun = time.perf_counter()
    with Site() as site:
        reported = await anyio.to_thread.run_sync(_run_openers, folder, site.url, given)
        seconds = time.perf_counter() - begun
        keys = [page_key(f"{site.url}/page/{number}", "readable") for number in range(PAGES)]
    kept = [one.hash if (one := await store.latest(key)) else "" for key in keys]
    after = await store.size()
    lost = len(set(reported) - set(kept))
    twice = after.snapshots - before.snapshots - PAGES
    name = "PostgreSQL" if given else "SQLite"
    print(
        f"{name}: {PROCESSES} processes opened the same {PAGES:,} pages in {seconds:.0f} s: {len(reported):,} opened, "
        f"{after.pages - before.pages:,} pages kept, {lost} lost, {twice} twice; faults found by the check: "
        f"{len(await store.check())}",
        flush=True,
    )
    await store.remove(keys)


def _run_openers(folder: Path, site: str, given: list[str]) -> list[str]:
    command = [sys.executable, "-m", "bench.archive.opener", str(folder), site, str(PAGES)]
    running = [
        subprocess.Popen([*command, str(seed), *given], stdout=subprocess.PIPE, text=True) for seed in range(PROCESSES)
    ]
    outputs = [one.communicate(timeout=900)[0] for one in running]
    assert not any(one.returncode for one in running), "an opening process failed"
    return [line for output in outputs for line in output.splitlines()]


def _rate(count: int, begun: float) -> str:
    seconds = time.perf_counter() - begun
    return f"{count / seconds:.0f} a second ({seconds:.0f} s)"


if __name__ == "__main__":
    main()
