"""The same questions to both stores on judged collections: the same documents in the same order?

`python -m bench.archive.judged [NAME…]`: every question of three collections, or of those named, by words, and by words
and the packaged static vectors, against a PostgreSQL server that is started here.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from bench.archive.corpus import available, evalsets
from bench.archive.quality import WORDS, snapshot_of
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.embed.embedder import QuestionVectors
from mcp_web.embed.static import StaticEmbedder
from mcp_web.model.passage import PackedVectors
from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions
from mcp_web.store.protocol import Store
from store.postgres_server import running

MODES: tuple[SearchMode, ...] = ("text", "hybrid", "semantic")


def main() -> None:
    if not available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    with tempfile.TemporaryDirectory() as folder, running() as server:
        for name in sys.argv[1:] or WORDS:
            anyio.run(_compare, name, f"{folder}/{name}.sqlite", server.database())


async def _compare(name: str, *places: str) -> None:
    texts, asked, _ = evalsets().ADHOC[name]()
    embedder = StaticEmbedder()
    stores = [await engine_of(place).open(place, StoreOptions()) for place in places]
    for store in stores:
        await _fill(store, texts, embedder)
    archives = [Archive(store, static=QuestionVectors(embedder)) for store in stores]
    for mode in MODES:
        same = 0
        for text in asked.values():
            found = [await _ranked(archive, text.replace('"', " "), mode) for archive in archives]
            same += found[0] == found[1]
        print(f"{name}, {mode}: {same} of {len(asked)} questions gave the same documents in the same order", flush=True)
    for store in stores:
        await store.close()


async def _fill(store: Store, texts: dict[str, str], embedder: Any) -> None:
    made = [snapshot_of(number, text) for number, text in texts.items()]
    for at in range(0, len(made), 200):
        await store.keep_many([(one, derive(one)) for one in made[at : at + 200]])
    for at in range(0, len(made), 500):
        some = made[at : at + 500]
        rows = await embedder.embed([one.document.markdown for one in some], "passage")
        for one, row in zip(some, rows, strict=True):
            packed = PackedVectors(embedder.name, len(row), ("whole",), row.astype("<f4").tobytes(), one.hash)
            await store.keep_vectors({one.key: packed})


async def _ranked(archive: Archive, text: str, mode: SearchMode) -> list[tuple[float, str]]:
    """Documents with their scores; equal scores are ordered by id, so that a tie is no difference."""
    answer = await archive.search(ArchiveQuery(text, mode=mode))
    return sorted((-round(one.document.score, 3), one.document.id) for one in answer.results)


if __name__ == "__main__":
    main()
