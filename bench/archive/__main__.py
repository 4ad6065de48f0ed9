"""The archive against tantivy over the same documents.  python -m bench.archive [DOCUMENTS]

Search with highlights as a tool answers it, beside tantivy's bare ranking (no text, no highlights); misspelt questions
beside clean ones; size of the database beside the text. Both are asked in turn, so that a busy machine slows both.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from bench.archive.corpus import Made, available, documents, misspelt, questions
from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.model.page import Document, Heading
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.sqlite.store import SqliteStore

QUESTIONS = 300


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 100_000
    made = list(documents(count))
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, made, Path(folder))


async def _measure(made: list[Made], folder: Path) -> None:
    store = await SqliteStore.open(folder / "archive.sqlite")
    begun = time.perf_counter()
    for number, one in enumerate(made):
        snapshot = _snapshot(number, one)
        await store.keep(snapshot, derive(snapshot))
    await store.tidy()
    text = sum(len(one.markdown.encode()) for one in made)
    size = (await store.size()).file_bytes
    print(f"{len(made):,} documents, {text / 1e6:.0f} MB of text, kept at {len(made) / _since(begun):.0f} a second")
    print(f"database: {size / text:.2f} × the text (bar: 3 ×)")
    begun = time.perf_counter()
    peer = _tantivy(made, folder / "tantivy")
    print(f"tantivy built in {_since(begun):.0f} s")
    await _compare(Archive(store), peer, questions(made, QUESTIONS))
    await store.close()


async def _compare(archive: Archive, peer: Callable[[list[str]], Any], asked: list[list[str]]) -> None:
    chance = random.Random(5)
    theirs: list[float] = []
    ours: list[float] = []
    corrected: list[float] = []
    clean_twin: list[float] = []
    recall: list[float] = []
    for number, question in enumerate(asked[:50] + asked):
        their_ms, _ = _timed(lambda question=question: peer(question))
        our_ms, clean = await _searched(archive, question)
        if number < 50:  # warming up
            continue
        theirs.append(their_ms)
        ours.append(our_ms)
        typo = misspelt(question, chance)
        if typo is not None:
            typo_ms, found = await _searched(archive, typo)
            corrected.append(typo_ms)
            clean_twin.append(our_ms)
            if clean:
                recall.append(len(clean & found) / len(clean))
    half = statistics.median
    print(f"tantivy, ranking alone: p50 {half(theirs):.2f} ms")
    print(f"archive, with highlights: p50 {half(ours):.2f} ms = {half(ours) / half(theirs):.1f} × (bar: 5 ×)")
    print(f"misspelt: p50 {half(corrected):.2f} ms, {half(corrected) - half(clean_twin):+.2f} ms (bar: 5 ms)")
    print(f"misspelt: recall@10 {statistics.mean(recall):.3f} of the clean question's (bar: .90)")


async def _searched(archive: Archive, question: list[str]) -> tuple[float, set[str]]:
    begun = time.perf_counter()
    answer = await archive.search(ArchiveQuery(" ".join(question), mode="text"))
    return _since(begun) * 1000, {result.document.id for result in answer.results}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = work()
    return _since(begun) * 1000, found


def _since(begun: float) -> float:
    return time.perf_counter() - begun


def _tantivy(made: list[Made], folder: Path) -> Callable[[list[str]], Any]:
    try:
        import tantivy
    except ImportError:
        sys.exit("The peer is not here: pip install tantivy")
    folder.mkdir()
    builder = tantivy.SchemaBuilder()
    for field in ("title", "body"):
        builder.add_text_field(field, stored=True, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build(), str(folder))
    writer = index.writer(200_000_000, 1)
    for one in made:
        writer.add_document(tantivy.Document(title=one.title, body=one.markdown))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    return lambda question: searcher.search(index.parse_query(" ".join(question), ["title", "body"]), 10).hits


def _snapshot(number: int, one: Made) -> Snapshot:
    url = f"https://site{number % 300}.example/document/{number}"
    key = page_key(url, "readable")
    document = Document(one.title, one.markdown, "bench@1", headings=(Heading(1, one.title, 0),))
    at = 1_700_000_000.0 + number
    return Snapshot(
        key,
        snapshot_hash(key, one.markdown),
        url,
        url,
        "readable",
        document,
        at,
        at,
        at + 86400,
        media_type="text/html",
    )


if __name__ == "__main__":
    main()
