"""Does the archive find what judges found relevant?  python -m bench.archive.quality [hybrid]

nDCG@10 over three collections with judgements, by words alone and, with `hybrid`, with the packaged model (minutes).
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from bench.archive.corpus import available, evalsets
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.model.page import Document
from mcp_web.model.passage import PackedVectors
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.protocol import Store
from mcp_web.store.sqlite.store import SqliteStore

# RETRIEVAL.md: FTS5's words, and the best of all methods.
WORDS = {"cranfield": 0.385, "scifact_part": 0.743, "cisi": 0.332}
BEST = {"cranfield": 0.455, "scifact_part": 0.806, "cisi": 0.427}


def main() -> None:
    if not available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    hybrid = "hybrid" in sys.argv
    for name in WORDS:
        with tempfile.TemporaryDirectory() as folder:
            anyio.run(_measure, name, Path(folder), hybrid)


async def _measure(name: str, folder: Path, hybrid: bool) -> None:
    texts, asked, judged = evalsets().ADHOC[name]()
    store = await SqliteStore.open(folder / "s.sqlite")
    made = [snapshot_of(number, text) for number, text in texts.items()]
    await store.keep_many([(one, derive(one)) for one in made])
    words = await ndcg(Archive(store), asked, judged, "text")
    print(f"{name}: words {words:.3f} (FTS5 {WORDS[name]:.3f})", flush=True)
    if hybrid:
        from mcp_web.embed.embedder import QuestionVectors
        from mcp_web.embed.open import open_embedder
        from mcp_web.embed.options import EmbedOptions

        embedder = open_embedder(EmbedOptions(threads=1))
        await _embed(store, embedder, texts)
        both = await ndcg(Archive(store, QuestionVectors(embedder)), asked, judged, "hybrid")
        print(f"{name}: words and meaning {both:.3f} (best of RETRIEVAL {BEST[name]:.3f})", flush=True)
    await store.close()


async def ndcg(archive: Archive, asked: Mapping[str, str], judged: Mapping[str, Mapping[str, int]], mode: Any) -> float:
    """Mean nDCG@10 over all questions."""
    total = 0.0
    for number, text in asked.items():
        answer = await archive.search(ArchiveQuery(text.replace('"', " "), fuzzy=False, mode=mode))
        found = [result.document.url.rpartition("/")[2] for result in answer.results]
        gains = [judged[number].get(one, 0) for one in found]
        ideal = sorted(judged[number].values(), reverse=True)[:10]
        total += _discounted(gains) / _discounted(ideal)
    return total / len(asked)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(at + 2) for at, gain in enumerate(gains))


async def _embed(store: Store, embedder: Any, texts: Mapping[str, str]) -> None:
    numbers = list(texts)
    for at in range(0, len(numbers), 64):
        batch = numbers[at : at + 64]
        rows = await embedder.embed([texts[number] for number in batch], "passage")
        for number, row in zip(batch, rows, strict=True):
            packed = PackedVectors(embedder.name, len(row), ("whole",), row.astype("<f4").tobytes())
            await store.keep_vectors({page_key(_url(number), "readable"): packed})


def _url(number: str) -> str:
    return f"https://collection.example/{number}"


def snapshot_of(number: str, text: str) -> Snapshot:
    url = _url(number)
    key = page_key(url, "readable")
    document = Document("", text, "bench@1")
    return Snapshot(key, snapshot_hash(key, text), url, url, "readable", document, 1.0, 1.0, 2.0)


if __name__ == "__main__":
    main()
