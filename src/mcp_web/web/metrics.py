"""Metrics as Prometheus text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_web.trace import BUCKETS, hits_and_misses

_PREFIX = "mcp_web_"


def prometheus(metrics: Mapping[str, Any]) -> str:
    """Counters and histograms, as `Metrics.totals` returns them, in the exposition format of Prometheus."""
    lines: list[str] = []
    for name, rows in _grouped(metrics.get("counters", ())).items():
        lines += _metric(name, "counter", rows)
    for name, rows in _grouped(metrics.get("histograms", ())).items():
        lines.append(f"# TYPE {_PREFIX}{name} histogram")
        for labels, row in rows:
            for bound, cell in zip(BUCKETS, row[2:], strict=False):
                lines.append(f"{_PREFIX}{name}_bucket{_labels(labels | {'le': str(bound)})} {cell:g}")
            lines.append(f"{_PREFIX}{name}_bucket{_labels(labels | {'le': '+Inf'})} {row[0]:g}")
            lines.append(f"{_PREFIX}{name}_sum{_labels(labels)} {row[1]:g}")
            lines.append(f"{_PREFIX}{name}_count{_labels(labels)} {row[0]:g}")
    if found := hits_and_misses(metrics.get("counters", ())):
        rates = [({"tool": tool}, hits / (hits + misses)) for tool, (hits, misses) in sorted(found.items())]
        lines += _metric("cache_hit_rate", "gauge", rates)
    return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, rows: Sequence[tuple[dict[str, str], float]]) -> list[str]:
    """The lines of a metric with one value for each set of labels; `kind` is its type, counter or gauge."""
    return [
        f"# TYPE {_PREFIX}{name} {kind}",
        *(f"{_PREFIX}{name}{_labels(labels)} {value:g}" for labels, value in rows),
    ]


def _grouped(rows: Any) -> dict[str, list[tuple[dict[str, str], Any]]]:
    """The (labels, value) of each row (name, labels, value), by the name of the metric."""
    found: dict[str, list[tuple[dict[str, str], Any]]] = {}
    for name, labels, value in rows:
        found.setdefault(name, []).append((labels, value))
    return found


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    inside = ",".join(
        f'{name}="{str(value).replace(chr(92), chr(92) * 2).replace(chr(34), chr(92) + chr(34))}"'
        for name, value in labels.items()
    )
    return "{" + inside + "}"
