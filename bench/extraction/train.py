"""Train the block model on the development pages and write it beside the code that reads it.

    python -m bench.extraction.train --cv      # cross-validated by site: what to expect of unseen sites
    python -m bench.extraction.train           # trains on all pages, writes src/mcp_web/extract/html/model.json

Needs `pip install lightgbm numpy`; the engine itself needs neither. Same data, same versions: same model.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np

from bench.extraction.data import ROOT, Page, gold_of, group_of, html_of, manifest, scorer
from bench.extraction.labels import label
from mcp_web.extract.html.blocks import Box
from mcp_web.extract.html.choose import features_of
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.features import LEVELS, PageFeatures
from mcp_web.extract.html.model import FEATURES, LEAVES, MASKS, STEP, Scorer

TARGET = ROOT / "src" / "mcp_web" / "extract" / "html" / "model.json"
NAMES = [*FEATURES, *(f"{group}.{word}" for group, words in MASKS for word in words)]
TREES = 224
SETTINGS: dict[str, Any] = {
    "objective": "binary", "learning_rate": 0.2, "num_leaves": LEAVES, "min_data_in_leaf": 40,
    "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5,
    "extra_trees": True, "max_bin": 127, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}  # fmt: skip
# How much a page of a set counts: the fixtures of defuddle are not pages, mozread is Readability's own output,
# and a news article is what a reader most often wants clean.
SET_WEIGHT = {"defuddle": 0.4, "mozread": 0.8, "aeb": 1.6}
SNIPPET_WEIGHT = 22.0  # of a block that must or must not be there; a whole page counts 100
FOLDS = 5
SEEDS = (
    1,
    2,
    3,
)  # one seed moves a set's figure by half a point, so cross-validation shows three; the first is shipped


@dataclass
class Example:
    page: Page
    gold: dict[str, Any]
    fold: int
    page_features: PageFeatures
    features: np.ndarray
    labels: np.ndarray  # -1 where the gold does not say
    weights: np.ndarray
    chances: list[float]


def read_example(page: Page) -> Example | None:
    prepared = features_of(html_of(page), page["url"])
    if prepared is None:
        return None
    gold, blocks = gold_of(page), prepared.read.blocks
    if "text" in gold:
        labels = np.array(label([block.text for block in blocks], gold["text"]))
        weights = np.sqrt([len(block.text) for block in blocks])
        weights *= 100 / weights.sum() * SET_WEIGHT.get(page["set"], 1)
    else:
        labels = np.array([_by_snippets(block.text, gold) for block in blocks])
        weights = np.where(labels >= 0, SNIPPET_WEIGHT, 0.0)
    fold = zlib.crc32(group_of(page).encode()) % FOLDS
    return Example(page, gold, fold, prepared, matrix(prepared), labels, weights, [])


def _by_snippets(text: str, gold: dict[str, Any]) -> int:
    for names, value in (("with", 1), ("without", 0)):
        if any(re.sub(r"\s+", " ", snippet).strip() in text for snippet in gold[names]):
            return value
    return -1


def matrix(features: PageFeatures) -> np.ndarray:
    rows = []
    for at, row in features.block_features():
        box = features.read.blocks[at].box
        masks = (box.above, box.tags)
        bits = [mask >> bit & 1 for mask, (_, words) in zip(masks, MASKS, strict=True) for bit in range(len(words))]
        rows.append([*features.page, *features.box_features(box), *levels(features, box), *row, *bits])
    return np.asarray(rows, dtype=np.float64)


def levels(features: PageFeatures, box: Box) -> list[float]:
    row: list[float] = []
    level = 0
    for wanted in LEVELS:
        while level < wanted and box.parent is not None:
            box = box.parent
            level += 1
        row += features.level_features(box)
    return row


def fit(examples: list[Example], seed: int = SEEDS[0]) -> lightgbm.Booster:
    labels = np.concatenate([example.labels for example in examples])
    known = labels >= 0
    data = lightgbm.Dataset(
        np.vstack([example.features for example in examples])[known],
        labels[known],
        weight=np.concatenate([example.weights for example in examples])[known],
        feature_name=[f"f{at}" for at in range(len(NAMES))],
    )
    return lightgbm.train({**SETTINGS, "seed": seed}, data, TREES)


def export(booster: lightgbm.Booster) -> dict[str, Any]:
    """The trees as splits by feature and leaf values by tree."""
    splits: dict[str, list[list[float]]] = {}
    leaves: list[list[int]] = []
    for number, info in enumerate(booster.dump_model()["tree_info"]):
        values: list[float] = []
        _walk(info["tree_structure"], number, values, splits)
        leaves.append([round(value / STEP) for value in values])
    return {"version": 1, "trees": len(leaves), "splits": dict(sorted(splits.items())), "leaves": leaves}


def _walk(node: dict[str, Any], tree: int, values: list[float], splits: dict[str, list[list[float]]]) -> int:
    """The leaves under a node, as bits, leftmost lowest."""
    if "leaf_value" in node:
        values.append(node["leaf_value"])
        return 1 << (len(values) - 1)
    left = _walk(node["left_child"], tree, values, splits)
    right = _walk(node["right_child"], tree, values, splits)
    threshold = float(f"{node['threshold']:.7g}")
    splits.setdefault(NAMES[node["split_feature"]], []).append([threshold, tree, left])
    return left | right


def features(examples: list[Example]) -> dict[str, float]:
    """Scores of the chosen blocks' text, by set and by type of page."""
    score = scorer()
    found: dict[str, list[float]] = {}
    shingles, must, must_all, must_not = [], 0, 0, 0
    for example in examples:
        kept, _ = decide(example.page_features, example.chances)
        text = "\n".join(
            block.text for block, keep in zip(example.page_features.read.blocks, kept, strict=True) if keep
        )
        name, gold = example.page["set"], example.gold
        if "text" in gold:
            value = score.word_prf(text, gold["text"])[2]
            found.setdefault(name, []).append(value)
            if name == "wcxb":
                found.setdefault(f"wcxb/{example.page['type']}", []).append(value)
            if name == "aeb":
                shingles.append(score.shingle(gold["text"], text))
        else:
            line = re.sub(r"\s+", " ", text)
            must += sum(re.sub(r"\s+", " ", each) in line for each in gold["with"])
            must_all += len(gold["with"])
            must_not += sum(re.sub(r"\s+", " ", each) in line for each in gold["without"])
    recall, precision = must / must_all, must / (must + must_not)
    return {name: float(np.mean(found[name])) for name in sorted(found)} | {
        "aeb shingles": score.shingle_prf(shingles)[2],
        "trafeval": 2 * recall * precision / (recall + precision),
        "trafeval precision": precision,
        "trafeval recall": recall,
    }


