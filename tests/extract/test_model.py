"""The block model: its trees give what plain walking gives, and it fits the code that feeds it."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from typing import Any

from mcp_web.extract.html.blocks import Box
from mcp_web.extract.html.choose import features_of
from mcp_web.extract.html.decide import threshold
from mcp_web.extract.html.features import LEVELS, PageFeatures
from mcp_web.extract.html.model import FEATURES, LEAVES, MASKS, STEP, load_scorer

PAGE = (
    "<title>A story</title><body><div class=menu><a href=/>Home</a> <a href=/b>About</a></div><div class='post'>"
    "<h1>A story</h1>"
    + "<p>It was a long day, and the rain, which had begun at noon, would not end.</p>"
    * 4
    + "</div>"
    "<div class='related side'><ul><li><a href=/1>Another story</a></li><li>Posted 3 days ago</li></ul></div>"
    "<p>Loose <b>words</b></p>and some more text without a box</body>"
)


def _model() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(files("mcp_web.extract.html").joinpath("model.json").read_text("utf-8"))
    return read


def _rows(features: PageFeatures) -> list[dict[str, float]]:
    rows = []
    for at, row in features.block_features():
        box = features.read.blocks[at].box
        masks = (box.above, box.tags)
        values = [*features.page, *features.box_features(box), *_levels(features, box), *row]
        named = dict(zip(FEATURES, values, strict=True))
        for mask, (group, words) in zip(masks, MASKS, strict=True):
            named |= {f"{group}.{word}": float(mask >> bit & 1) for bit, word in enumerate(words)}
        rows.append(named)
    return rows


def _levels(features: PageFeatures, box: Box) -> list[float]:
    row: list[float] = []
    level = 0
    for wanted in LEVELS:
        while level < wanted and box.parent is not None:
            box, level = box.parent, level + 1
        row += features.level_features(box)
    return row


def _plain_score(model: dict[str, Any], row: dict[str, float]) -> float:
    """Rule leaves out split by split, tree by tree: slow and obviously right."""
    left = [set(range(len(leaves))) for leaves in model["leaves"]]
    for name, steps in model["splits"].items():
        for bound, tree, ruled in steps:
            if row[name] > bound:
                left[tree] -= {leaf for leaf in range(LEAVES) if ruled >> leaf & 1}
    total = sum(leaves[min(alive)] for leaves, alive in zip(model["leaves"], left, strict=True))
    return 1 / (1 + math.exp(-total * STEP))


def test_scorer_agrees_with_walking_each_tree() -> None:
    features = features_of(PAGE, "https://example.org/")
    assert features is not None
    chances = load_scorer().score(features, every=True)
    expected = [_plain_score(_model(), row) for row in _rows(features)]
    assert len(chances) == len(expected) > 8
    assert all(abs(one - other) < 1e-9 for one, other in zip(chances, expected, strict=True))


def test_model_uses_only_figures_the_code_computes() -> None:
    known = {*FEATURES, *(f"{group}.{word}" for group, words in MASKS for word in words)}
    assert set(_model()["splits"]) <= known


def test_model_is_small() -> None:
    assert len(files("mcp_web.extract.html").joinpath("model.json").read_bytes()) < 120_000


def test_threshold_falls_where_nothing_is_likely() -> None:
    assert threshold([0.9, 0.8, 0.1, 0.05], [50, 40, 10, 10]) > 0.1
    assert threshold([0.2] * 30, [5] * 30) == 0.2


def test_threshold_never_drops_what_is_more_likely_content_than_not() -> None:
    assert threshold([0.99, 0.55], [1000, 10]) <= 0.5
