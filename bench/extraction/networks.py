"""Train the networks of the block model: several seeds and folds at once, by JAX on a CPU or a GPU.

The forward pass is that of `mcp_web.extract.html.network`, with dropout. Parts of pages, names and words are left out
at random: without that the networks are far too sure of themselves on sites they have not seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from mcp_web.extract.html.inputs import BITS, Inputs
from mcp_web.extract.html.known_words import FIRST_WORDS
from mcp_web.extract.html.network import BIT, DECLARED, NAME_LEVELS, SCALED, TAGS, scaled

WIDTH, LAYERS, VECTOR = 32, 2, 8  # of a block, of the network, of a word
PARTS = 10  # a block, five means, four neighbours
EPOCHS, BATCH = 40, 2048  # blocks at once
RATE, DECAY = 2e-3, 0.3
DROPOUT, FIGURE_DROPOUT, WORD_DROPOUT = 0.4, 0.25, 0.4
PAGE_DROPOUT = {"tags": 0.1, "declared": 0.3, "names": 0.5, "texts": 0.5}  # of a kind of input, for a whole page
PART_OF_PAGES, LOST = 0.3, 0.2  # pages of which some elements are left out, and how many of those
F1_WEIGHT, KIND_WEIGHT = 0.5, 0.1
TAG_NUMBERS, DECLARED_KINDS = 45, 10
LARGEST_PART = 1_500  # blocks of a page in one batch

Weights = dict[str, Any]
Model = tuple[int, tuple[int, ...]]  # a seed, and the folds that are held out


@dataclass(frozen=True)
class Sample:
    """One page: the inputs of its scored blocks, and what the gold says of them."""

    inputs: Inputs
    name_words: np.ndarray  # [block, level, word]
    text_words: np.ndarray
    labels: np.ndarray  # the share of content among the blocks that it represents; -1 where the gold does not say
    weights: np.ndarray
    fold: int
    kind: int  # the type of the page, or -1
    whole: float  # how much its F1 counts; 0 if the gold does not have the whole text


class Columns:
    """The samples one after the other, as arrays by block."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.samples = samples
        self.starts = np.cumsum([0, *(len(sample.labels) for sample in samples)])
        figures = scaled(np.concatenate([sample.inputs.figures for sample in samples]))
        self.mean, self.spread = _standard(figures)
        raw = np.concatenate([sample.inputs.figures for sample in samples])
        names = np.concatenate([sample.name_words for sample in samples])
        texts = np.concatenate([sample.text_words for sample in samples])
        levels = [names[:, first:last].reshape(len(names), -1) for first, last in NAME_LEVELS]
        self.arrays = {
            "figures": np.clip((figures - self.mean) / self.spread, -3, 3),
            "bits": BIT * np.concatenate([sample.inputs.bits for sample in samples]).astype(np.float32),
            "tags": raw[:, TAGS].astype(np.int32), "declared": raw[:, DECLARED].astype(np.int32) + 1,
            **{f"names{at}": level.astype(np.int32) for at, level in enumerate(levels)},
            "first": texts[:, :FIRST_WORDS].astype(np.int32), "last": texts[:, FIRST_WORDS:].astype(np.int32),
            "labels": np.concatenate([sample.labels for sample in samples]).astype(np.float32),
            "weights": np.concatenate([sample.weights for sample in samples]).astype(np.float32),
            "sizes": np.concatenate([sample.inputs.sizes for sample in samples]),
        }  # fmt: skip


