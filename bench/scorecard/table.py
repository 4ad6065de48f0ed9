"""Tables of the scorecard: each row compares us with one peer and carries a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
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
    reason: str = ""  # said for every row that is behind


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
    rows = tuple(Row(**row) for row in value["rows"])
    return Table(value["name"], value["title"], value["method"], rows, tuple(value["absent"]), tuple(value["figures"]))


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    marks = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, marks, *lines))


def worse(before: Iterable[Table], after: Iterable[Table]) -> list[str]:
    """Rows whose verdict has become worse, each in words."""
    known = {(table.name, row.measure, row.peer): row.verdict for table in before for row in table.rows}
    order: dict[Verdict, int] = {"behind": 0, "equal": 1, "ahead": 2}
    changes = []
    for table in after:
        for row in table.rows:
            last = known.get((table.name, row.measure, row.peer), row.verdict)
            if order[row.verdict] < order[last]:
                changes.append(f"{table.title}, {row.measure}, beside {row.peer}: {last} → {row.verdict}")
    return changes
