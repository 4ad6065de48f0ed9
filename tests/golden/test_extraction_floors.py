"""Quality floors of extraction on the development pages: they only rise.

Reads `../shared/extraction` beside the repository. Every page of the smaller sets is read; of the mixed set a third,
so that the whole stays within half a minute. `python -m bench.extraction` measures everything.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import pytest
from bench.extraction.data import DATA, gold_of, html_of, manifest, scorer
from bench.extraction.engines import extract

pytestmark = pytest.mark.skipif(
    not (DATA / "manifest.jsonl").exists(), reason=f"the development pages of extraction are not at {DATA}"
)

# What was reached, less what a change of one page moves.
FLOORS: dict[str, dict[str, float]] = {
    "aeb": {"F1": 0.978},
    "wcxb": {"F1": 0.905},
    "docs": {
        "F1": 0.995, "code_block": 0.999, "code_exact": 0.998, "lang_ok": 0.99, "table_ok": 0.99, "head_ok": 0.99,
        "link_target": 0.99,
    },
    "mozread": {"F1": 0.970},
    "trafeval": {"F1": 0.951},
}  # fmt: skip
_SAMPLED = {"wcxb": 3}


@cache
def _figures(name: str) -> dict[str, Any]:
    results = []
    for page in manifest():
        if page["set"] != name or zlib.crc32(page["id"].encode()) % _SAMPLED.get(name, 1):
            continue
        out = extract(html_of(page), page["url"])
        found = scorer().score_one(page, gold_of(page), out, "md")
        found.update(id=page["id"], set=name, type=page["type"], cpu=0.0, wall=0.0, err=None, n=len(out))
        results.append(found)
    figures: dict[str, Any] = scorer().agg(results)
    return figures


@pytest.mark.parametrize(("name", "figure"), [(name, figure) for name, floor in FLOORS.items() for figure in floor])
def test_quality_does_not_fall_below_what_was_reached(name: str, figure: str) -> None:
    assert _figures(name)[figure] >= FLOORS[name][figure]
