"""Totals of counters and histograms over all processes and restarts: their arithmetic, the same for every store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Total = tuple[str, str, str]  # kind, name, labels as JSON


def measured(drained: dict[str, Any]) -> Iterator[tuple[Total, list[float]]]:
    """What a process measured since it last reported, each with the total that it is added to."""
    for name, labels, value in drained.get("counters", ()):
        yield ("counter", name, json.dumps(labels, sort_keys=True)), [value]
    for name, labels, row in drained.get("histograms", ()):
        yield ("histogram", name, json.dumps(labels, sort_keys=True)), list(row)


def added(known: str | None, amounts: Sequence[float]) -> str:
    """A kept total with new amounts. A version with other buckets starts again: sums of unlike cells stay wrong."""
    before = json.loads(known) if known else []
    same = len(before) == len(amounts)
    return json.dumps([a + b for a, b in zip(before, amounts, strict=True)] if same else list(amounts))


def totals(rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """Rows of kind, name, labels and amounts in the shape of `trace.figures.drain()`."""
    found: dict[str, Any] = {"counters": [], "histograms": []}
    for kind, name, labels, amounts in rows:
        row = json.loads(amounts)
        if kind == "counter":
            found["counters"].append([name, json.loads(labels), row[0]])
        else:
            found["histograms"].append([name, json.loads(labels), row])
    return found
