"""Metrics as Prometheus text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_web.trace import BUCKETS, hits_and_misses

_PREFIX = "mcp_web_"


def prometheus(metrics: Mapping[str, Any]) -> str:
    """Counters and histograms, as `Metrics.totals` returns them, in the exposition format of Prometheus."""
    lines: list[str] = []
    for name, rows in _grouped(metrics.get("counters", ())).items():
        lines.append(f"# TYPE {_PREFIX}{name} counter")
        lines += [f"{_PREFIX}{name}{_labels(labels)} {value:g}" for labels, value in rows]
    for name, rows in _grouped(metrics.get("histograms", ())).items():
        lines.append(f"# TYPE {_PREFIX}{name} histogram")
        for labels, row in rows:
            for bound, cell in zip(BUCKETS, row[2:], strict=False):
                lines.append(f"{_PREFIX}{name}_bucket{_labels(labels | {'le': str(bound)})} {cell:g}")
            lines.append(f"{_PREFIX}{name}_bucket{_labels(labels | {'le': '+Inf'})} {row[0]:g}")
            lines.append(f"{_PREFIX}{name}_sum{_labels(labels)} {row[1]:g}")
            lines.append(f"{_PREFIX}{name}_count{_labels(labels)} {row[0]:g}")
    return "\n".join([*lines, *_hit_rates(metrics)]) + "\n"


def _hit_rates(metrics: Mapping[str, Any]) -> list[str]:
    """Prometheus lines with the share of each tool's calls that the cache answered, from 0 to 1."""
    found = hits_and_misses(metrics.get("counters", ()))
    head = [f"# TYPE {_PREFIX}cache_hit_rate gauge"] if found else []
    rates = {tool: hits / (hits + misses) for tool, (hits, misses) in sorted(found.items())}
    return head + [f"{_PREFIX}cache_hit_rate{_labels({'tool': tool})} {rate:g}" for tool, rate in rates.items()]


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