def _standard(figures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the standard deviation of each figure; figures of two values are halved."""
    two = np.array([len(np.unique(column)) <= 2 for column in figures.T])
    mean = np.where(two, 0, figures.mean(0))
    return mean.astype(np.float32), np.where(two, 2, figures.std(0) + 1e-6).astype(np.float32)


# ------------------------------------------------------------------------------------------------ the network


def start_weights(key: jax.Array, names: int, texts: int, kinds: int) -> Weights:
    keys = iter(jax.random.split(key, 20))

    def normal(*shape: int, by: float | None = None) -> jax.Array:
        return jax.random.normal(next(keys), shape) * (shape[-2] ** -0.5 if by is None else by)

    return {
        "figures": normal(len(SCALED), WIDTH, by=(len(SCALED) + len(BITS)) ** -0.5),
        "bits": normal(len(BITS), WIDTH, by=(len(SCALED) + len(BITS)) ** -0.5),
        "tags": normal(len(TAGS), TAG_NUMBERS, WIDTH, by=0.1), "declared": normal(DECLARED_KINDS, WIDTH, by=0.1),
        "name_words": normal(names + 1, VECTOR, by=0.1), "text_words": normal(texts + 1, VECTOR, by=0.1),
        "words": normal(5 * VECTOR, WIDTH, by=(2.5 * VECTOR) ** -0.5), "words_bias": jnp.zeros(WIDTH),
        "norm": jnp.stack([jnp.ones(WIDTH), jnp.zeros(WIDTH)]),
        "hidden": normal(WIDTH, WIDTH), "hidden_bias": jnp.zeros(WIDTH),
        "kind": normal(WIDTH, kinds), "kind_bias": jnp.zeros(kinds),
        "kind_back": normal(kinds, WIDTH), "kind_back_bias": jnp.zeros(WIDTH),
        "layers": normal(LAYERS, PARTS * WIDTH, WIDTH), "layers_bias": jnp.zeros((LAYERS, WIDTH)),
        "layers_norm": jnp.stack([jnp.stack([jnp.ones(WIDTH), jnp.zeros(WIDTH)])] * LAYERS),
        "out": normal(WIDTH, 1, by=0.1 * WIDTH**-0.5), "out_bias": jnp.zeros(1),
    }  # fmt: skip


def forward(weights: Weights, batch: dict[str, jax.Array], key: jax.Array | None) -> tuple[jax.Array, jax.Array]:
    """The logit of each block, and the logits of its page's type; with a key, parts are left out at random."""
    drop = _Dropout(key, batch["page"])
    valid = batch["valid"][:, None]
    tags = sum(weights["tags"][at][batch["tags"][:, at]] for at in range(len(TAGS)))
    hidden = drop(batch["figures"], FIGURE_DROPOUT) @ weights["figures"]
    hidden += drop(batch["bits"], FIGURE_DROPOUT) @ weights["bits"]
    hidden += drop.pages("tags") * tags + drop.pages("declared") * weights["declared"][batch["declared"]]
    names = [_bag(weights["name_words"], batch[f"names{at}"], drop) for at in range(len(NAME_LEVELS))]
    texts = [_bag(weights["text_words"], batch[name], drop) for name in ("first", "last")]
    bags = [drop.pages("names") * jnp.concatenate(names, 1), drop.pages("texts") * jnp.concatenate(texts, 1)]
    hidden += jnp.concatenate(bags, 1) @ weights["words"] + weights["words_bias"]
    hidden = drop(jax.nn.relu(_normalized(hidden, weights["norm"])), DROPOUT)
    hidden = jax.nn.relu(hidden @ weights["hidden"] + weights["hidden_bias"]) * valid
    kind = jnp.zeros(0)
    for layer in range(LAYERS):
        means = _means(hidden, batch)
        if layer == 0:
            kind = means[0] @ weights["kind"] + weights["kind_bias"]
            hidden += jax.nn.softmax(kind) @ weights["kind_back"] + weights["kind_back_bias"]
        near = [_shifted(hidden, by << layer, batch["page"]) for by in (1, -1, 2, -2)]
        seen = jnp.concatenate([hidden, *means, *near], 1) @ weights["layers"][layer] + weights["layers_bias"][layer]
        hidden = (hidden + drop(jax.nn.relu(_normalized(seen, weights["layers_norm"][layer])), DROPOUT)) * valid
    return (hidden @ weights["out"] + weights["out_bias"])[:, 0], kind


class _Dropout:
    def __init__(self, key: jax.Array | None, page: jax.Array) -> None:
        self._keys = None if key is None else iter(jax.random.split(key, 20))
        self._page = page

    def __call__(self, values: jax.Array, rate: float) -> jax.Array:
        return values if self._keys is None else self.mask(values.shape, rate) * values / (1 - rate)

    def mask(self, shape: tuple[int, ...], rate: float) -> jax.Array:
        return jnp.ones(shape) if self._keys is None else jax.random.bernoulli(next(self._keys), 1 - rate, shape)

    def pages(self, kind: str) -> jax.Array:
        """1 for the pages that have this kind of input."""
        return self.mask(self._page.shape, PAGE_DROPOUT[kind])[self._page][:, None]


def _bag(table: jax.Array, words: jax.Array, drop: _Dropout) -> jax.Array:
    known = (words > 0) * drop.mask(words.shape, WORD_DROPOUT)
    return (table[words] * known[..., None]).sum(1) / jnp.sqrt(known.sum(1, keepdims=True) + 1)


def _normalized(values: jax.Array, scale: jax.Array) -> jax.Array:
    values = values - values.mean(-1, keepdims=True)
    return values * jax.lax.rsqrt((values * values).mean(-1, keepdims=True) + 1e-5) * scale[0] + scale[1]


def _means(hidden: jax.Array, batch: dict[str, jax.Array]) -> list[jax.Array]:
    weight = (jnp.sqrt(batch["sizes"]) * batch["valid"])[:, None]
    both = jnp.concatenate([hidden * weight, weight], 1)
    ahead = jnp.concatenate([jnp.zeros((1, both.shape[1])), jnp.cumsum(both, 0)])
    spans = batch["spans"]
    sums = [ahead[spans[:, at, 1]] - ahead[spans[:, at, 0]] for at in range(spans.shape[1])]
    sums.insert(3, jax.ops.segment_sum(both, batch["groups"], len(both))[batch["groups"]])
    return [each[:, :-1] / (each[:, -1:] + 1e-6) for each in sums]


def _shifted(hidden: jax.Array, by: int, page: jax.Array) -> jax.Array:
    return jnp.roll(hidden, by, 0) * (jnp.roll(page, by) == page)[:, None]


# ------------------------------------------------------------------------------------------------ training


def train(columns: Columns, models: list[Model], names: int, texts: int, kinds: int) -> Weights:
    """The weights of all models, the first axis being the model."""
    rng = np.random.default_rng(models[0][0])
    folds = np.array([sample.fold for sample in columns.samples])
    seen = np.stack([~np.isin(folds, held_out) for _, held_out in models]).astype(np.float32)
    keys = jnp.stack([jax.random.PRNGKey(1000 * seed + sum(2**fold for fold in out)) for seed, out in models])
    weights = jax.vmap(lambda key: start_weights(key, names, texts, kinds))(keys)
    state = (weights, *(jax.tree.map(jnp.zeros_like, weights) for _ in range(2)), jnp.zeros(len(models)))
    arrays = {name: jnp.asarray(value) for name, value in columns.arrays.items()}
    total = at = 0
    for _ in range(EPOCHS):
        batches = list(_batches(columns, rng.permutation(len(folds)), rng))
        total = total or len(batches) * EPOCHS
        for batch, pages in batches:
            counts = np.zeros((len(models), BATCH), np.float32)
            counts[:, : len(pages)] = seen[:, pages]
            rate = RATE * min(1, (at + 1) / 60) * 0.5 * (1 + np.cos(np.pi * min(1, at / total)))
            state = _step(state, arrays, batch, counts, jax.random.PRNGKey(at + 77_777 * models[0][0]), rate)
            at += 1
    return state[0]


@jax.jit
def _step(state: Any, arrays: Any, batch: Any, counts: jax.Array, key: jax.Array, rate: float) -> Any:
    full = batch | {name: value[batch["index"]] for name, value in arrays.items()}
    keys = jax.random.split(key, len(counts))
    return jax.vmap(lambda one, count, key: _update(one, full, count, key, rate))(state, counts, keys)


def _update(state: Any, batch: dict[str, jax.Array], count: jax.Array, key: jax.Array, rate: float) -> Any:
    """One step of Adam with decoupled weight decay."""
    weights, first, second, steps = state
    slope = jax.grad(_loss)(weights, batch, count, key)
    norm = jnp.sqrt(sum((each**2).sum() for each in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda each: each * jnp.minimum(1, 1 / (norm + 1e-6)), slope)
    steps += 1
    first = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, first, slope)
    second = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new**2, second, slope)

    def moved(name: str) -> jax.Array:
        to = first[name] / (1 - 0.9**steps) / (jnp.sqrt(second[name] / (1 - 0.98**steps)) + 1e-8)
        decay = 0 if name.endswith("bias") or "norm" in name else DECAY
        return weights[name] - rate * (to + decay * weights[name])

    return {name: moved(name) for name in weights}, first, second, steps


