"""How fast a folder becomes an archive.  python -m bench.archive.sync [FILES]

Markdown files made from real sentences, synced as `mcp-web archive sync` does, beside SQLite's own full-text index
being filled with the same texts in one transaction: the least that making them searchable can cost. Then the same
folder again, unchanged, and with one file in a hundred changed.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import anyio

from bench.archive.corpus import available, documents
from mcp_web.app import App
from mcp_web.archive.folder import SyncReport
from mcp_web.services.sync_folder import sync_folder
from mcp_web.settings import load


def main() -> None:
    if not available():
        sys.exit("The text to make documents from (../shared/retrieval) is not here.")
    count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 3000
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_measure, Path(folder), [one.markdown for one in documents(count)])


async def _measure(folder: Path, texts: list[str]) -> None:
    notes = folder / "notes"
    for number, text in enumerate(texts):
        place = notes / f"{number % 50:02}" / f"{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    raw, raw_cpu = _fts5(folder / "fts5.sqlite", texts)
    async with App(load(environ={"MCP_WEB_DB_PATH": str(folder / "a.sqlite")})) as app:
        wall, cpu, _ = await _sync(app, notes)
        print(
            f"{len(texts):,} files: {60 * len(texts) / wall:,.0f} a minute ({60 * len(texts) / cpu:,.0f} by CPU time); "
            f"{wall / raw:.1f} × FTS5 taking the same texts in, {cpu / raw_cpu:.1f} × by CPU time"
        )
        wall, _, report = await _sync(app, notes)
        print(f"again: {report.unchanged:,} unchanged in {wall:.2f} s")
        for number in range(0, len(texts), 100):
            (notes / f"{number % 50:02}" / f"{number}.md").write_text(texts[number] + "\n\nMore.\n")
        wall, _, report = await _sync(app, notes)
        print(f"one in a hundred changed: {report.changed} read in {wall:.2f} s")


async def _sync(app: App, notes: Path) -> tuple[float, float, SyncReport]:
    wall, cpu = time.perf_counter(), time.process_time()
    report = await sync_folder(app, notes)
    return time.perf_counter() - wall, time.process_time() - cpu, report


def _fts5(file: Path, texts: list[str]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    with sqlite3.connect(file) as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (body, tokenize = 'porter')")
        db.executemany("INSERT INTO t VALUES (?)", ((text,) for text in texts))
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
