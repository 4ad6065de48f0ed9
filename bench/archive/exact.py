"""What is found by meaning, beside comparing every vector with the question."""

from __future__ import annotations

import sqlite3
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mcp_web.archive.answer import ArchiveQuery
from mcp_web.archive.archive import Archive
from mcp_web.embed.embedder import Embedder, QuestionVectors
from mcp_web.store.protocol import Candidate, VectorQuery
from mcp_web.store.quantized import codes_of
from mcp_web.store.sqlite.store import SqliteStore


class Exact:
    """The store, except that `find_by_vector` compares everything."""

    def __init__(self, store: SqliteStore, file: Path, embedder: Embedder) -> None:
        self._store = store
        keys: list[str] = []
        parts: list[Any] = []
        with sqlite3.connect(file) as db:
            query = "SELECT p.key, v.data FROM vectors v JOIN pages p ON p.id = v.page WHERE v.model = ? ORDER BY v.seq"
            for key, data in db.execute(query, (embedder.name,)):
                rows = codes_of(data, embedder.dim or 0).astype(np.float32)
                parts.append((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16))
                keys.append(key.hex())
        self._keys = keys
        self._rows = np.concatenate(parts)
        self._starts = np.cumsum([0, *(len(part) for part in parts[:-1])])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def find_by_vector(self, query: VectorQuery) -> list[Candidate]:
        question = np.array(query.vector, np.float32)
        cosines = np.concatenate(
            [self._rows[at : at + 20_000].astype(np.float32) @ question for at in range(0, len(self._rows), 20_000)]
        )
        pages = np.maximum.reduceat(cosines, self._starts)
        order = np.argsort(-pages)
        asked = set(query.also)
        wanted = {*order[: query.limit].tolist(), *(at for at, key in enumerate(self._keys) if key in asked)}
        return [Candidate(self._keys[at], float(pages[at])) for at in sorted(wanted, key=lambda at: -pages[at])]


async def compare(store: SqliteStore, file: Path, embedder: Embedder, asked: Sequence[str]) -> None:
    everything: Any = Exact(store, file, embedder)
    questions = QuestionVectors(embedder)
    for mode in ("semantic", "hybrid"):
        recall = []
        for question in asked:
            query = ArchiveQuery(question, mode=mode)
            ids = [
                {one.document.id for one in (await Archive(each, questions).search(query)).results}
                for each in (everything, store)
            ]
            recall.append(len(ids[0] & ids[1]) / max(1, len(ids[0])))
        print(f"{mode}: {statistics.mean(recall):.3f} of the first ten that comparing everything finds")