def _loss(weights: Weights, batch: dict[str, jax.Array], count: jax.Array, key: jax.Array) -> jax.Array:
    """By block, by the F1 of each page, and by the type of the page; `count`: 0 for pages that are held out."""
    logits, kinds = forward(weights, batch, key)
    labels, valid, page = batch["labels"], batch["valid"], batch["page"]
    truth = jnp.clip(labels, 0, 1)
    wrong = jnp.maximum(logits, 0) - logits * truth + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    by_block = (wrong * batch["weights"] * (labels >= 0) * valid * count[page]).sum() / (count.sum() + 1e-6)
    chance, size = jax.nn.sigmoid(logits) * valid, batch["sizes"] * valid

    def by_page(values: jax.Array) -> jax.Array:
        return jax.ops.segment_sum(values, page, BATCH)

    f1 = 2 * by_page(chance * truth * size) / (by_page(chance * size) + by_page(truth * size) + 1)
    whole = count * batch["whole"]
    by_f1 = ((1 - f1) * whole).sum() / (whole.sum() + 1e-6)
    kind, typed = batch["kind"], (batch["kind"] >= 0) * count
    missed = -jax.nn.log_softmax(kinds[batch["first_block"]])[jnp.arange(BATCH), jnp.clip(kind, 0)]
    return by_block + F1_WEIGHT * by_f1 + KIND_WEIGHT * (missed * typed).sum() / (typed.sum() + 1e-6)


