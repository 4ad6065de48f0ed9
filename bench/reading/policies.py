"""Is a question put to another policy really not answered there?  python -m bench.reading.policies

`policy_labels.csv` holds what reading whole policies found: 40 questions put to their own policy and 80 of
`data.near_misses`, drawn and shuffled with the seed `SEED`, and labelled without knowing which is which or what the
verdict is. Printed: how often such a question is answered, what a reader who agrees with every label gets against the
automatic labels, and what the verdict gets against both.
"""

from __future__ import annotations

import csv
import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.reading import data
from bench.reading.answers import Page, prepared, ranking
from bench.reading.quality import Model

Label = Literal["answered", "partly", "not answered"]
LABELS: tuple[Label, ...] = ("answered", "partly", "not answered")
FILE = Path(__file__).with_name("policy_labels.csv")
SEED, SWAPPED, OWN = 20261116, 80, 40


@dataclass(frozen=True)
class Read:
    """A question to a policy, and what reading the policy says; `at` is where the words begin that decide.

    `marked` says whether the passages that PolicyQA marks answer, for a question to its own policy; read afterwards.
    """

    policy: str
    question: str
    area: str  # of the question: the first part of its kinds
    swapped: bool
    label: Label
    at: int
    marked: str


@dataclass(frozen=True)
class Judged:
    read: Read
    answered: bool  # by the verdict
    shown: bool  # whether the passages shown hold the words that decide


def main() -> None:
    if not data.available():
        sys.exit("The relevance data (../shared/retrieval) is not here.")
    pages = {page.name: page for page in data.reading_pages() if page.source == "policyqa"}
    print_labels(labelled())
    print_verdicts(judged(labelled(), pages))


def drawn(pages: Sequence[data.ReadingPage]) -> list[tuple[bool, str, str]]:
    """The pairs that were labelled, in the order in which they were read: swapped, policy, question."""
    near = sorted((page.name, question) for page, question in data.near_misses(pages, 1.0))
    own = sorted((page.name, question) for page in pages if page.source == "policyqa" for question, _ in page.questions)
    chance = random.Random(SEED)
    pairs = [(True, *one) for one in chance.sample(near, SWAPPED)] + [(False, *one) for one in chance.sample(own, OWN)]
    chance.shuffle(pairs)
    return pairs


def labelled() -> list[Read]:
    kinds, _ = data.policy_kinds()
    questions = data.policy_questions()
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Read(
                policy=row["policy"],
                question=(question := questions[row["question"]]),
                area=min(kinds[question]).partition("|||")[0],
                swapped=row["swapped"] == "1",
                label=next(one for one in LABELS if one == row["label"]),
                at=int(row["at"] or -1),
                marked=row["marked"],
            )
            for row in csv.DictReader(file)
        ]


def judged(reads: Sequence[Read], pages: dict[str, data.ReadingPage]) -> list[Judged]:
    model = Model()
    ready = {name: Page(pages[name], prepared(pages[name])) for name in sorted({one.policy for one in reads})}
    found = []
    for one in reads:
        ranked = ranking(ready[one.policy], one.question, model)
        shown = [each.passage for each in ranked.passages[: ranked.enough]]
        found.append(Judged(one, ranked.answered, any(each.start <= one.at < each.end for each in shown)))
    return found


def print_labels(reads: Sequence[Read]) -> None:
    for name, swapped in (("own", False), ("swapped", True)):
        counts = Counter(one.label for one in reads if one.swapped == swapped)
        print(f"{name:8}", "  ".join(f"{label} {counts[label]}" for label in LABELS))
    marked = Counter(one.marked for one in reads if not one.swapped)
    print("marked  ", "  ".join(f"{label} {marked[label]}" for label in LABELS))
    for name, yes in (("partly is no", LABELS[:1]), ("partly is yes", LABELS[:2])):
        own = share([one.label in yes for one in reads if not one.swapped])
        other = share([one.label not in yes for one in reads if one.swapped])
        print(f"a reader who agrees with every label, against the automatic labels, {name}: own {own}, swapped {other}")


def print_verdicts(found: Sequence[Judged]) -> None:
    own, other = (
        share([one.answered != swapped for one in found if one.read.swapped == swapped]) for swapped in (False, True)
    )
    print(f"the verdict, against the automatic labels: own {own}, swapped {other}")
    print(f"the verdict, against the labels: {_by_label(found)}")
    for area in sorted({one.read.area for one in found}):
        print(f"    {area:36} {_by_label([one for one in found if one.read.area == area])}")
    held = share([one.shown for one in found if one.read.label == "answered" and one.answered])
    print(f"called answered, and the words that answer are shown: {held}")


def _by_label(found: Sequence[Judged]) -> str:
    rows = ((label, [one.answered for one in found if one.read.label == label]) for label in LABELS)
    return ", ".join(f"{label} → called answered {share(rows_)}" for label, rows_ in rows if rows_)


def share(values: Sequence[bool]) -> str:
    """A share with its 95 % interval, by Wilson's formula."""
    count, mean, z = len(values), sum(values) / len(values), 1.96
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return f"{mean:.2f} ({middle - half:.2f}–{middle + half:.2f}) of {count}"


if __name__ == "__main__":
    main()
