"""The block model: trees and networks give what plain loops give, and they fit the code that feeds them."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from bench.extraction.data import features_of

from mcp_web.extract.html import network
from mcp_web.extract.html.blocks import Box
from mcp_web.extract.html.decide import threshold
from mcp_web.extract.html.features import LEVELS, PageFeatures
from mcp_web.extract.html.inputs import BITS, FIGURES, Inputs, read_inputs
from mcp_web.extract.html.known_words import KnownWords
from mcp_web.extract.html.model import FEATURES, chances_of, load_scorer
from mcp_web.extract.html.network import Networks
from mcp_web.extract.html.trees import LEAVES, STEP, Trees
from mcp_web.extract.html.vocabulary import NAME_WORDS

PAGE = (
    "<title>A story</title><body><div class=menu><a href=/>Home</a> <a href=/b>About</a></div><div class='post'>"
    "<h1>A story</h1>"
    + "<p>It was a long day, and the rain, which had begun at noon, would not end.</p>"
    * 4
    + "</div>"
    "<div class='related side'><ul><li><a href=/1>Another story</a></li><li>Posted 3 days ago</li></ul></div>"
    + "<div class=grid>"
    + "".join(f"<div class=card><h3>Item {n}</h3><span>For {n} euro</span></div>" for n in range(9))
    + "</div><p>Loose <b>words</b></p>and some more text without a box</body>"
)


@pytest.fixture(scope="module")
def features() -> PageFeatures:
    found = features_of(PAGE, "https://example.org/")
    assert found is not None
    return found


def _trees() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(files("mcp_web.extract.html").joinpath("trees.json").read_text("utf-8"))
    return read


def _weights() -> dict[str, Any]:
    with files("mcp_web.extract.html").joinpath("networks.npz").open("rb") as file, np.load(file) as weights:
        return dict(weights)


def _rows(features: PageFeatures) -> list[dict[str, float]]:
    rows = []
    for at, row in features.block_features():
        box = features.read.blocks[at].box
        mask = box.above | box.tags << len(NAME_WORDS)
        values = [*features.page, *features.box_features(box), *_levels(features, box), *row]
        bits = [float(mask >> bit & 1) for bit in range(len(BITS))]
        rows.append(dict(zip(FEATURES, [*values, *bits], strict=True)))
    return rows


def _levels(features: PageFeatures, box: Box) -> list[float]:
    row: list[float] = []
    level = 0
    for wanted in LEVELS:
        while level < wanted and box.parent is not None:
            box, level = box.parent, level + 1
        row += features.level_features(box)
    return row


def _walk(model: dict[str, Any], row: dict[str, float]) -> float:
    """Rule leaves out split by split, tree by tree: slow and obviously right."""
    left = [set(range(len(leaves))) for leaves in model["leaves"]]
    for name, steps in model["splits"].items():
        for bound, tree, ruled in steps:
            if np.float32(row[name]) > np.float32(bound):
                left[tree] -= {leaf for leaf in range(LEAVES) if ruled >> leaf & 1}
    return STEP * sum(leaves[min(alive)] for leaves, alive in zip(model["leaves"], left, strict=True))


def test_trees_give_what_walking_each_of_them_gives(features: PageFeatures) -> None:
    every = read_inputs(features, every=True)
    found = Trees(_trees(), FEATURES).logits(np.concatenate([every.figures, every.bits], axis=1))
    expected = [_walk(_trees(), row) for row in _rows(features)]
    assert len(expected) > 24
    assert np.allclose(found, expected, atol=1e-4)


class _Plain:
    """One network, block by block: slow and obviously right."""

    def __init__(self, weights: dict[str, Any], number: int, features: PageFeatures, inputs: Inputs) -> None:
        self.weights = {name: value[number] for name, value in weights.items() if value.ndim > 1}
        self.blocks = [features.read.blocks[at] for at in inputs.scored]
        self.inputs = inputs
        self.known = KnownWords(weights["names"].tolist(), weights["texts"].tolist())
        self.scaled = (network.scaled(inputs.figures) - weights["mean"]) / weights["spread"]

    def first(self, at: int) -> Any:
        inputs, weights = self.inputs, self.weights
        found = np.clip(self.scaled[at], -3, 3) @ weights["figures"] + 0.5 * inputs.bits[at] @ weights["bits"]
        for number, column in enumerate(network.TAGS):
            found = found + weights["tags"][number][int(inputs.figures[at, column])]
        found = found + weights["declared"][int(inputs.figures[at, network.DECLARED]) + 1]
        names, places = self.known.in_names(self.blocks)
        levels = [names[places[at, :1]], names[places[at, 1:3]], names[places[at, 3:]]]
        texts = self.known.in_texts(self.blocks)[at]
        bags = [self.bag("name_words", level.ravel()) for level in levels]
        bags += [self.bag("text_words", texts[:6]), self.bag("text_words", texts[6:])]
        found = found + np.concatenate(bags) @ weights["words"] + weights["words_bias"][0]
        hidden = np.maximum(self.normal(found, weights["norm"]), 0)
        return np.maximum(hidden @ weights["hidden"] + weights["hidden_bias"][0], 0)

    def bag(self, table: str, words: Any) -> Any:
        known = [word for word in words if word]
        return sum((self.weights[table][word] for word in known), np.zeros(8)) / np.sqrt(len(known) + 1)

    def normal(self, values: Any, scale: Any) -> Any:
        return (values - values.mean()) / np.sqrt(values.var() + 1e-5) * scale[0] + scale[1]

    def mean(self, hidden: list[Any], members: list[int]) -> Any:
        sizes = np.sqrt(self.inputs.sizes.astype(float))
        return sum(hidden[other] * sizes[other] for other in members) / sum(sizes[other] for other in members)

    def around(self, hidden: list[Any], at: int) -> list[Any]:
        parent, above, item = ([*range(first, last)] for first, last in self.inputs.spans[at])
        alike = [other for other, group in enumerate(self.inputs.groups) if group == self.inputs.groups[at]]
        return [self.mean(hidden, each) for each in ([*range(len(hidden))], parent, above, alike, item)]

    def logits(self) -> list[float]:
        weights = self.weights
        hidden = [self.first(at) for at in range(len(self.blocks))]
        for layer in range(len(weights["layers"])):
            means = [self.around(hidden, at) for at in range(len(hidden))]
            if layer == 0:
                kind = np.exp(means[0][0] @ weights["kind"] + weights["kind_bias"][0])
                back = kind / kind.sum() @ weights["kind_back"] + weights["kind_back_bias"][0]
                hidden = [each + back for each in hidden]
            near = {at + 8: each for at, each in enumerate(hidden)}
            seen = [
                np.concatenate(
                    [each, *means[at], *(near.get(at + 8 - by * 2**layer, 0 * each) for by in (1, -1, 2, -2))]
                )
                for at, each in enumerate(hidden)
            ]
            new = [each @ weights["layers"][layer] + weights["layers_bias"][layer][0] for each in seen]
            scale = weights["layers_norm"][layer]
            hidden = [old + np.maximum(self.normal(each, scale), 0) for old, each in zip(hidden, new, strict=True)]
        return [float((each @ weights["out"] + weights["out_bias"][0])[0]) for each in hidden]


def test_networks_give_what_one_after_the_other_gives_block_by_block(features: PageFeatures) -> None:
    inputs, weights = read_inputs(features), _weights()
    exact = {name: value.astype(float) if value.dtype.kind == "f" else value for name, value in weights.items()}
    expected = np.mean([_Plain(exact, number, features, inputs).logits() for number in range(3)], axis=0)
    found = Networks(weights).logits(features, inputs)
    assert len(expected) > 12
    assert np.allclose(found, expected, atol=1e-3)


def test_similar_lines_are_represented_by_some_of_them(features: PageFeatures) -> None:
    inputs = read_inputs(features)
    assert len(inputs.represented) == 2 * (9 - 3)
    assert len(inputs.scored) + len(inputs.represented) == len(features.read.blocks)
    assert inputs.figures.shape == (len(inputs.scored), len(FIGURES))


def test_a_page_scores_the_same_after_other_pages(features: PageFeatures) -> None:
    first = load_scorer().score(features)
    other = features_of(
        "<title>b</title>" + "<p class=entry>Some other text, which is short.</p>" * 9, "https://b.example/"
    )
    assert other is not None
    load_scorer().score(other)
    assert load_scorer().score(features) == first


def test_a_page_of_very_many_different_blocks_is_scored_by_the_trees_alone() -> None:
    count = network.MOST_BLOCKS + 100
    found = features_of("".join(f"<p id=n{n}>{'word ' * 50}{n}</p>" for n in range(count)), "https://example.org/")
    assert found is not None
    inputs = read_inputs(found)
    logits = Trees(_trees(), FEATURES).logits(np.concatenate([inputs.figures, inputs.bits], axis=1))
    assert load_scorer().score(found) == pytest.approx(chances_of(found, inputs, logits), abs=1e-6)


def test_trees_use_only_features_the_code_computes() -> None:
    assert set(_trees()["splits"]) <= set(FEATURES)


def test_the_models_are_small() -> None:
    folder = files("mcp_web.extract.html")
    assert len(folder.joinpath("trees.json").read_bytes()) < 120_000
    assert len(folder.joinpath("networks.npz").read_bytes()) < 450_000


def test_threshold_falls_where_nothing_is_likely() -> None:
    assert threshold([0.9, 0.8, 0.1, 0.05], [50, 40, 10, 10]) > 0.1
    assert threshold([0.2] * 30, [5] * 30) == 0.2


def test_threshold_never_drops_what_is_more_likely_content_than_not() -> None:
    assert threshold([0.99, 0.55], [1000, 10]) <= 0.5