def cross_validated(examples: list[Example], seed: int) -> dict[str, float]:
    """The features where no page is judged by a model that saw its site."""
    for fold in range(FOLDS):
        booster = fit([example for example in examples if example.fold != fold], seed)
        for example in examples:
            if example.fold == fold:
                example.chances = booster.predict(example.features, num_threads=1).tolist()
    return features(examples)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cv", action="store_true", help="cross-validate by site instead of writing the model")
    arguments = parser.parse_args()
    examples = [example for page in manifest() if (example := read_example(page)) is not None]
    print(f"{len(examples)} pages, {sum(len(e.labels) for e in examples)} blocks, {len(NAMES)} features", flush=True)
    if arguments.cv:
        found = [cross_validated(examples, seed) for seed in SEEDS]
        for name in found[0]:
            each = [one[name] for one in found]
            print(f"{name:22} F {np.mean(each):.4f}  ({', '.join(f'{value:.3f}' for value in each)})")
        return
    model = export(fit(examples))
    TARGET.write_text(json.dumps(model, separators=(",", ":")) + "\n", "utf-8")
    check = Scorer(model)
    for example in examples:
        example.chances = check.score(example.page_features)
    for name, value in features(examples).items():
        print(f"{name:22} F {value:.4f}")


if __name__ == "__main__":
    main()
