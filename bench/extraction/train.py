"""Train the block model on the development pages and write it beside the code that reads it.

    python -m bench.extraction.train --cv FOLDER      # cross-validated by site: what to expect of unseen sites
    python -m bench.extraction.train FOLDER           # trains on all pages, writes trees.json and networks.npz

FOLDER has the further pages of `bench.extraction.further`; without it only the development pages are used.
Needs `pip install lightgbm jax`; the engine itself needs neither. Same data, same versions, same machine: same model.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from bench.extraction import networks
from bench.extraction.data import ROOT, Page, features_of, gold_of, group_of, html_of, manifest, scorer
from bench.extraction.further import further_pages
from bench.extraction.labels import label
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.html.inputs import Inputs, read_inputs
from mcp_web.extract.html.known_words import KnownWords, name_words, text_words, word_shape
from mcp_web.extract.html.model import FEATURES, chances_of, load_scorer
from mcp_web.extract.html.trees import LEAVES, STEP

TARGET = ROOT / "src" / "mcp_web" / "extract" / "html"
TREES = 224
SETTINGS: dict[str, Any] = {
    "objective": "binary", "learning_rate": 0.2, "num_leaves": LEAVES, "min_data_in_leaf": 40,
    "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5,
    "extra_trees": True, "max_bin": 127, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}  # fmt: skip
# How much a page of a set counts: the fixtures of defuddle are not pages, mozread is Readability's own output,
# a news article is what a reader most often wants clean, and further pages are labelled by others' habits.
SET_WEIGHT = {"defuddle": 0.4, "mozread": 0.8, "aeb": 1.6, "fundus": 0.5, "labelled": 0.3, "recipes": 0.3}
SURE, SURE_NOT = 0.85, 0.1  # chances by trees from which a block of a recipe counts as content or as none
SNIPPET_WEIGHT = 22.0  # of a block that must or must not be there; a whole page counts 100
FOLDS = 5
SEEDS = (1, 2, 3)  # one seed of the trees moves a set's figure by half a point; the first is shipped
NETWORKS = 3  # networks whose mean is taken; cross-validation shows two such means, the first is shipped
# Words that fewer sites use are not known to the networks.
NAME_SITES, TEXT_SITES = 8, 20
KINDS = ("article", "documentation", "forum", "listing", "collection", "service", "product")


@dataclass
class Example:
    page: Page
    gold: dict[str, Any]
    fold: int
    page_features: PageFeatures
    matrix: np.ndarray  # the features of all blocks
    labels: np.ndarray  # -1 where the gold does not say
    weights: np.ndarray
    inputs: Inputs  # of the blocks that the engine scores
    by_trees: np.ndarray = field(default_factory=lambda: np.zeros(0))  # logits of the scored blocks
    by_networks: np.ndarray = field(default_factory=lambda: np.zeros(0))
    chances: list[float] = field(default_factory=list)


def read_example(page: Page) -> Example | None:
    prepared = features_of(html_of(page), page["url"])
    if prepared is None:
        return None
    gold, blocks = gold_of(page), prepared.read.blocks
    if "text" in gold:
        labels = np.array(label([block.text for block in blocks], gold["text"]))
    else:
        labels = np.array([_by_snippets(block.text, gold) for block in blocks])
    return _example(page, gold, prepared, labels)


def _example(page: Page, gold: dict[str, Any], prepared: PageFeatures, labels: np.ndarray) -> Example:
    if page["set"] == "trafeval":
        weights = np.where(labels >= 0, SNIPPET_WEIGHT, 0.0)
    else:
        weights = np.sqrt([len(block.text) for block in prepared.read.blocks])
        weights *= 100 / weights.sum() * SET_WEIGHT.get(page["set"], 1)
    fold = zlib.crc32(group_of(page).encode()) % FOLDS
    every = read_inputs(prepared, every=True)
    matrix = np.concatenate([every.figures, every.bits], axis=1)
    return Example(page, gold, fold, prepared, matrix, labels, weights, read_inputs(prepared))


def further_examples(folder: Path, examples: list[Example]) -> list[Example]:
    """The further pages of a folder. Of a recipe, blocks that are not known get the label of trees over all other
    pages, if these are sure."""
    found = [
        _example(each.page, {"text": each.text} if each.text else {"with": [], "without": []}, each.read, each.labels)
        for each in further_pages(folder)
    ]
    recipes = [example for example in found if "text" not in example.gold]
    trees = fit([*examples, *(example for example in found if "text" in example.gold)])
    for example in recipes:
        chances = 1 / (1 + np.exp(-np.asarray(trees.predict(example.matrix, raw_score=True, num_threads=1))))
        sure = np.where(chances > SURE, 1, np.where(chances < SURE_NOT, 0, -1))
        example.labels = np.where(example.labels == 1, 1, sure)
    return found


def _by_snippets(text: str, gold: dict[str, Any]) -> int:
    for names, value in (("with", 1), ("without", 0)):
        if any(re.sub(r"\s+", " ", snippet).strip() in text for snippet in gold[names]):
            return value
    return -1


def known_words(examples: list[Example]) -> tuple[list[str], list[str]]:
    """The words in names and in texts that enough sites use."""
    names, texts = [], []
    for example in examples:
        site, read = group_of(example.page), example.page_features.read
        names.append((site, [word for name in {box.name for box in read.boxes} for word in name_words(name)]))
        texts.append((site, [word_shape(word) for block in read.blocks for word in text_words(block.text) if word]))
    return (
        networks.frequent(networks.by_site(names), NAME_SITES),
        networks.frequent(networks.by_site(texts), TEXT_SITES),
    )


def sample_of(example: Example, known: KnownWords) -> networks.Sample:
    """What the networks learn from a page: a block counts for those that it represents."""
    inputs, page = example.inputs, example.page
    blocks = [example.page_features.read.blocks[at] for at in inputs.scored]
    words, places = known.in_names(blocks)
    weight, content = np.zeros(len(example.labels)), np.zeros(len(example.labels))
    for at, (value, counts) in enumerate(zip(example.labels, example.weights / 100, strict=True)):
        if value >= 0:
            for other in (others := inputs.represented.get(at, [at])):
                weight[other] += counts / len(others)
                content[other] += value * counts / len(others)
    weight, content = weight[inputs.scored], content[inputs.scored]
    labels = np.where(weight > 0, content / np.maximum(weight, 1e-9), -1)
    whole = SET_WEIGHT.get(page["set"], 1) if "text" in example.gold else 0
    return networks.Sample(
        inputs, words[places], known.in_texts(blocks), labels, weight, example.fold, _kind(page), whole
    )


def _kind(page: Page) -> int:
    """The number of the page's type, or -1."""
    known = {"aeb": "article", "mozread": "article", "docs": "documentation", "defuddle": None, "trafeval": None}
    kind = known.get(page["set"], page["type"])
    return KINDS.index(kind) if kind in KINDS else -1


