"""The quick way to the best documents finds what the plain way finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.store import scoring as score
from mcp_web.store.scoring import PostingList, best, norms_of, union_max, union_sum
from mcp_web.text.bm25 import DOCUMENTS


def _plain(lists: list[score.Weighted], norms: score.Floats, documents: int, most: int) -> list[tuple[int, float]]:
    """BM25 over every document, one by one."""
    totals: dict[int, float] = {}
    for numbers, weights in lists:
        value = DOCUMENTS.rarity(len(numbers), documents)
        for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
            totals[number] = totals.get(number, 0.0) + value * weight / (weight + float(norms[number]))
    ranked = sorted(((total, number) for number, total in totals.items() if total > 0), key=lambda x: (-x[0], x[1]))
    return [(number, total) for total, number in ranked[:most]]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 20))
def test_leaving_out_work_changes_no_score(seed: int, words: int, most: int) -> None:
    random = np.random.default_rng(seed)
    size = 20_000
    lengths = random.integers(20, 2000, size).astype(np.float32)
    norms = norms_of(lengths, random.random(size) > 0.1, float(lengths.mean()))
    mask = random.random(size) > 0.3 if seed % 2 else None
    masked = norms if mask is None else np.where(mask, norms, np.float32(np.inf))
    lists: list[score.Weighted] = []
    for _ in range(words):
        share = random.choice([0.0005, 0.01, 0.4, 0.9])
        numbers = np.flatnonzero(random.random(size) < share)
        weights = random.integers(1, 30, len(numbers)).astype(np.float32)
        lists.append((numbers.astype(np.int64), weights))
    numbers, scores = best([PostingList.of(*item, norms) for item in lists], size, size, most, mask)
    expected = _plain(lists, masked, size, most)
    # Equal scores may come in either order: the scores themselves must agree.
    np.testing.assert_allclose(scores, [value for _, value in expected], rtol=1e-4)
    assert len(set(numbers.tolist())) == len(numbers)
    assert np.isfinite(masked[numbers]).all()


def test_no_words_find_nothing() -> None:
    assert len(best([], 3, 3, 10)[0]) == 0
    assert len(best([score.EMPTY], 3, 3, 10)[0]) == 0


def test_joined_lists_count_a_document_once() -> None:
    one = (np.array([1, 3]), np.array([1, 2], np.float32))
    two = (np.array([3, 4]), np.array([5, 1], np.float32))
    numbers, weights = union_sum([one, two])
    assert numbers.tolist() == [1, 3, 4]
    assert weights.tolist() == [1, 7, 1]


def test_terms_of_one_word_count_a_document_once_with_its_largest_weight() -> None:
    one = (np.array([1, 3]), np.array([1, 2], np.float32))
    two = (np.array([3, 4]), np.array([5, 1], np.float32))
    numbers, weights = union_max([one, two])
    assert numbers.tolist() == [1, 3, 4]
    assert weights.tolist() == [1, 5, 1]


def test_a_rare_word_is_worth_more_and_none_is_worth_less_than_nothing() -> None:
    assert DOCUMENTS.rarity(1, 1000) > DOCUMENTS.rarity(500, 1000) > DOCUMENTS.rarity(1000, 1000) > 0
