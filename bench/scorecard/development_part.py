"""Bigger sets that others made, where they lie beside the repository: extraction quality and processor time."""

from __future__ import annotations

import random

from bench.extraction.__main__ import measure
from bench.extraction.data import DATA, Page, manifest
from bench.extraction.engines import installed
from bench.scorecard.rows import OURS, cost_row, gain_row, milliseconds, three_places
from bench.scorecard.table import Row, Table

PAGES = 150
_ENGINES = (
    OURS,
    "trafilatura",
    "trafilatura with metadata",
    "resiliparse",
    "readability-lxml",
    "markitdown (whole page)",
)


def development_table() -> Table:
    title = "Extraction of real pages"
    if not DATA.exists():
        return Table("development", title, "", absent=("the development pages are not beside the repository",))
    engines = [(entry, entry.make()) for entry in installed() if entry.name in _ENGINES]
    pages = _sample()
    measure(pages[0], engines)  # imports and caches are not the page's cost
    results = [measure(page, engines) for page in pages]
    rows: list[Row] = []
    for entry, _ in engines:
        if entry.name != OURS:
            rows += _rows(entry.name, results)
    missing = [name for name in _ENGINES if name not in {entry.name for entry, _ in engines}]
    method = (
        f"{len(pages)} real pages of public collections with the text that people marked as content, sampled once and "
        "for all; each page is read by all engines one after the other. F1 over words; processor time of the whole "
        "path from bytes to Markdown, ours with metadata. Margin 10 %. The pages are not part of the repository. Our "
        "model was trained on pages of these collections, so that our F1 here flatters us; what it reaches on sites it "
        "has not seen is in [extraction](concepts/extraction.md), cross-validated by site."
    )
    absent = tuple(f"{name}: not installed" for name in missing)
    return Table("development", title, method, tuple(rows), absent)


def _sample() -> list[Page]:
    scored = [page for page in manifest() if page["set"] != "trafeval"]
    return random.Random(20).sample(scored, min(PAGES, len(scored)))


def _rows(name: str, results: list[dict[str, dict[str, object]]]) -> list[Row]:
    scores = {who: [_f1(result[who]) for result in results] for who in (OURS, name)}
    costs = {who: [float(str(result[who]["cpu"])) / 1000 for result in results] for who in (OURS, name)}
    why = "finds less of the content, or more beside it"
    return [
        gain_row("content of real pages (F1)", name, scores[OURS], scores[name], why, show=three_places),
        cost_row("processor time a page", name, costs[OURS], costs[name], "does more for each page", show=milliseconds),
    ]


def _f1(result: dict[str, object]) -> float:
    found = result.get("prf")
    return float(found[2]) if isinstance(found, list | tuple) else 0.0