def fit(examples: list[Example], seed: int = SEEDS[0]) -> lightgbm.Booster:
    labels = np.concatenate([example.labels for example in examples])
    known = labels >= 0
    data = lightgbm.Dataset(
        np.vstack([example.matrix for example in examples])[known],
        labels[known],
        weight=np.concatenate([example.weights for example in examples])[known],
        feature_name=[f"f{at}" for at in range(len(FEATURES))],
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
    splits.setdefault(FEATURES[node["split_feature"]], []).append([threshold, tree, left])
    return left | right


def figures(examples: list[Example]) -> dict[str, float]:
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


def held_out_trees(examples: list[Example], seed: int) -> None:
    """Set the logits of trees that did not see the site of a page."""
    for fold in range(FOLDS):
        booster = fit([example for example in examples if example.fold != fold], seed)
        for example in examples:
            if example.fold == fold:
                scored = example.matrix[example.inputs.scored]
                example.by_trees = np.asarray(booster.predict(scored, raw_score=True, num_threads=1))


def held_out_networks(examples: list[Example], models: list[networks.Model], logits: list[np.ndarray]) -> None:
    """Set the mean logits of the networks that did not see the site of a page."""
    for example, each in zip(examples, logits, strict=True):
        example.by_networks = each[[example.fold in held_out for _, held_out in models]].mean(axis=0)


def shares_of(examples: list[Example]) -> np.ndarray:
    """How much networks and trees count: a logistic regression over their logits, by Newton's method."""
    logits = np.concatenate([np.stack([example.by_networks, example.by_trees], 1) for example in examples])
    labels = np.concatenate([example.labels[example.inputs.scored] for example in examples])
    weights = np.concatenate([example.weights[example.inputs.scored] for example in examples])
    logits, weights, labels = (each[labels >= 0] for each in (logits, weights, labels))
    weights /= weights.sum()
    shares = np.full(2, 0.3)
    for _ in range(25):
        chances = 1 / (1 + np.exp(-logits @ shares))
        curve = (logits * (weights * chances * (1 - chances))[:, None]).T @ logits
        step = np.linalg.solve(curve + 1e-4 * np.eye(2), logits.T @ (weights * (chances - labels)))
        shares = np.clip(shares - np.clip(step, -0.1, 0.1), 0, 1.5)
    return shares


def set_chances(examples: list[Example]) -> None:
    """Set the chances of all blocks; the shares of a fold are those of the other folds."""
    for fold in range(FOLDS):
        by_networks, by_trees = shares_of([example for example in examples if example.fold != fold])
        for example in examples:
            if example.fold == fold:
                logits = by_networks * example.by_networks + by_trees * example.by_trees
                example.chances = chances_of(example.page_features, example.inputs, logits)


def show(found: list[dict[str, float]]) -> None:
    for name in found[0]:
        each = [one[name] for one in found]
        print(f"{name:22} F {np.mean(each):.4f}  ({min(each):.3f}–{max(each):.3f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cv", action="store_true", help="cross-validate by site instead of writing the model")
    parser.add_argument("folder", nargs="?", type=Path, help="with the further pages")
    arguments = parser.parse_args()
    own = [example for page in manifest() if (example := read_example(page)) is not None]
    examples = own + (further_examples(arguments.folder, own) if arguments.folder else [])
    print(f"{len(examples)} pages, {sum(len(e.labels) for e in examples)} blocks, {len(FEATURES)} features", flush=True)
    names, texts = known_words(examples)
    known = KnownWords(names, texts)
    columns = networks.Columns([sample_of(example, known) for example in examples])
    first = range(1, NETWORKS + 1)
    held_out: list[networks.Model] = [
        (seed, (fold,)) for seed in (range(1, 2 * NETWORKS + 1) if arguments.cv else first) for fold in range(FOLDS)
    ]
    models = held_out if arguments.cv else [*held_out, *((seed, ()) for seed in first)]
    weights = networks.train(columns, models, len(names), len(texts), len(KINDS))
    logits = np.split(networks.predict(columns, weights), columns.starts[1:-1], axis=1)
    if arguments.cv:
        cross_validate(own, examples, models, logits)
        return
    held_out_networks(examples, models, logits)
    held_out_trees(examples, SEEDS[0])
    trees = export(fit(examples))
    TARGET.joinpath("trees.json").write_text(json.dumps(trees, separators=(",", ":")) + "\n", "utf-8")
    shipped = {name: value[-NETWORKS:] for name, value in weights.items()}
    made = networks.export(shipped, columns, names, texts, shares_of(own))
    np.savez_compressed(TARGET / "networks.npz", **made)
    check = load_scorer()
    for example in own:
        example.chances = check.score(example.page_features)
    show([figures(own)])


def cross_validate(
    own: list[Example], examples: list[Example], models: list[networks.Model], logits: list[np.ndarray]
) -> None:
    """Print the figures of the development pages `own`, which are the first of all examples."""
    found = []
    for seed in SEEDS:
        held_out_trees(examples, seed)
        for start in (1, NETWORKS + 1):
            chosen = [start <= number < start + NETWORKS for number, _ in models]
            group = [model for model, use in zip(models, chosen, strict=True) if use]
            held_out_networks(examples, group, [each[chosen] for each in logits])
            set_chances(own)
            found.append(figures(own))
    show(found)


if __name__ == "__main__":
    main()
