"""Looking at signs first finds nearly what looking at everything finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcp_web.model.passage import PackedVectors
from mcp_web.store.protocol import VectorQuery
from mcp_web.store.sqlite import nearest
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("truly", [4096, 128])
async def test_the_nearest_pages_are_those_of_brute_force(
    tmp_path: Path, truly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With 128 the 1,200 vectors go through every step that a large collection does.
    monkeypatch.setattr(nearest, "EXACT", truly)
    random = np.random.default_rng(1)
    subjects = random.normal(size=(40, 192)) + 1.0  # all share a direction, as the vectors of real models do
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    rows: dict[str, np.ndarray] = {}
    for number in range(400):
        page = snapshot(f"https://a.example/{number}")
        await store.keep(page)
        vectors = (subjects[number % 40] + random.normal(size=(3, 192))).astype("<f4")
        rows[page.key] = vectors
        await store.keep_vectors({page.key: PackedVectors("m@1", 192, ("a", "b", "c"), vectors.tobytes())})
    recall = []
    for number in range(20):
        question = subjects[number] + random.normal(size=192) * 0.5
        exact = {key: float((found @ question / np.linalg.norm(found, axis=1)).max()) for key, found in rows.items()}
        wanted = set(sorted(exact, key=lambda key: -exact[key])[:10])
        near = await store.find_by_vector(VectorQuery("m@1", question.tolist(), 10))
        assert [one.score for one in near] == sorted((one.score for one in near), reverse=True)
        recall.append(len(wanted & {one.key for one in near}) / 10)
    assert await store.find_by_vector(VectorQuery("m@1", [], 10)) == []
    await store.close()
    assert float(np.mean(recall)) >= 0.95


async def _keep(store: SqliteStore, number: int, *rows: tuple[float, ...]) -> str:
    page = snapshot(f"https://a.example/{number}")
    await store.keep(page)
    data = np.array(rows, "<f4")
    digests = tuple(str(at) for at in range(len(rows)))
    await store.keep_vectors({page.key: PackedVectors("m@1", data.shape[1], digests, data.tobytes())})
    return page.key


async def test_a_large_collection_compares_what_words_found_when_asked_to_be_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "MANY", 20)
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    keys = [await _keep(store, number, (1.0, number / 10)) for number in range(30)]
    question = (1.0, 0.0)
    quick = await store.find_by_vector(VectorQuery("m@1", question, 2, also=keys[10:14], quick=True))
    assert [one.key for one in quick] == keys[10:14]
    few = await store.find_by_vector(VectorQuery("m@1", question, 2, also=keys[10:13], quick=True))
    assert [one.key for one in few] == [*keys[:2], *keys[10:13]]
    await store.close()


async def test_what_was_replaced_or_removed_many_times_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "EXACT", 8)
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    for round_ in range(6):
        keys = [await _keep(store, number, (1.0, number + round_), (-1.0, 0.5)) for number in range(20)]
        near = await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 20))
        assert [one.key for one in near][:3] == keys[:3]
        assert len(near) == 20
    await store.remove(keys[:15])
    assert [one.key for one in await store.find_by_vector(VectorQuery("m@1", (1.0, 0.0), 20))] == keys[15:]
    index = store._nearest["m@1", 2]
    assert len(index._spans) == 5
    await store.close()
