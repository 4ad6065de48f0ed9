"""What the archive finds, against human judgements and against itself with misspelt questions."""

from __future__ import annotations

import random
import statistics
from pathlib import Path

import pytest
from bench.archive import corpus, quality

from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.archive.derive import derive
from mcp_web.store.sqlite.store import SqliteStore

from contracts.store_samples import snapshot  # isort: skip

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not corpus.available(), reason="the relevance data (../shared/retrieval) is not here"),
]


async def test_words_rank_at_least_as_well_as_fts5_on_cranfield(tmp_path: Path) -> None:
    texts, asked, judged = corpus.evalsets().ADHOC["cranfield"]()
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    made = [quality.snapshot_of(number, text) for number, text in texts.items()]
    await store.keep_many([(one, derive(one)) for one in made])
    found = await quality.ndcg(Archive(store), asked, judged, "text")
    await store.close()
    assert found >= 0.39  # FTS5: .385


async def test_misspelt_questions_find_what_clean_ones_find(tmp_path: Path) -> None:
    made = list(corpus.documents(600))
    store = await SqliteStore.open(tmp_path / "s.sqlite")
    pages = [
        snapshot(f"https://a.example/{number}", text=one.markdown, title=one.title) for number, one in enumerate(made)
    ]
    await store.keep_many([(one, derive(one)) for one in pages])
    archive = Archive(store)

    async def ids(question: list[str]) -> set[str]:
        answer = await archive.search(ArchiveQuery(" ".join(question), mode="text"))
        return {result.document.id for result in answer.results}

    chance = random.Random(1)
    recall = []
    for question in corpus.questions(made, 120):
        typo = corpus.misspelt(question, chance)
        if typo is not None:
            clean = await ids(question)
            recall.append(len(clean & await ids(typo)) / len(clean))
    await store.close()
    assert statistics.mean(recall) >= 0.9
