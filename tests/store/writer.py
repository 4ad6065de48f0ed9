"""A process that keeps pages until it is stopped, and prints which ones are committed. Run by the store's tests.

python writer.py PLACE NAME COUNT        COUNT 0 goes on until killed

For each page one line: its hash, or `retry SECONDS` when the store failed with an error that may be retried.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from contracts.store_samples import keep, snapshot
from mcp_web.errors import CacheError
from mcp_web.store.open import engine_of
from mcp_web.store.options import StoreOptions

WAIT_SECONDS = 10.0


async def main(place: str, name: str, count: int) -> None:
    store = await engine_of(place).open(place, StoreOptions(wait_seconds=WAIT_SECONDS, connections=3))
    number = 0
    while count == 0 or number < count:
        page = snapshot(f"https://{name}.example/{number}", text=f"shared word{number} " * 300)
        begun = time.monotonic()
        try:
            await keep(store, page)
            assert await store.latest(page.key) == page
        except CacheError as error:
            if not error.retryable:
                raise
            print(f"retry {time.monotonic() - begun:.1f}", flush=True)
            continue
        print(page.hash, flush=True)
        number += 1
    await store.close()


anyio.run(main, sys.argv[1], sys.argv[2], int(sys.argv[3]))
