"""A process that keeps pages until it is stopped, and says which ones are committed. Run by the store's tests.

python writer.py FILE NAME COUNT        COUNT 0 goes on until killed
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from contracts.store_samples import keep, snapshot
from mcp_web.store.sqlite.store import SqliteStore


async def main(file: str, name: str, count: int) -> None:
    store = await SqliteStore.open(Path(file))
    number = 0
    while count == 0 or number < count:
        page = snapshot(f"https://{name}.example/{number}", text=f"word{number} " * 300)
        await keep(store, page)
        assert await store.latest(page.key) == page
        print(page.hash, flush=True)
        number += 1
    await store.close()


anyio.run(main, sys.argv[1], sys.argv[2], int(sys.argv[3]))
