"""A process that syncs a folder and says each file it has read, until it is killed. Run by the folder's tests.

python syncer.py FILE FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from mcp_web.archive.folder import sync_folder
from mcp_web.model.page import Document, Fetched
from mcp_web.store.sqlite.store import SqliteStore


async def extract(page: Fetched) -> Document:
    return Document("", page.body.decode(), "test@1")


def say(path: str, done: float, total: float) -> None:
    print(path, flush=True)


async def main(file: str, folder: str) -> None:
    store = await SqliteStore.open(Path(file), clock=lambda: 5.0)
    await sync_folder(store, Path(folder), extract, on_progress=say, clock=lambda: 5.0)
    await store.close()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2])
