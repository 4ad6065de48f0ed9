"""The page of figures: tiles, charts by the hour, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_web.archive.usage import history
from mcp_web.services.show_stats import show_stats
from mcp_web.web.pages import number, page, size

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App

HOURS = 48
_WIDTH, _HEIGHT = 960, 120
_STEP_NAMES = {"fetch": "Fetching a page", "extract": "Reading a page", "render": "Rendering in the browser",
               "search": "Asking search providers", "archive_search": "Searching the archive",
               "embed": "The model reading text"}  # fmt: skip


async def figures(app: App, request: Request) -> Response:
    return page(request, "figures.html", **await _shown(app))


async def figures_now(app: App, request: Request) -> Response:
    """The figures alone, for a page that refreshes them."""
    return page(request, "figures_now.html", **await _shown(app))


async def _shown(app: App) -> dict[str, Any]:
    await app.save_figures()
    store = await app.store()
    stats = await show_stats(app)
    hours = await history(store, HOURS)
    return {
        "tiles": _tiles(stats, hours),
        "charts": [
            _chart("Calls by the hour", hours, lambda row: row.get("calls", 0.0)),
            _chart("Failed calls by the hour", hours, lambda row: row.get("failed", 0.0)),
            _chart("Pages answered from the archive, in percent", hours, _hit_share),
            _chart(
                "Milliseconds per call",
                hours,
                lambda row: row.get("ms", 0.0) / row["calls"] if row.get("calls") else 0.0,
            ),
        ],
        "tables": [_tools(stats), _steps(stats), _failures(stats)],
    }


def _tiles(stats: dict[str, Any], hours: list[tuple[str, dict[str, float]]]) -> list[dict[str, str]]:
    kept = stats["store"]
    last_day = hours[-24:]
    calls = sum(row.get("calls", 0.0) for _, row in last_day)
    hits = sum(row.get("hits", 0.0) for _, row in last_day)
    fetched = sum(row.get("fetched", 0.0) for _, row in last_day)
    opened = hits + fetched
    share = f"{100 * hits / opened:.0f} %" if opened else "–"
    return [
        {"name": "Calls in the last day", "value": number(calls), "note": ""},
        {
            "name": "Pages answered without the network",
            "value": share,
            "note": f"{number(hits)} of {number(hits + fetched)}",
        },
        {"name": "Documents kept", "value": number(kept["pages"]), "note": f"{number(kept['snapshots'])} versions"},
        {"name": "Text kept", "value": size(kept["text_bytes"]), "note": f"{size(kept['disk_bytes'])} on disk"},
    ]


def _hit_share(row: dict[str, float]) -> float:
    opened = row.get("hits", 0.0) + row.get("fetched", 0.0)
    return 100 * row.get("hits", 0.0) / opened if opened else 0.0


def _chart(name: str, hours: list[tuple[str, dict[str, float]]], value: Any) -> dict[str, Any]:
    rows = [(key, float(value(row))) for key, row in hours]
    most = max((found for _, found in rows), default=0.0)
    if most == 0:
        return {"name": name, "bars": []}
    width = _WIDTH / len(rows)
    bars = [
        {
            "x": round(at * width + 1, 1),
            "y": round(_HEIGHT - _HEIGHT * found / most, 1),
            "width": round(width - 2, 1),
            "height": round(_HEIGHT * found / most, 1),
            "name": _hour(key),
            "value": f"{found:,.0f}",
        }
        for at, (key, found) in enumerate(rows)
    ]
    return {"name": name, "bars": bars, "width": _WIDTH, "height": _HEIGHT, "first": _hour(rows[0][0]),
            "last": _hour(rows[-1][0]), "summary": f"at most {most:,.0f}"}  # fmt: skip


def _hour(key: str) -> str:
    return f"{key[:10]} {key[11:]}:00"


def _tools(stats: dict[str, Any]) -> dict[str, Any]:
    rates = {row["tool"]: row for row in stats["cache_hit_rates"]}
    rows = []
    for row in stats["steps"]:
        kind, _, tool = row["step"].partition(" ")
        if kind == "tool" and tool:
            rate = rates.get(tool)
            share = f"{100 * rate['cache_hit_rate']:.0f} %" if rate else ""
            rows.append((tool, number(row["times"]), f"{row['mean_ms']:,.0f} ms", _at_most(row["p95_ms"]), share))
    return {
        "name": "Tools",
        "columns": ("tool", "calls", "mean time", "95 of 100 within", "from the archive"),
        "rows": rows,
    }


def _steps(stats: dict[str, Any]) -> dict[str, Any]:
    rows = [
        (_STEP_NAMES[row["step"]], number(row["times"]), f"{row['mean_ms']:,.0f} ms", _at_most(row["p95_ms"]))
        for row in stats["steps"]
        if row["step"] in _STEP_NAMES
    ]
    return {"name": "Where the time goes", "columns": ("step", "times", "mean time", "95 of 100 within"), "rows": rows}


def _failures(stats: dict[str, Any]) -> dict[str, Any]:
    found = [row for row in stats["counts"] if row["name"] == "tool_errors_total"]
    rows = [(row["labels"].replace("code=", "").replace("tool=", "in "), number(row["value"])) for row in found]
    return {"name": "Failures", "columns": ("what", "times"), "rows": rows}


def _at_most(ms: float | None) -> str:
    return f"{ms:,.0f} ms" if ms is not None else "over 50 s"
