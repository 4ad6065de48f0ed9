"""The archive against tantivy over the same documents.  python -m bench.archive [DOCUMENTS [FOLDER]]

Search with highlights as a tool answers it, beside tantivy's bare ranking (no text, no highlights); misspelt questions
beside clean ones; size of the database beside the text. Both are asked in turn, so that a busy machine slows both;
CPU time is given beside wall time for the same reason. With a FOLDER what was built is left there and used again.
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
    wanted = sys.argv[1:] if Path(sys.argv[0]).parent.name == "archive" else []
    count = int(wanted[0]) if wanted else 100_000
    made = list(documents(count))
    if len(wanted) > 1:
        anyio.run(_measure, made, Path(wanted[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, made, Path(folder))


async def _measure(made: list[Made], folder: Path) -> None:
    store = await SqliteStore.open(folder / "archive.sqlite")
    if (await store.size()).pages != len(made):
        await _load(store, made)
    text = sum(len(one.markdown.encode()) for one in made)
    size = (await store.size()).file_bytes
    print(f"{len(made):,} documents, {text / 1e6:.0f} MB of text; database: {size / text:.2f} × the text (bar: 3 ×)")
    await _compare(Archive(store), _tantivy(made, folder / "tantivy"), questions(made, QUESTIONS))
    await store.close()


async def _load(store: SqliteStore, made: list[Made]) -> None:
    begun = time.perf_counter()
    for number, one in enumerate(made):
        snapshot = _snapshot(number, one)
        await store.keep(snapshot, derive(snapshot))
    await store.tidy()
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


async def _compare(archive: Archive, peer: Callable[[list[str]], Any], asked: list[list[str]]) -> None:
    chance = random.Random(5)
    theirs, ours, misspelt_times, clean_times = Times(), Times(), Times(), Times()
    recall: list[float] = []
    for question in asked:  # warming up: both have read every list once
        peer(question)
        await _search(archive, question)
    for question in asked:
        with theirs.measured():
            peer(question)
        with ours.measured():
            clean = await _search(archive, question)
        typo = misspelt(question, chance)
        if typo is None or not clean:
            continue
        with clean_times.measured():
            await _search(archive, question)
        with misspelt_times.measured():
            found = await _search(archive, typo)
        recall.append(len(clean & found) / len(clean))
    for name, at in (("wall", 0), ("CPU", 1)):
        their, our = theirs.p50()[at], ours.p50()[at]
        more = misspelt_times.p50()[at] - clean_times.p50()[at]
        print(
            f"{name}: tantivy, ranking alone p50 {their:.2f} ms; archive, with highlights p50 {our:.2f} ms "
            f"= {our / their:.1f} × (bar: 5 ×); misspelt {more:+.2f} ms (bar: 5 ms)"
        )
    print(f"misspelt: recall@10 {statistics.mean(recall):.3f} of the clean question's (bar: .90)")


async def _search(archive: Archive, question: list[str]) -> set[str]:
    answer = await archive.search(ArchiveQuery(" ".join(question), mode="text"))
    return {result.document.id for result in answer.results}


def _tantivy(made: list[Made], folder: Path) -> Callable[[list[str]], Any]:
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
