"""Usage metrics by the hour, for the charts of the web interface."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mcp_web.store.protocol import Store

KIND = "figures_hour"  # of records: one for each hour
KEPT = 60 * 86400.0
TRIES = 5  # several processes add to the same hour
HOUR = 3600.0

_SERIES = ("calls", "failed", "hits", "fetched", "ms", "searches", "searches_failed", "tokens_saved")
ANSWERED = ("ok", "empty")  # outcomes of a search provider that are not failures


async def add_sample(store: Store, drained: Mapping[str, Any], now: float | None = None) -> None:
    """Add metrics, as `Metrics.drain` returns them, to the sums of the current hour; `now` is a Unix time. They are
    dropped if other processes write these sums at each of a few tries."""
    sample = summary_of(drained)
    if not sample:
        return
    now = time.time() if now is None else now
    key = _hour(now)
    for _ in range(TRIES):
        before = await store.record(KIND, key)
        if before is None:
            if await store.add_records(KIND, {key: sample}, now + KEPT):
                return
        elif await store.replace_record(KIND, key, dict(Counter(before) + Counter(sample)), expected=before,
                                        expires_at=now + KEPT):  # fmt: skip
            return


async def history(store: Store, hours: int, now: float | None = None) -> list[tuple[str, dict[str, float]]]:
    """The last `hours` hours, oldest first, as (hour such as 2026-11-16T12, its sums); {} for an hour without calls."""
    now = time.time() if now is None else now
    kept = {one.key: one.value for one in await store.records(KIND)}
    keys = [_hour(now - at * HOUR) for at in reversed(range(hours))]
    return [(key, kept.get(key, {})) for key in keys]


def summary_of(drained: Mapping[str, Any]) -> dict[str, float]:
    """The sums that the charts show, by name, from metrics as `Metrics.drain` returns them; sums of 0 are left out."""
    sums: Counter[str] = Counter()
    for name, labels, value in drained.get("counters", ()):
        if name == "tool_total":
            sums["calls"] += value
            sums["failed"] += value if labels.get("outcome") != "ok" else 0
        elif name == "cache_total":
            sums["hits" if labels.get("state") == "hit" else "fetched"] += value
        elif name == "search_outcomes":
            sums["searches"] += value
            sums["searches_failed"] += value if labels.get("outcome") not in ANSWERED else 0
        elif name == "tokens_saved":
            sums["tokens_saved"] += value
    for name, _, row in drained.get("histograms", ()):
        if name == "tool_ms":
            sums["ms"] += row[1]
    return {name: float(sums[name]) for name in _SERIES if sums[name]}


def _hour(seconds: float) -> str:
    """The hour of a Unix time in UTC, as in 2026-11-16T12."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H")
