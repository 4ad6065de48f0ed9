"""Is an archive ready at once, and does background work hold searches up?  python -m bench.archive.background [FILES]

A folder is synced. Directly afterwards every question is asked once by words and once by the static signal, without the
model. Then the same questions are asked by words and meaning in turns, while documents are embedded in the background
and while nothing else runs; both medians are printed, and their ratio. The searches count as calls, as in a server,
so background work waits for the batch at hand to end and then for them.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from bench.archive.corpus import Made, available, documents, questions
from mcp_web.app import App
from mcp_web.archive.answer import ArchiveQuery, SearchMode
from mcp_web.index.documents import STATIC_MODEL
from mcp_web.services.embed_documents import coverage, embed_documents, embed_in_background
from mcp_web.services.search_archive import search_archive
from mcp_web.services.sync_folder import sync_folder
from mcp_web.settings import load

QUESTIONS = 60
PAUSE = 0.3  # seconds between two searches: background work runs in between, as between an agent's calls


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 10_000
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, Path(folder), list(documents(count)))


async def _measure(folder: Path, made: list[Made]) -> None:
    notes = folder / "notes"
    for number, one in enumerate(made):
        place = notes / f"{number % 50:02}" / f"{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(one.markdown)
    asked = [" ".join(words) for words in questions(made, QUESTIONS)]
    async with App(load(environ={"MCP_WEB_DB_PATH": str(folder / "a.sqlite")})) as app:
        begun = time.perf_counter()
        await sync_folder(app, notes)
        wall = time.perf_counter() - begun
        print(f"{len(made):,} files synced, {60 * len(made) / wall:,.0f} a minute")
        await _print_coverage(app)
        await _print_found(app, asked)
        await _times(app, asked[:10])  # the model is loaded by the first question
        busy, embedded = await _while_embedding(app, asked)
        quiet = await _times(app, asked)
        print(f"search p50 during background work {busy / quiet:.2f} × of a quiet one ({1000 * quiet:.1f} ms)")
        print(f"{embedded:,} documents were embedded by the model meanwhile")
        await _print_rates(app)


async def _print_coverage(app: App) -> None:
    for one in await coverage(app):
        print(f"{one.model}: {one.covered:,} of {one.documents:,} documents have vectors")


async def _print_found(app: App, asked: list[str]) -> None:
    """How many questions find anything, directly after the sync."""
    modes: tuple[SearchMode, ...] = ("text", "hybrid")
    for mode in modes:
        found = [bool((await search_archive(app, ArchiveQuery(text=text, mode=mode))).results) for text in asked]
        print(f"{mode}: {sum(found)} of {len(found)} questions find a document")


async def _while_embedding(app: App, asked: list[str]) -> tuple[float, int]:
    before = await _with_model(app)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(embed_in_background, app)
        await anyio.sleep(1)
        median = await _times(app, asked)
        tasks.cancel_scope.cancel()
    return median, await _with_model(app) - before


async def _with_model(app: App) -> int:
    """How many documents the model has read."""
    return sum(one.covered for one in await coverage(app) if one.model != STATIC_MODEL)


async def _times(app: App, asked: list[str]) -> float:
    took = []
    for text in asked:
        await anyio.sleep(PAUSE)
        begun = time.perf_counter()
        with app.process.calls.running():
            await search_archive(app, ArchiveQuery(text=text))
        took.append(time.perf_counter() - begun)
    return statistics.median(took)


async def _print_rates(app: App) -> None:
    """Documents a minute, on the clock, for a few seconds of each model."""
    for one in await coverage(app):
        if not one.lacking:
            continue
        begun = time.perf_counter()
        with anyio.move_on_after(20):
            await embed_documents(app, only=one.model)
        left = next(other for other in await coverage(app) if other.model == one.model).lacking
        rate = 60 * (one.lacking - left) / (time.perf_counter() - begun)
        print(f"{one.model}: {rate:,.0f} documents a minute")


if __name__ == "__main__":
    main()
