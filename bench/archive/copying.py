"""A copy there and back, each killed once on the way.  python -m bench.archive.copying [DOCUMENTS [FILE]]

Documents are kept in SQLite with their static vectors, copied by `mcp-web store copy` to a PostgreSQL server that is
started here, and from there to another SQLite file. Each copying process is killed at a third and started again. In the
end the digests of all three must be the same, and a check must find nothing. FILE: an archive that is there already.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
import tempfile
import time
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from bench.archive.__main__ import _load
from bench.archive.corpus import available, documents
from mcp_web.app import App
from mcp_web.archive.transfer import page_digest
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.services.embed_documents import embed_documents
from mcp_web.settings import load
from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.store import SqliteStore
from store.postgres_server import running


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder, running() as server:
        file = sys.argv[2] if len(sys.argv) > 2 else f"{folder}/from.sqlite"
        anyio.run(_measure, count, file, server.database(), f"{folder}/back.sqlite")


async def _measure(count: int, *places: str) -> None:
    await _fill(count, Path(places[0]))
    for source, target in itertools.pairwise(places):
        await _copy(source, target, count)
    digests = []
    for place in places:
        store = await engine_of(place).open(place, StoreOptions())
        digests.append(await _digest(store))
        print(f"faults found by the check: {len(await store.check())}", flush=True)
        await store.close()
    print(f"{count:,} documents, there and back: {'identical' if len(set(digests)) == 1 else 'NOT IDENTICAL'}")


async def _digest(store: Store) -> str:
    """A digest of everything kept of all pages."""
    whole = hashlib.sha256()
    after = ""
    while keys := await store.keys(after, 100):
        for record in (await store.page_records(keys)).values():
            whole.update(page_digest(record))
        after = keys[-1]
    return whole.hexdigest()


async def _fill(count: int, file: Path) -> None:
    store = await SqliteStore.open(file)
    if not (await store.size()).pages:
        await _load(store, list(documents(count)))
    await store.close()
    async with App(load(environ={"MCP_WEB_DB_PATH": str(file), "MCP_WEB_EMBEDDINGS": "none"})) as app:
        await embed_documents(app, only=STATIC_MODEL)


async def _copy(source: str, target: str, count: int) -> None:
    """Copy in a process that is killed on the way, then again to the end."""
    command = [sys.executable, "-m", "mcp_web", "store", "copy", source, target]
    store = await engine_of(target).open(target, StoreOptions())
    async with await anyio.open_process(command, stdout=None, stderr=None) as first:
        while (await store.size()).pages < count // 3 and first.returncode is None:  # noqa: ASYNC110
            await anyio.sleep(0.5)
        first.kill()
    print(f"the copy was killed at {(await store.size()).pages:,} of {count:,} pages", flush=True)
    await store.close()
    begun = time.perf_counter()
    done = await anyio.run_process(command)
    print(f"resumed, {time.perf_counter() - begun:.0f} s: {done.stdout.decode().splitlines()[0]}", flush=True)


if __name__ == "__main__":
    main()
