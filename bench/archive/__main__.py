"""The archive against tantivy over the same documents.  python -m bench.archive [DOCUMENTS [FOLDER]]

Search with highlights as a tool answers it, by words and by words and meaning, beside tantivy's bare ranking (no text,
no highlights); misspelt questions beside clean ones; size of the database beside the text; what is found by meaning
beside comparing everything. All are asked in turn, so that a busy machine slows all; CPU time is given beside wall time
for the same reason. With a FOLDER what was built is left there and used again. `bench.archive.sync` measures folders.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from bench.archive import exact, vectors
from bench.archive.corpus import Made, asked_by_people, available, documents, misspelt, questions
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.embed.embedder import Embedder, QuestionVectors
from mcp_web.embed.open import open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.model.page import Document, Heading
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.store.protocol import Derived
from mcp_web.store.sqlite.store import SqliteStore

QUESTIONS = 300


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    wanted = sys.argv[1:] if Path(sys.argv[0]).parent.name == "archive" else []
    count = int(wanted[0]) if wanted else 100_000
    made = list(documents(count))
    if len(wanted) > 1:
        anyio.run(_measure, made, Path(wanted[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, made, Path(folder))


async def _measure(made: list[Made], folder: Path) -> None:
    file = folder / "archive.sqlite"
    embedder = open_embedder(EmbedOptions())
    store = await SqliteStore.open(file)
    if (await store.size()).pages != len(made):
        await _load(store, made)
    if await store.lacking_vectors(embedder.name, 1):
        by_sentence = await vectors.sentence_vectors(embedder, folder / "sentences.npy")
        pages = ((one.key, one.hash, vectors.passage_rows(made[at], by_sentence)) for at, one in _snapshots(made))
        vectors.keep_vectors(file, embedder.name, pages)
        await store.maintain()  # as a server does when it has made them
    text = sum(len(one.markdown.encode()) for one in made)
    size = (await store.size()).disk_bytes
    print(
        f"{len(made):,} documents, {text / 1e6:.0f} MB of text; database with words and vectors: "
        f"{size / text:.2f} × the text (bar: 3 ×)"
    )
    asked = questions(made, QUESTIONS)
    peer = _tantivy(made, folder / "tantivy")
    print("questions of two to twelve telling words:")
    await _compare(store, embedder, peer, asked)
    print("questions as people ask them (Cranfield, SciFact):")
    _show(await _timed(store, embedder, peer, asked_by_people(QUESTIONS)))
    await exact.compare(store, file, embedder, [" ".join(question) for question in asked[:50]])
    await store.close()


async def _load(store: SqliteStore, made: list[Made]) -> None:
    begun = time.perf_counter()
    batch: list[tuple[Snapshot, Derived]] = []
    for number, snapshot in _snapshots(made):
        batch.append((snapshot, derive(snapshot)))
        if len(batch) == 200 or number == len(made) - 1:
            await store.keep_many(batch)
            batch = []
    await store.maintain()
    print(f"kept at {len(made) / (time.perf_counter() - begun):.0f} a second", flush=True)


@dataclass
class Times:
    """Milliseconds of each question: on the clock, and of CPU."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def measured(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu.append((time.process_time() - cpu) * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)

    def p50(self) -> tuple[float, float]:
        return statistics.median(self.wall), statistics.median(self.cpu)


Peer = Callable[[list[str]], Any]


async def _compare(store: SqliteStore, embedder: Embedder, peer: Peer, asked: list[list[str]]) -> None:
    chance = random.Random(5)
    _show(await _timed(store, embedder, peer, asked))
    archive, clean, wrong = Archive(store, QuestionVectors(embedder)), Times(), Times()
    recall: list[float] = []
    for question in asked:
        typo = misspelt(question, chance)
        if typo is None:
            continue
        with clean.measured():
            expected = await _search(archive, question, "text")
        with wrong.measured():
            found = await _search(archive, typo, "text")
        if expected:
            recall.append(len(expected & found) / len(expected))
    more = [one - other for one, other in zip(wrong.p50(), clean.p50(), strict=True)]
    print(f"  misspelt: wall {more[0]:+.2f} ms, CPU {more[1]:+.2f} ms (bar: 5 ms)")
    print(f"  misspelt: recall@10 {statistics.mean(recall):.3f} of the clean question's (bar: .90)")


async def _timed(store: SqliteStore, embedder: Embedder, peer: Peer, asked: list[list[str]]) -> dict[str, Times]:
    times = {name: Times() for name in ("tantivy", "text", "hybrid", "known", "model")}
    archive = Archive(store, QuestionVectors(embedder))
    for question in asked:  # warming up: both have read every list once
        peer(question)
        await _search(archive, question, "hybrid")
    for question in asked:
        with times["tantivy"].measured():
            peer(question)
        with times["text"].measured():
            await _search(archive, question, "text")
        with times["model"].measured():
            await embedder.embed([" ".join(question)], "query")
        new = Archive(store, QuestionVectors(embedder))  # knows no question's vector yet
        with times["hybrid"].measured():
            await _search(new, question, "hybrid")
        with times["known"].measured():
            await _search(new, question, "hybrid")
    return times


def _show(times: dict[str, Times]) -> None:
    for clock, at in (("wall", 0), ("CPU", 1)):
        p50 = {what: one.p50()[at] for what, one in times.items()}
        their = p50["tantivy"]
        print(f"  {clock}, p50; tantivy, ranking alone: {their:.2f} ms (bar for ours: 5 ×)")
        for what, name in (
            ("text", "by words, with highlights"),
            ("known", "hybrid, with highlights, the question's vector known"),
            ("hybrid", "hybrid, with highlights, the model reading the question"),
            ("model", "the model alone"),
        ):
            print(f"    {name}: {p50[what]:.2f} ms = {p50[what] / their:.1f} ×")


async def _search(archive: Archive, question: list[str], mode: SearchMode) -> set[str]:
    answer = await archive.search(ArchiveQuery(" ".join(question), mode=mode))
    return {result.document.id for result in answer.results}


def _tantivy(made: list[Made], folder: Path) -> Peer:
    try:
        import tantivy
    except ImportError:
        sys.exit("The peer is not here: pip install tantivy")
    builder = tantivy.SchemaBuilder()
    for name in ("title", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
    built = folder.exists()
    folder.mkdir(exist_ok=True)
    index = tantivy.Index(builder.build(), str(folder))
    if not built:
        writer = index.writer(200_000_000, 1)
        for one in made:
            writer.add_document(tantivy.Document(title=one.title, body=one.markdown))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
    searcher = index.searcher()
    return lambda question: searcher.search(index.parse_query(" ".join(question), ["title", "body"]), 10).hits


def _snapshots(made: list[Made]) -> Iterator[tuple[int, Snapshot]]:
    return ((number, _snapshot(number, one)) for number, one in enumerate(made))


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
