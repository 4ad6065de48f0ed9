"""The statistics view: tiles, charts by the hour, tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import itemgetter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from mcp_web.app import App
from mcp_web.archive.usage import ANSWERED, history
from mcp_web.services.show_stats import show_stats
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.charts import Hour, bar, chart
from mcp_web.web.pages import duration, number, page, size

HOURS = 48
SITES = 15  # with the most documents

Stats = dict[str, Any]
Table = dict[str, Any]


async def figures(app: App, request: Request) -> Response:
    return page(request, "figures.html", **await _shown(app))


async def figures_now(app: App, request: Request) -> Response:
    """The statistics without the page around them, for refreshing."""
    return page(request, "figures_now.html", **await _shown(app))


async def _shown(app: App) -> dict[str, Any]:
    """The values for the template of the statistics; saves the metrics of this process first."""
    await app.save_metrics()
    store = await app.store()
    stats = await show_stats(app)
    hours: list[Hour] = [(key, defaultdict(float, row)) for key, row in await history(store, HOURS)]
    sites = _sites(await store.hosts(SITES))
    tables = [_providers(stats), sites, _vectors(stats), _tools(stats), _steps(stats), _failures(stats)]
    return {"tiles": _tiles(stats, hours[-24:]), "charts": _charts(hours), "tables": tables}


def _charts(hours: list[Hour]) -> list[dict[str, Any]]:
    return [
        chart(_("Calls"), hours, itemgetter("calls"), itemgetter("failed")),
        chart(_("Pages answered from the archive"), hours, _hit_share, unit=" %"),
        chart(_("Tokens saved by reading passages instead of pages"), hours, itemgetter("tokens_saved")),
        chart(_("Mean time of a call"), hours, _mean_ms, unit=" ms"),
        chart(_("Requests to search providers"), hours, itemgetter("searches"), itemgetter("searches_failed")),
        chart(_("Pages fetched from the web"), hours, itemgetter("fetched")),
    ]


def _tiles(stats: Stats, last_day: list[Hour]) -> list[dict[str, str]]:
    kept = stats["store"]
    sums: Counter[str] = Counter()
    for _key, row in last_day:
        sums.update(row)
    opened = sums["hits"] + sums["fetched"]
    failed = _("%(count)s failed") % {"count": number(sums["failed"])}
    pages = {"hits": number(sums["hits"]), "all": number(opened)}
    share = f"{100 * sums['hits'] / opened:.0f} %" if opened else "–"
    versions = _("%(count)s versions") % {"count": number(kept["snapshots"])}
    tiles = (
        (_("Calls in the last day"), number(sums["calls"]), failed),
        (_("Answered without the network"), share, _("%(hits)s of %(all)s pages") % pages),
        (_("Tokens saved in the last day"), number(sums["tokens_saved"]), _("about, by passages instead of pages")),
        (_("Documents kept"), number(kept["pages"]), versions),
        (_("Text kept"), size(kept["text_bytes"]), _("%(size)s on disk") % {"size": size(kept["disk_bytes"])}),
    )
    return [{"name": name, "value": value, "note": note} for name, value, note in tiles]


def _hit_share(row: dict[str, float]) -> float:
    """The percentage of pages opened in an hour that were answered from the archive; 0 if none was opened."""
    opened = row["hits"] + row["fetched"]
    return 100 * row["hits"] / opened if opened else 0.0


def _mean_ms(row: dict[str, float]) -> float:
    return row["ms"] / row["calls"] if row["calls"] else 0.0


def _counts(stats: Stats, name: str) -> list[tuple[Any, dict[str, str]]]:
    """The value and the labels of each counter of this name."""
    rows = [row for row in stats["counts"] if row["name"] == name]
    return [(row["value"], dict(pair.partition("=")[::2] for pair in row["labels"].split(" "))) for row in rows]


def _providers(stats: Stats) -> Table:
    """A table of how often each search provider was asked, and why it did not answer."""
    asked: dict[str, Counter[str]] = {}
    for value, labels in _counts(stats, "search_outcomes"):
        asked.setdefault(labels["provider"], Counter())[labels["outcome"]] += value
    most = max((sum(found.values()) for found in asked.values()), default=0.0)
    rows = []
    for name, found in sorted(asked.items(), key=lambda one: -sum(one[1].values())):
        bad = {outcome: count for outcome, count in found.items() if outcome not in ANSWERED}
        reasons = ", ".join(f"{number(count)} {outcome.replace('_', ' ')}" for outcome, count in bad.items())
        total = sum(found.values())
        rows.append((name, bar(total, most, sum(bad.values())), number(total), number(sum(bad.values())), reasons))
    columns = (_("provider"), "", _("asked"), _("failed"), _("why"))
    return {"name": _("Search providers"), "columns": columns, "rows": rows,
            "empty": _("No provider has been asked yet.")}  # fmt: skip


def _sites(sites: list[tuple[str, int]]) -> Table:
    most = max((count for _host, count in sites), default=0)
    rows = [(host, bar(count, most), number(count)) for host, count in sites]
    return {"name": _("Pages by site"), "columns": (_("site"), "", _("documents")), "rows": rows, "empty": ""}


def _vectors(stats: Stats) -> Table:
    """A table of how many kept documents each model has embedded."""
    rows = []
    for one in stats["vectors"]:
        covered = one["covered"]
        share = f"{100 * covered / one['documents']:.0f} %" if one["documents"] else "–"
        name = one["model"].partition("@")[0]
        rows.append((name, bar(covered, one["documents"]), share, number(one["lacking"])))
    columns = (_("model"), "", _("of the documents"), _("waiting"))
    return {"name": _("Search by meaning"), "columns": columns, "rows": rows, "empty": _("No model is in use.")}


def _tools(stats: Stats) -> Table:
    rates = {row["tool"]: row for row in stats["cache_hit_rates"]}
    rows = []
    for row in stats["steps"]:
        kind, _space, tool = row["step"].partition(" ")
        if kind == "tool" and tool:
            rate = rates.get(tool)
            share = f"{100 * rate['cache_hit_rate']:.0f} %" if rate else ""
            rows.append((tool, number(row["times"]), duration(row["mean_ms"]), _at_most(row["p95_ms"]), share))
    columns = (_("tool"), _("calls"), _("mean time"), _("95 of 100 within"), _("from the archive"))
    return {"name": _("Tools"), "columns": columns, "rows": rows, "empty": ""}


def _steps(stats: Stats) -> Table:
    names = {"fetch": _("Fetching a page"), "extract": _("Reading a page"), "render": _("Rendering in the browser"),
             "search": _("Asking search providers"), "archive_search": _("Searching the archive"),
             "embed": _("The model reading text")}  # fmt: skip
    rows = [
        (names[row["step"]], number(row["times"]), duration(row["mean_ms"]), _at_most(row["p95_ms"]))
        for row in stats["steps"]
        if row["step"] in names
    ]
    columns = (_("step"), _("times"), _("mean time"), _("95 of 100 within"))
    return {"name": _("Where the time goes"), "columns": columns, "rows": rows, "empty": ""}


def _failures(stats: Stats) -> Table:
    rows = [
        (labels["code"].replace("_", " ").lower(), labels["tool"], number(value))
        for value, labels in sorted(_counts(stats, "tool_errors_total"), key=lambda one: -one[0])
    ]
    return {"name": _("Failures"), "columns": (_("what"), _("tool"), _("times")), "rows": rows, "empty": ""}


def _at_most(ms: float | None) -> str:
    return duration(ms) if ms is not None else _("over 50 s")
