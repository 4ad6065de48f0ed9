"""BM25 over whole posting lists, leaving out the work that cannot change the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Best on Cranfield, SciFact and CISI together among the usual pairs (bench/archive/quality.py).
K1, B = 1.5, 0.75
_LONG = 4096  # shorter lists are added faster than it takes to find out whether they matter

POSTING = np.dtype([("at", "<u2"), ("weight", "u1")])  # one document in a blob of postings.py

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PostingList:
    """The documents that hold a wanted word: rising numbers, and the word's weight in each."""

    numbers: Numbers
    weights: Floats
    heaviest: float

    @classmethod
    def of(cls, numbers: Numbers, weights: Floats) -> PostingList:
        return cls(numbers, weights, float(weights.max()) if len(weights) else 0.0)


EMPTY = PostingList.of(np.empty(0, np.int64), np.empty(0, np.float32))


def without(docs: bytes, gone: list[int]) -> bytes | None:
    """A blob without some of its documents; None when it held none of them."""
    postings = np.frombuffer(docs, POSTING)
    left = postings[~np.isin(postings["at"], gone)]
    return left.tobytes() if len(left) < len(postings) else None


def joined(lists: list[PostingList]) -> PostingList:
    """Several lists as one; a document in more than one counts once, with its weights together."""
    if len(lists) <= 1:
        return lists[0] if lists else EMPTY
    numbers = np.concatenate([item.numbers for item in lists])
    weights = np.concatenate([item.weights for item in lists])
    unique, places = np.unique(numbers, return_inverse=True)
    return PostingList.of(unique, np.bincount(places, weights, len(unique)).astype(np.float32))


def worth(frequency: int, documents: int) -> float:
    """What a word in so many documents is worth at most."""
    rare = (documents - min(frequency, documents) + 0.5) / (frequency + 0.5)
    return math.log(1 + rare) * (K1 + 1)


def norms_of(lengths: Floats, alive: NDArray[np.bool_]) -> Floats:
    """What the length of each document does to its score; the dead get an endless one, which scores them 0."""
    average = float(lengths[alive].mean()) if alive.any() else 1.0
    norms = K1 * (1 - B + B * lengths / max(average, 1.0))
    return np.where(alive, norms, np.inf).astype(np.float32)


def best(lists: list[PostingList], norms: Floats, documents: int, most: int) -> tuple[Numbers, Floats]:
    """The numbers and scores of the best documents, best first.

    Rare words come first. As soon as the words that remain could not lift a document with none of the words so far
    above the ones already found, only those are looked up in the remaining (long) lists.
    """
    ordered = sorted((item for item in lists if len(item.numbers)), key=lambda item: len(item.numbers))
    least_norm = float(norms.min(initial=np.inf))
    worths = [worth(len(item.numbers), documents) for item in ordered]
    ceilings = [
        value * item.heaviest / (item.heaviest + least_norm) for item, value in zip(ordered, worths, strict=True)
    ]
    scores = np.zeros(len(norms), np.float32)
    chosen: Numbers | None = None
    for at, item in enumerate(ordered):
        value = np.float32(worths[at])
        if chosen is None and at and len(item.numbers) > _LONG:
            chosen = _contenders(scores, most, sum(ceilings[at:]))
        if chosen is None:
            scores[item.numbers] += value * item.weights / (item.weights + norms[item.numbers])
        else:
            _look_up(scores, chosen, item, norms, value)
    return _top(scores, chosen, most)


def _contenders(scores: Floats, most: int, to_come: float) -> Numbers | None:
    """The documents that can still be among the best, or None while any document can."""
    seen = np.flatnonzero(scores > 0)
    if len(seen) < most:
        return None
    found = scores[seen]
    bar = float(np.partition(found, len(found) - most)[len(found) - most])
    return seen[found >= bar - to_come] if bar > to_come else None


def _look_up(scores: Floats, chosen: Numbers, item: PostingList, norms: Floats, value: np.float32) -> None:
    places = np.searchsorted(item.numbers, chosen)
    places[places == len(item.numbers)] = 0
    hits = item.numbers[places] == chosen
    numbers, weights = chosen[hits], item.weights[places[hits]]
    scores[numbers] += value * weights / (weights + norms[numbers])


def _top(scores: Floats, chosen: Numbers | None, most: int) -> tuple[Numbers, Floats]:
    pool = np.flatnonzero(scores > 0) if chosen is None else chosen
    found = scores[pool]
    if len(pool) > most:
        bar = np.partition(found, len(found) - most)[len(found) - most]
        above = found >= bar
        pool, found = pool[above], found[above]
    order = np.lexsort((pool, -found))[:most]
    order = order[found[order] > 0]
    return pool[order], found[order]
