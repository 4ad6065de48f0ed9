"""Charts by the hour: the positions and sizes of bars are computed here, so that no script is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from mcp_web.web.catalogue import gettext as _
from mcp_web.web.pages import number
from mcp_web.web.times import moment

WIDTH, HEIGHT = 480, 120
_GRID = (0.0, HEIGHT / 2)

Hour = tuple[str, dict[str, float]]
Value = Callable[[dict[str, float]], float]


def chart(
    name: str, hours: Sequence[Hour], value: Value, failed: Value | None = None, unit: str = ""
) -> dict[str, Any]:
    """The values of the template `chart`: one bar for each hour, without bars if all values are zero.

    `value` gives the length of a bar from the counters of an hour, `failed` the part drawn as failures; without a
    `unit` the values are counts.
    """
    rows = [(_when(key), float(value(row)), float(failed(row)) if failed else 0.0) for key, row in hours]
    most = max((found for _, found, _ in rows), default=0.0)
    if most == 0:
        return {"name": name, "bars": []}
    width = WIDTH / len(rows)
    bars = [
        {
            "x": round(at * width + 0.75, 1),
            "width": round(width - 1.5, 1),
            "name": when,
            "value": _text(found, bad, unit),
            "parts": _parts(found, bad, most),
        }
        for at, (when, found, bad) in enumerate(rows)
    ]
    summary = _("at most %(count)s an hour") if not unit else _("at most %(count)s")
    return {
        "name": name,
        "bars": bars,
        "width": WIDTH,
        "height": HEIGHT,
        "grid": _GRID,
        "first": rows[0][0],
        "last": _("now"),
        "summary": summary % {"count": f"{number(most)}{unit}"},
    }


def bar(value: float, most: float, failed: float = 0.0) -> dict[str, float]:
    """A bar in a table: the lengths of its parts in percent of `most`, "share" for successes and "failed"."""
    scale = 100 / most if most else 0.0
    return {"share": round((value - failed) * scale, 1), "failed": round(failed * scale, 1)}


def _parts(found: float, bad: float, most: float) -> list[dict[str, Any]]:
    """The rectangles of a bar in pixels, failures (`bad`, a part of `found`) at the bottom; `most` is full height."""
    whole, lost = HEIGHT * found / most, HEIGHT * bad / most
    parts = [("value", HEIGHT - whole, whole - lost), ("failed", HEIGHT - lost, lost)]
    return [{"kind": kind, "y": round(y, 1), "height": round(high, 1)} for kind, y, high in parts if high > 0]


def _text(found: float, bad: float, unit: str) -> str:
    text = f"{number(found)}{unit}"
    return text + (", " + _("%(count)s failed") % {"count": number(bad)} if bad else "")


def _when(key: str) -> str:
    """The hour of a sample, such as `2026-11-16T12` in UTC, in the local time and format."""
    return moment(datetime.strptime(key, "%Y-%m-%dT%H").replace(tzinfo=UTC).timestamp())
