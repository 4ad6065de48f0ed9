"""The constants of index/evidence.py and index/enough.py.  python -m bench.reading.fit FOLDER [SHARE]

FOLDER holds question sets in the format of SQuAD, named by their language: `ja.json`, `en.json`; their questions must
make sense without the paragraph. The reading data beside the project is used too. SHARE of the questions (default .2)
are put to their page, to near misses and to other pages. Every set counts the same. Printed for each regression: the
constants, fitted on all sets; the strength of the penalty, chosen by the loss on sets that were left out; and what each
set gets from the others. Cases are kept in the temporary folder between runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.reading import data
from bench.reading.cases import Case, Shown, kept, long_pages, short_pages
from bench.reading.quality import Model
from mcp_web.index import enough
from mcp_web.index.evidence import Odds
from mcp_web.index.rank import never_rising

Signals = Callable[[Case], list[float] | None]
PENALTIES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
LONG = {"chunking_eval": 1.0, "policyqa": 0.4}  # with the part of the share that is taken of each
QUESTIONS = 500  # of a SQuAD set, times the share
SIGNALS = {
    "WORDS": ("coverage",),
    "WORDS_AND_STATIC": ("coverage", "static"),
    "WORDS_AND_JUDGE": ("coverage", "judged"),
    "ALL_AND_JUDGE": ("coverage", "static", "judged"),
}


@dataclass(frozen=True)
class Rows:
    """The cases of one set as numbers: signals, whether the page answers, how much each counts, and its kind."""

    signals: np.ndarray
    answers: np.ndarray
    weights: np.ndarray
    kinds: tuple[str, ...]


def main() -> None:
    if len(sys.argv) < 2 or not data.available():
        sys.exit(__doc__)
    sets = collect(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.2)
    odds: dict[str, Odds] = {}
    for name, signals in SIGNALS.items():
        fitted = verdict(name, signals, sets)
        fitted[0] += np.log(2) * ("judged" in signals)  # a wrong no counts twice
        found = dict(zip(("start", *signals, "missing"), fitted, strict=True))
        odds[name] = Odds(
            found["start"], found["coverage"], found.get("static", 0), found.get("judged", 0), found["missing"]
        )
    stop(odds, sets)


def collect(folder: Path, share: float) -> dict[str, list[Case]]:
    cache = Path(tempfile.gettempdir(), "mcp-web-bench", f"cases-{share:g}")
    cache.mkdir(parents=True, exist_ok=True)
    model = Model()
    sets = {
        name: kept(cache / f"{name}.jsonl", name, long_pages(name, share * part), (model, None))
        for name, part in LONG.items()
    }
    for file in sorted(folder.glob("*.json")):
        models = (model, None) if file.stem.startswith("en") else (None,)
        asked = short_pages(file, round(QUESTIONS * share))
        sets[file.stem] = kept(cache / f"{file.stem}.jsonl", file.stem, asked, models)
        print(file.stem, len(sets[file.stem]), "cases", file=sys.stderr, flush=True)
    return sets


def verdict(name: str, signals: Sequence[str], sets: Mapping[str, list[Case]]) -> np.ndarray:
    """Whether a page answers, by what is known of its best passage."""
    known = {source: rows for source, cases in sets.items() if len((rows := _rows(cases, signals)).answers)}
    penalty = min(
        PENALTIES, key=lambda one: np.mean([_loss(known[left], _without(known, left, one)) for left in known])
    )
    fitted = _fit(list(known.values()), penalty)
    print(f"{name}: {_named(('start', *signals, 'missing'), fitted)} (penalty {penalty:g})")
    for left, rows in known.items():
        chances = _chances(rows.signals, _without(known, left, penalty))
        said = (f"{kind} {np.mean(chances[[one == kind for one in rows.kinds]] >= 0.5):.2f}"
                for kind in dict.fromkeys(rows.kinds))  # fmt: skip
        print(f"    {left:14} answered from .5 on: {', '.join(said)}")
    return fitted


def stop(odds: Mapping[str, Odds], sets: Mapping[str, list[Case]]) -> None:
    """Which passage is the first to hold the answer; and the price at which no set of long pages costs more than half
    of what eight passages do."""
    own = {name: [_candidates(odds, case) for case in cases if _is_usual(case, cases)] for name, cases in sets.items()}
    known = {name: _stop_rows(cases) for name, cases in own.items()}
    fitted = _fit(list(known.values()), PENALTIES[0])
    print(f"CHANCE: {_named(('start', 'first', 'behind', 'fall'), fitted)}")
    low, high = 0.0, 0.1
    for _ in range(30):
        price = (low + high) / 2
        shares = [_spent(own[name], fitted, price) / _spent(own[name], fitted, 0.0) for name in LONG]
        low, high = (price, high) if max(shares) > 0.5 else (low, price)
    print(f"PRICE: {price:.4f}")
    for name in own:
        others = _fit([rows for other, rows in known.items() if other != name], PENALTIES[0])
        eight, until = (
            f"{_found(own[name], others, one):.3f} for {_spent(own[name], others, one):5.0f} tokens"
            for one in (0.0, price)
        )
        print(f"    {name:14} eight {eight}, until enough {until}")


def _is_usual(case: Case, cases: Sequence[Case]) -> bool:
    """Whether the page answers and, where the model knows the language, the judge was asked."""
    return case.kind == "own" and bool(case.shown) and case.with_model == any(one.with_model for one in cases)


def _rows(cases: Sequence[Case], signals: Sequence[str]) -> Rows:
    with_model = "judged" in signals
    known = [
        case
        for case in cases
        if case.shown
        and case.with_model == with_model
        and all(getattr(case.shown[0], name) is not None for name in signals)
    ]
    found = [[1.0, *(getattr(case.shown[0], name) for name in signals), float(case.missing)] for case in known]
    kinds = tuple(case.kind for case in known)
    count = {answers: len({case.kind for case in known if case.answers == answers}) for answers in (True, False)}
    weights = [0.5 / count[case.answers] / kinds.count(case.kind) for case in known]
    return Rows(np.array(found), np.array([float(case.answers) for case in known]), np.array(weights), kinds)


Passages = list[tuple[enough.Candidate, bool]]


def _candidates(odds: Mapping[str, Odds], case: Case) -> Passages:
    scores = never_rising([_score(odds, one) for one in case.shown])
    return [
        (enough.Candidate(one.behind, score, one.tokens), one.holds)
        for one, score in zip(case.shown, scores, strict=True)
    ]


def _score(odds: Mapping[str, Odds], one: Shown) -> float:
    name = "WORDS" + "_AND_STATIC" * (one.static is not None) if one.judged is None else "ALL_AND_JUDGE"
    total = odds[name].sum(one.coverage, one.static or 0.0, one.judged or 0.0, missing=False)
    return float(1 / (1 + np.exp(-total)))


def _stop_rows(cases: Sequence[Passages]) -> Rows:
    found, first = [], []
    for passages in cases:
        holds = [held for _, held in passages]
        best = passages[0][0]
        for at, (one, _) in enumerate(passages):
            fall = enough.log_odds(best.score) - enough.log_odds(one.score)
            found.append([1.0, float(at == 0), min(one.behind, enough.FARTHEST), fall])
            first.append(float(holds[at] and not any(holds[:at])))
    return Rows(np.array(found), np.array(first), np.full(len(found), 1 / len(cases)), ())


def _shown(passages: Passages, fitted: np.ndarray, price: float) -> Passages:
    chance = enough.Chance(*map(float, fitted))
    return passages[: enough.enough([one for one, _ in passages], passages[0][0].score, chance, price)]


def _spent(cases: Sequence[Passages], fitted: np.ndarray, price: float) -> float:
    return float(np.mean([sum(one.tokens for one, _ in _shown(case, fitted, price)) for case in cases]))


def _found(cases: Sequence[Passages], fitted: np.ndarray, price: float) -> float:
    return float(np.mean([any(holds for _, holds in _shown(case, fitted, price)) for case in cases]))


def _without(known: Mapping[str, Rows], left: str, penalty: float) -> np.ndarray:
    return _fit([rows for name, rows in known.items() if name != left], penalty)


def _fit(sets: Sequence[Rows], penalty: float) -> np.ndarray:
    """Logistic regression by Newton's method; the first signal is the constant and has no penalty."""
    signals = np.vstack([rows.signals for rows in sets])
    answers = np.concatenate([rows.answers for rows in sets])
    weights = np.concatenate([rows.weights for rows in sets]) / len(sets)
    penalties = np.full(signals.shape[1], penalty)
    penalties[0] = 0.0
    found = np.zeros(signals.shape[1])
    for _ in range(100):
        chances = _chances(signals, found)
        slope = signals.T @ (weights * (chances - answers)) + penalties * found
        bend = (signals * (weights * chances * (1 - chances))[:, None]).T @ signals + np.diag(penalties + 1e-9)
        step = np.linalg.solve(bend, slope)
        found -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return found


def _chances(signals: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    chances: np.ndarray = 1 / (1 + np.exp(-np.clip(signals @ fitted, -30, 30)))
    return chances


def _loss(rows: Rows, fitted: np.ndarray) -> float:
    chances = _chances(rows.signals, fitted)
    right = np.where(rows.answers == 1, chances, 1 - chances)
    return float(-(rows.weights * np.log(right)).sum())


def _named(names: Sequence[str], values: np.ndarray) -> str:
    return ", ".join(f"{name}={value:.2f}" for name, value in zip(names, values, strict=True))


if __name__ == "__main__":
    main()
