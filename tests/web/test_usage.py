"""Usage metrics by the hour add up over processes."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_web.archive.usage import add_sample, history
from mcp_web.store.open import open_store
from mcp_web.store.options import StoreOptions

DRAINED = {
    "counters": [["tool_total", {"outcome": "ok", "tool": "web_open"}, 3], ["tool_total", {"outcome": "X"}, 1],
                 ["cache_total", {"state": "hit"}, 2], ["cache_total", {"state": "fetched"}, 1]],
    "histograms": [["tool_ms", {}, [4, 100.0]]],
}  # fmt: skip
NOW = 1_800_000_000.0


@pytest.mark.anyio
async def test_samples_of_one_hour_add_up_also_when_several_processes_write(tmp_path: Path) -> None:
    store = await open_store(StoreOptions(data_dir=tmp_path))
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(add_sample, store, DRAINED, NOW)
    await add_sample(store, DRAINED, NOW - 3600)
    before, last = await history(store, 2, NOW)
    assert last[1] == {"calls": 16.0, "failed": 4.0, "hits": 8.0, "fetched": 4.0, "ms": 400.0}
    assert before[1]["calls"] == 4.0
    await store.close()
