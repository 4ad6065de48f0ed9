"""Statistics of this installation, from the stored totals of all its processes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.app import App
from mcp_web.services.embed_documents import coverage
from mcp_web.trace import BUCKETS, hits_and_misses


async def show_stats(app: App) -> dict[str, Any]:
    """The metrics of all processes as JSON values: counters, the times of each step in milliseconds with estimated
    percentiles, cache hit rates, the size of the store, and how many documents have vectors."""
    store = await app.store()
    kept = await store.metrics()
    return {
        "counts": [
            {"name": name, "labels": " ".join(f"{key}={word}" for key, word in labels.items()), "value": value}
            for name, labels, value in sorted(kept.get("counters", ()), key=str)
        ],
        "steps": [_step(name, labels, row) for name, labels, row in sorted(kept.get("histograms", ()), key=str)],
        "cache_hit_rates": [
            {"tool": tool, "calls": int(sum(calls)), "cache_hit_rate": round(calls[0] / sum(calls), 4)}
            for tool, calls in sorted(hits_and_misses(kept.get("counters", ())).items())
        ],
        "store": dataclasses.asdict(await store.size()),
        "vectors": [dataclasses.asdict(one) | {"covered": one.covered} for one in await coverage(app)],
    }


def _step(name: str, labels: Mapping[str, str], row: Sequence[float]) -> dict[str, Any]:
    """The count, mean and percentiles of one histogram; `row` has its count, its sum and a count for each bucket."""
    count = row[0] or 1
    return {
        "step": " ".join([name.removesuffix("_ms"), *labels.values()]),
        "times": int(row[0]),
        "mean_ms": round(row[1] / count, 1),
        "p50_ms": _bound(row, 0.5),
        "p95_ms": _bound(row, 0.95),
    }


def _bound(row: Sequence[float], share: float) -> float | None:
    """The upper bound (ms) of the bucket of a histogram with the percentile `share` (0…1); None if it has no bound."""
    return next((bound for bound, cell in zip(BUCKETS, row[2:], strict=False) if cell >= row[0] * share), None)