def _batches(
    columns: Columns, order: Sequence[int] | np.ndarray, rng: np.random.Generator | None
) -> Iterator[tuple[Any, Any]]:
    """Batches of whole pages; with `rng`, of some pages only parts."""
    size = BATCH if rng is not None else max(BATCH, int(np.diff(columns.starts).max()) + 1)
    chosen: list[tuple[int, np.ndarray]] = []
    taken = 0
    for page in order:
        kept = np.arange(len(columns.samples[page].labels)) if rng is None else _part(columns.samples[page], rng)
        if taken + len(kept) >= size:
            yield _batch(columns, chosen, size), [page for page, _ in chosen]
            chosen, taken = [], 0
        chosen.append((page, kept))
        taken += len(kept)
    yield _batch(columns, chosen, size), [page for page, _ in chosen]


def _part(sample: Sample, rng: np.random.Generator) -> np.ndarray:
    """The blocks of a page without those of some elements."""
    kept = np.arange(len(sample.labels))
    if len(kept) > LARGEST_PART:
        first = rng.integers(0, len(kept) - LARGEST_PART)
        kept = kept[first : first + LARGEST_PART]
    if rng.random() < PART_OF_PAGES and len(kept) > 12:
        level = rng.integers(sample.inputs.spans.shape[1])
        elements, element = np.unique(sample.inputs.spans[kept, level], axis=0, return_inverse=True)
        rest = kept[rng.random(len(elements))[element] >= LOST]
        kept = rest if len(rest) >= 6 else kept
    return kept


def _batch(columns: Columns, chosen: list[tuple[int, np.ndarray]], size: int) -> dict[str, np.ndarray]:
    made: dict[str, np.ndarray] = {
        "index": np.zeros(size, np.int32), "valid": np.zeros(size, np.float32),
        "page": np.full(size, size - 1, np.int32), "groups": np.full(size, size - 1, np.int32),
        "spans": np.zeros((size, 4, 2), np.int32), "kind": np.full(size, -1, np.int32),
        "whole": np.zeros(size, np.float32), "first_block": np.zeros(size, np.int32),
    }  # fmt: skip
    at = groups = 0
    for number, (page, kept) in enumerate(chosen):
        sample, here = columns.samples[page], slice(at, at + len(kept))
        made["index"][here] = columns.starts[page] + kept
        made["valid"][here] = 1
        made["page"][here] = number
        made["spans"][here, 0] = at, at + len(kept)
        made["spans"][here, 1:] = at + np.searchsorted(kept, sample.inputs.spans[kept])
        made["groups"][here] = groups + sample.inputs.groups[kept]
        made["kind"][number], made["whole"][number], made["first_block"][number] = sample.kind, sample.whole, at
        at += len(kept)
        groups += int(sample.inputs.groups.max()) + 1
    made["groups"] = np.minimum(np.unique(made["groups"], return_inverse=True)[1], size - 1).astype(np.int32)
    return made


def predict(columns: Columns, weights: Weights) -> np.ndarray:
    """The logits of all blocks by each model."""
    arrays = {name: jnp.asarray(value) for name, value in columns.arrays.items()}

    @jax.jit
    def run(weights: Weights, batch: Any) -> jax.Array:
        full = batch | {name: value[batch["index"]] for name, value in arrays.items()}
        return jax.vmap(lambda one: forward(one, full, None)[0])(weights)

    found = np.zeros((len(weights["out_bias"]), columns.starts[-1]), np.float32)
    with jax.default_matmul_precision("highest"):
        for batch, _ in _batches(columns, range(len(columns.samples)), None):
            count = int(batch["valid"].sum())
            found[:, batch["index"][:count]] = np.asarray(run(weights, batch))[:, :count]
    return found


def frequent(words: dict[str, set[str]], sites: int) -> list[str]:
    """The words that at least so many sites use."""
    return sorted(word for word, found in words.items() if len(found) >= sites)


def by_site(pages: Sequence[tuple[str, Sequence[str]]]) -> dict[str, set[str]]:
    """For each word the sites that use it."""
    found: dict[str, set[str]] = defaultdict(set)
    for site, words in pages:
        for word in words:
            found[word].add(site)
    return found


def export(
    weights: Weights, columns: Columns, names: list[str], texts: list[str], shares: np.ndarray
) -> dict[str, Any]:
    """The arrays of `networks.npz`: 16 bits are enough for weights; word 0 is any unknown word."""
    made = {name: np.asarray(value).astype(np.float16) for name, value in weights.items()}
    for name in ("name_words", "text_words"):
        made[name][:, 0] = 0
    for name in [each for each in made if each.endswith("bias")]:
        made[name] = made[name][..., None, :]  # the same for all blocks
    return made | {
        "mean": columns.mean, "spread": columns.spread, "shares": shares.astype(np.float32),
        "names": np.array(names), "texts": np.array(texts),
    }  # fmt: skip
