"""Looking at signs first finds nearly what looking at everything finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcp_web.model.passage import PackedVectors
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

pytestmark = pytest.mark.anyio


async def test_the_nearest_pages_are_those_of_brute_force(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    subjects = random.normal(size=(40, 96))
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    rows: dict[str, np.ndarray] = {}
    for number in range(400):
        page = snapshot(f"https://a.example/{number}")
        await store.keep(page)
        vectors = (subjects[number % 40] + random.normal(size=(3, 96))).astype("<f4")
        rows[page.key] = vectors
        await store.keep_vectors(page.key, PackedVectors("m@1", 96, ("a", "b", "c"), vectors.tobytes()))
    recall = []
    for number in range(20):
        question = subjects[number] + random.normal(size=96) * 0.5
        exact = {key: float((found @ question / np.linalg.norm(found, axis=1)).max()) for key, found in rows.items()}
        wanted = set(sorted(exact, key=lambda key: -exact[key])[:10])
        near = await store.by_vector("m@1", question.tolist(), 10)
        assert [one.score for one in near] == sorted((one.score for one in near), reverse=True)
        recall.append(len(wanted & {one.key for one in near}) / 10)
    assert await store.by_vector("m@1", [], 10) == []
    await store.close()
    assert float(np.mean(recall)) >= 0.95
