"""Rows from paired figures: counts, means and costs, each with its interval and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from bench.scorecard.table import Row
from bench.scorecard.verdicts import (
    NOISE,
    TOKENS_NOISE,
    Interval,
    difference,
    of_difference,
    of_ratio,
    paired,
    possible,
    ratio,
    typical_ratio,
)

Show = Callable[[Sequence[float]], str]
OURS = "mcp-web"
MARGIN = 0.25  # of times and memory


def mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def count_of(values: Sequence[float]) -> str:
    return f"{int(sum(values))} of {len(values)}"


def three_places(values: Sequence[float]) -> str:
    return f"{mean(values):.3f}"


def milliseconds(values: Sequence[float]) -> str:
    return f"{mean(values) * 1000:.0f} ms"


def gain_row(
    measure: str, peer: str, ours: Sequence[float], theirs: Sequence[float], why: str, *, show: Show = count_of
) -> Row:
    """For what should be large: the difference of the means."""
    interval = paired(ours, theirs, difference)
    verdict = of_difference(interval)
    relation = f"{interval.value:+.3f} ({interval.low:+.3f} … {interval.high:+.3f})"
    return Row(measure, peer, show(ours), show(theirs), relation, verdict, why)


def gain_rows(
    measure: str, found: Mapping[str, Sequence[float]], why: str, *, show: Show = count_of
) -> tuple[Row, ...]:
    """Ours against every peer that was measured."""
    peers = {name: values for name, values in found.items() if name != OURS}
    return tuple(gain_row(measure, name, found[OURS], theirs, why, show=show) for name, theirs in peers.items())


def cost_row(
    measure: str,
    peer: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    why: str,
    *,
    show: Show,
    margin: float = 0.1,
) -> Row:
    """For what should be small: theirs to ours; equal within the margin."""
    interval = paired(ours, theirs, ratio)
    verdict, others = of_ratio(interval, margin=margin), possible(interval, margin=margin, noise=TOKENS_NOISE)
    return Row(measure, peer, show(ours), show(theirs), times(interval), verdict, why, others)


def time_row(
    measure: str, peer: str, ours: Sequence[float], theirs: Sequence[float], why: str, *, show: Show | None = None
) -> Row:
    """For seconds and memory, taken in pairs: medians are shown, the typical ratio is judged."""
    interval, show = paired(ours, theirs, typical_ratio), show or median_time
    verdict, others = of_ratio(interval, margin=MARGIN), possible(interval, margin=MARGIN, noise=NOISE)
    return Row(measure, peer, show(ours), show(theirs), times(interval), verdict, why, others)


def median_time(values: Sequence[float]) -> str:
    middle = median(values) if values else 0.0
    return f"{middle:.2f} s" if middle >= 1 else f"{middle * 1000:.0f} ms"


def times(interval: Interval) -> str:
    return f"× {interval.value:.2f} ({interval.low:.2f} … {interval.high:.2f})"
