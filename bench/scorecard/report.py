"""The documentation page, its charts and the lines of the README, written from the results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.scorecard.charts import bars
from bench.scorecard.table import Row, Table, markdown

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scorecard.md"
PICTURES = ROOT / "docs" / "pictures"
README = ROOT / "README.md"
_START, _END = "<!-- scorecard:start -->", "<!-- scorecard:end -->"

_INTRODUCTION = """# Scorecard

What the product claims, measured beside its peers in one run: `make scorecard` installs the peers at fixed versions,
serves the pages on loopback, runs everything and writes this page, its charts and the lines in the README.

- **Verdicts.** Rows compare us with one peer. *Ahead* and *behind* need the whole 95 % interval of a paired bootstrap
  over the questions on one side, beyond the margin that the section names; everything else is *equal*. Nothing is left
  out because we lose, and every row that is behind says why. A row that is nearer to its limit than two runs on
  a quiet machine lie apart keeps the verdict of the run before (marked ≈): times and sizes of memory within a factor of
  1.5, tokens within a twentieth.
  `python -m bench.scorecard compare A B` prints the verdicts in which two runs (their `results.json`) differ.
- **Ratios, not times.** Times depend on the machine; read the ratios. Each question and each page goes to one server
  after the other, so that whatever else the machine does meets all of them alike; a ratio of times is the geometric
  mean over these pairs.
- **Peers.** Each has one fixed policy, taken from its own documentation, and its guard opened for loopback. What could
  not be installed or started is named with the reason.
- **Data.** Questions and pages were written for this purpose, lie in `bench/scorecard/small` and are frozen by a
  hash: a changed file ends the run. The lengths of the pages follow those of a public corpus of real pages (median
  6,000 characters, a tenth above 20,000). Data that others made is read from a folder beside the repository, where
  it is present, and never committed.
"""


def write(tables: Sequence[Table], facts: dict[str, Any]) -> None:
    PICTURES.mkdir(exist_ok=True)
    parts = [_INTRODUCTION, _machine(facts), _peers(facts), _summary(tables)]
    for table in tables:
        parts.append(_section(table))
    PAGE.write_text("\n\n".join(part.strip() for part in parts) + "\n")
    _write_readme(tables)


def _machine(facts: dict[str, Any]) -> str:
    where = f"Run on {facts['date']}: {facts['machine']}. Network: {facts['network']}."
    return f"{where} mcp-web {facts['version']}. {facts['runs']} of {facts['minutes']:.0f} minutes."


def _peers(facts: dict[str, Any]) -> str:
    lines = [[name, version, policy] for name, version, policy in facts["peers"]]
    return markdown(["server", "version", "policy"], lines)


def _summary(tables: Sequence[Table]) -> str:
    lines = []
    for table in tables:
        counts = Counter(row.verdict for row in table.rows)
        lines.append(
            [f"[{table.title}](#{_anchor(table.title)})", *(str(counts[v]) for v in ("ahead", "equal", "behind"))]
        )
    return "## Summary\n\n" + markdown(["part", "rows ahead", "equal", "behind"], lines)


def _section(table: Table) -> str:
    parts = [f"## {table.title}", table.method]
    if table.figures:
        head = list(table.figures[0])
        parts.append(markdown(head, [[str(row[name]) for name in head] for row in table.figures]))
    parts += [f"![{caption}](pictures/{name})" for name, caption in _charts(table)]
    if table.rows:
        head = ["measure", "peer", "ours", "theirs", "relation", "verdict", "why"]
        parts.append(markdown(head, [_cells(row) for row in table.rows]))
    if table.absent:
        parts.append("Not measured:\n\n" + "\n".join(f"- {one}" for one in table.absent))
    return "\n\n".join(parts)


def _cells(row: Row) -> list[str]:
    verdict = f"**{row.verdict}**" if row.verdict == "behind" else row.verdict
    return [
        row.measure,
        row.peer,
        row.ours,
        row.theirs,
        row.relation,
        verdict,
        row.reason if row.verdict == "behind" else "",
    ]


def _charts(table: Table) -> list[tuple[str, str]]:
    if table.name != "race":
        return []
    made = []
    for key, caption in (
        ("tokens a question", "Tokens until the passage was returned"),
        ("seconds, cold", "Seconds, cold"),
    ):
        rows = [(row["server"], float(str(row[key]).replace(",", "")), str(row[key])) for row in table.figures]
        name = f"scorecard-{key.split(',')[0].replace(' ', '-')}.svg"
        (PICTURES / name).write_text(bars(caption, rows, "mcp-web"))
        made.append((name, caption))
    return made


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _write_readme(tables: Sequence[Table]) -> None:
    text = README.read_text()
    if _START not in text:
        return
    before, _, rest = text.partition(_START)
    after = rest.partition(_END)[2]
    README.write_text(f"{before}{_START}\n{readme_lines(tables)}\n{_END}{after}")


def readme_lines(tables: Sequence[Table]) -> str:
    """The five rows that matter most of those that were measured, against the peer that is best in each."""
    rows = [row for table in tables for row in table.rows]
    chosen = [found for measure in _README_MEASURES if (found := _nearest(rows, measure))][:5]
    lines = [[row.measure, row.ours, f"{row.theirs} ({row.peer})", row.verdict] for row in chosen]
    return markdown(["measured beside its peers ([how](docs/scorecard.md))", "mcp-web", "best peer", "verdict"], lines)


_README_MEASURES = (
    "passage delivered",
    "tokens at equal success, one session",
    "text of the page kept, nothing else (F1)",
    "hidden text left out",
    "time, cold",
    "requests to a private address prevented",
)


def _nearest(rows: Sequence[Row], measure: str) -> Row | None:
    """Of all peers the one with the worst relation for us."""
    found = [row for row in rows if row.measure == measure]
    order = {"behind": 0, "equal": 1, "ahead": 2}
    return min(found, key=lambda row: (order[row.verdict], _leading_number(row.relation)), default=None)


def _leading_number(relation: str) -> float:
    number = re.search(r"[-+−]?\d+(?:\.\d+)?", relation.replace("−", "-"))
    return float(number[0]) if number else 0.0
