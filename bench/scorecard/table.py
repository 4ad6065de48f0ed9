"""Tables of the scorecard: each row compares us with one peer and carries a verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.scorecard.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Row:
    measure: str
    peer: str
    ours: str
    theirs: str
    relation: str  # ratio or difference, with its interval where there is one
    verdict: Verdict
    reason: str = ""  # shown where we are behind
    possible: tuple[Verdict, ...] = ()  # of a figure that varies: the verdicts that the next run may find


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    title: str
    method: str  # how the figures were obtained, in a few sentences
    rows: tuple[Row, ...] = ()
    absent: tuple[str, ...] = ()  # peers or data that were not there, each with the reason
    figures: tuple[dict[str, Any], ...] = field(default=())  # plain figures by server, shown above the rows

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def from_json(value: dict[str, Any]) -> Table:
    rows = tuple(Row(**row | {"possible": tuple(row.get("possible", ()))}) for row in value["rows"])
    return Table(value["name"], value["title"], value["method"], rows, tuple(value["absent"]), tuple(value["figures"]))


def settled(table: Table, before: Table | None) -> Table:
    """The table with the last run's verdict on each row that is so near a limit that noise alone would change it."""
    last = {(row.measure, row.peer): row.verdict for row in before.rows} if before else {}
    return replace(table, rows=tuple(_settled(row, last.get((row.measure, row.peer))) for row in table.rows))


def _settled(row: Row, last: Verdict | None) -> Row:
    if last is None or last == row.verdict or last not in row.possible:
        return row
    return replace(row, verdict=last, relation=f"{row.relation} ≈")


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    marks = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, marks, *lines))


def read(path: Path) -> list[Table]:
    """The tables of a run; none where it left no file."""
    return [from_json(row) for row in json.loads(path.read_text())] if path.exists() else []


@dataclass(frozen=True, slots=True)
class Change:
    """A row whose verdict differs between two runs; None where a run has no such row."""

    table: str
    measure: str
    peer: str
    before: Row | None
    after: Row | None

    @property
    def is_worse(self) -> bool:
        return bool(self.before and self.after and _RANK[self.after.verdict] < _RANK[self.before.verdict])

    def __str__(self) -> str:
        return f"{self.table}, {self.measure}, beside {self.peer}: {_shown(self.before)} → {_shown(self.after)}"


_RANK: dict[Verdict, int] = {"behind": 0, "equal": 1, "ahead": 2}


def _shown(row: Row | None) -> str:
    return f"{row.verdict} {row.relation}".strip() if row else "no such row"


def changes(before: Iterable[Table], after: Iterable[Table]) -> list[Change]:
    """Every row whose verdict is another, or that only one of the runs has."""
    old, new = _by_key(before), _by_key(after)
    pairs = ((key, old.get(key), new.get(key)) for key in old | new)
    return [Change(*key, one, two) for key, one, two in pairs if not (one and two and one.verdict == two.verdict)]


def _by_key(tables: Iterable[Table]) -> dict[tuple[str, str, str], Row]:
    return {(table.title, row.measure, row.peer): row for table in tables for row in table.rows}
