"""BM25 over whole posting lists, skipping work that cannot change the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mcp_web.text.bm25 import DOCUMENTS

_LONG = 4096  # shorter lists are added faster than it takes to find out whether they matter

POSTING = np.dtype([("at", "<u2"), ("weight", "u1")])  # one document in a blob (posting_blobs.py)

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)
Weighted = tuple[Numbers, Floats]  # document numbers, and the weight of a word in each


@dataclass(frozen=True, slots=True)
class PostingList:
    """The documents that contain a wanted word: ascending numbers, and how much the word counts in each (0…1)."""

    numbers: NDArray[np.int32]
    impacts: Floats  # 0…1: the part of a BM25 score that depends on the document
    top: float  # the largest impact

    @classmethod
    def of(cls, numbers: Numbers, weights: Floats, norms: Floats) -> PostingList:
        """The list of documents with these numbers and weights; `norms` are the length norms of all documents, by
        number."""
        impacts = weights / (weights + norms[numbers])
        return cls(numbers.astype(np.int32), impacts, float(impacts.max(initial=0.0)))


EMPTY = PostingList(np.empty(0, np.int32), np.empty(0, np.float32), 0.0)


def union_sum(lists: list[Weighted]) -> Weighted:
    """The union of posting lists, at least one; the weights of a document in several lists are added."""
    if len(lists) == 1:
        return lists[0]
    numbers = np.concatenate([item[0] for item in lists])
    unique, places = np.unique(numbers, return_inverse=True)
    weights = np.bincount(places, np.concatenate([item[1] for item in lists]), len(unique))
    return unique, weights.astype(np.float32)


def union_max(lists: list[Weighted]) -> Weighted:
    """The union of the posting lists of one word's terms, at least one; a document in several has its largest
    weight."""
    found = [item for item in lists if len(item[0])]
    if len(found) <= 1:
        return found[0] if found else lists[0]
    unique, places = np.unique(np.concatenate([item[0] for item in found]), return_inverse=True)
    weights = np.zeros(len(unique), np.float32)
    np.maximum.at(weights, places, np.concatenate([item[1] for item in found]))
    return unique, weights


def merge(one: PostingList, other: PostingList) -> PostingList:
    """The union of two lists; a document in both has its larger impact."""
    numbers, impacts = union_max([(item.numbers.astype(np.int64), item.impacts) for item in (one, other)])
    return PostingList(numbers.astype(np.int32), impacts, max(one.top, other.top))


def norms_of(lengths: Floats, alive: NDArray[np.bool_], average: float) -> Floats:
    """The BM25 length norm of each document, by number; infinite for deleted ones, so that they score 0."""
    return np.where(alive, DOCUMENTS.norms(lengths, average), np.inf).astype(np.float32)


def best(
    lists: list[PostingList],
    size: int,
    documents: int,
    most: int,
    mask: NDArray[np.bool_] | None = None,
    keys: NDArray[np.uint8] | None = None,
) -> tuple[Numbers, Floats]:
    """The numbers and scores of the `most` best documents, best first.

    `lists`: the posting list of each word. `size`: the highest document number plus one. `documents`: how many there
    are. `mask`: which documents are allowed, by number (None: all). `keys`: their keys by number, which order equal
    scores alike in every store.

    Rare words are scored first. As soon as the remaining words cannot lift a new document above those already found,
    only the latter are looked up in the remaining, long lists.
    """
    ordered = sorted((item for item in lists if len(item.numbers)), key=lambda item: len(item.numbers))
    rarities = [DOCUMENTS.rarity(len(item.numbers), documents) for item in ordered]
    ceilings = [value * item.top for item, value in zip(ordered, rarities, strict=True)]
    scores = np.zeros(size, np.float32)
    chosen: Numbers | None = None
    for at, item in enumerate(ordered):
        value = np.float32(rarities[at])
        to_come = sum(ceilings[at:])
        # While the remaining words can add more than the words so far, any document can still be among the best.
        if len(item.numbers) > _LONG and sum(ceilings[:at]) > to_come:
            chosen = _contenders(scores, chosen, most, to_come)
        if chosen is not None:
            _look_up(scores, chosen, item, value)
        else:
            numbers = item.numbers.astype(np.int64)
            gains = value * item.impacts if mask is None else value * item.impacts * mask[numbers]
            np.add.at(scores, numbers, gains)  # twice as fast as `scores[numbers] += gains`
    return _top(scores, chosen, most, keys)


def _contenders(scores: Floats, chosen: Numbers | None, most: int, to_come: float) -> Numbers | None:
    """The numbers of the documents that can still be among the `most` best, if no score grows by more than `to_come`;
    None if any document can. `chosen` are those that could before (None: any)."""
    seen = np.flatnonzero(scores > 0) if chosen is None else chosen
    if len(seen) < most:
        return chosen
    found = scores[seen]
    bar = float(np.partition(found, len(found) - most)[len(found) - most])
    return seen[found >= bar - to_come] if bar > to_come or chosen is not None else None


def _look_up(scores: Floats, chosen: Numbers, item: PostingList, value: np.float32) -> None:
    """Add the scores of a word to `scores`, for those of the chosen documents that have it; `value` is its rarity."""
    places = np.searchsorted(item.numbers, chosen)
    places[places == len(item.numbers)] = 0
    hits = item.numbers[places] == chosen
    scores[chosen[hits]] += value * item.impacts[places[hits]]


def _top(scores: Floats, chosen: Numbers | None, most: int, keys: NDArray[np.uint8] | None) -> tuple[Numbers, Floats]:
    """The numbers and scores of the `most` best, best first, of the chosen documents or (None) of all with a score;
    those with equal scores by key."""
    pool = np.flatnonzero(scores > 0) if chosen is None else chosen
    found = scores[pool]
    if len(pool) > most:
        bar = np.partition(found, len(found) - most)[len(found) - most]
        above = found >= bar
        pool, found = pool[above], found[above]
    ties = pool if keys is None else np.ascontiguousarray(keys[pool, :8]).view(">u8").ravel()
    order = np.lexsort((ties, -found))[:most]
    order = order[found[order] > 0]
    return pool[order], found[order]


def grown(array: NDArray[Number], size: int) -> NDArray[Number]:
    """A copy of the array with at least `size` rows, the new ones zero."""
    larger = np.zeros((max(size, len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
