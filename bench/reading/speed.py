"""What does reading cost?  python -m bench.reading.speed

Prints: the model's passages per second and milliseconds per question, the judge's pairs per second, a cached read in
process, a first read, and a page of 200,000 words with the longest time the event loop was held. Ratios matter, not
milliseconds.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from mcp_web.embed.judge import Judge
from mcp_web.embed.open import NoEmbedder, open_embedder
from mcp_web.embed.options import EmbedOptions
from mcp_web.index.reader import PageReader
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot, page_key, snapshot_hash
from mcp_web.read.passages import passages
from mcp_web.store.sqlite.store import SqliteStore
from mcp_web.text.headings import read_headings

URL = "https://bench.example/page"
KEY = page_key(URL, "readable")


def page(words: int, seed: int = 1) -> str:
    dice = random.Random(seed)
    vocabulary = [
        "".join(dice.choice("aeioubcdfglmnprst") for _ in range(dice.randrange(3, 10))) for _ in range(20_000)
    ]
    parts = []
    while words > 0:
        said = dice.choices(vocabulary, k=dice.randrange(60, 140))
        words -= len(said)
        parts.append(
            (f"## {' '.join(said[:3])}\n\n" if dice.random() < 0.2 else "") + " ".join(said).capitalize() + "."
        )
    return "\n\n".join(parts)


async def longest_hold(done: anyio.Event) -> float:
    worst, last = 0.0, time.perf_counter()
    while not done.is_set():
        await anyio.sleep(0.001)
        now = time.perf_counter()
        worst, last = max(worst, now - last - 0.001), now
    return worst


async def main() -> None:
    model = open_embedder(EmbedOptions(threads=1))
    begun = time.perf_counter()
    await model.embed(["load"])
    print(f"load of the model            {time.perf_counter() - begun:8.2f} s")
    texts = [one.text for one in passages(page(8000))][:64]
    begun = time.process_time()
    await model.embed(texts)
    print(f"passages per cpu second      {len(texts) / (time.process_time() - begun):8.1f}")
    times = []
    for number in range(40):
        begun = time.perf_counter()
        await model.embed([f"what is number {number}?"], "query")
        times.append(time.perf_counter() - begun)
    print(f"embedding of a question, p50 {statistics.median(times) * 1000:8.2f} ms")
    judge = Judge(threads=1)
    pairs = [("what is this number?", text) for text in texts[:16]]
    await judge.scores(pairs)
    begun = time.process_time()
    await judge.scores(pairs)
    print(f"pairs judged per cpu second  {len(pairs) / (time.process_time() - begun):8.1f}")
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder, "s.sqlite"))
        document = Document("t", "x", "bench@1")
        await store.keep(Snapshot(KEY, snapshot_hash(KEY, "x"), URL, URL, "readable", document, 0, 0, 0))
        await cached(store, PageReader(store, model, passages, judge=judge), page(1100))
        for name, reader in (
            ("words", PageReader(store, NoEmbedder(), passages)),
            ("judge", PageReader(store, model, passages, judge=judge)),
        ):
            await huge(name, reader, page(200_000))
        await store.close()


async def cached(store: SqliteStore, reader: PageReader, text: str) -> None:
    headings = read_headings(text)
    begun = time.perf_counter()
    answer = await reader.rank(KEY, text, headings, ["first question of all"])
    print(f"first read, 1,500 tokens     {(time.perf_counter() - begun) * 1000:8.1f} ms, {answer.embedded} read")
    times = []
    for number in range(100):
        begun = time.perf_counter()
        await reader.rank(KEY, text, headings, [f"question number {number}"])
        times.append(time.perf_counter() - begun)
    print(f"cached read, new question    {statistics.median(times) * 1000:8.2f} ms p50")


async def huge(name: str, reader: PageReader, text: str) -> None:
    headings = read_headings(text)
    done = anyio.Event()
    held: list[float] = []

    async def watch() -> None:
        held.append(await longest_hold(done))

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        begun = time.perf_counter()
        answer = await reader.rank("00" * 32, text, headings, [" ".join(text.split()[5000:5006])])
        took = time.perf_counter() - begun
        done.set()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"200,000 words, {name:6}        {took:8.2f} s, {answer.passages} passages, {answer.embedded} read, "
        f"loop held {held[0] * 1000:.0f} ms at most, peak {memory:.0f} MB"
    )


if __name__ == "__main__":
    sys.exit(anyio.run(main))
