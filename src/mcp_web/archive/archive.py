"""The archive: everything that was opened or saved, found again by words and by meaning, with what it cites."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime

import anyio

from mcp_web import trace
from mcp_web.archive.add import add_note, add_page
from mcp_web.archive.answer import ArchiveAnswer, ArchiveQuery, ArchiveResult, Citations
from mcp_web.archive.cited import citations_and_graph
from mcp_web.archive.find import Asked, Found, Words, answered, by_words, wider
from mcp_web.archive.query import corrected, parse
from mcp_web.embed.embedder import Embedder
from mcp_web.errors import EmbeddingError, InvalidInput, WebError
from mcp_web.model.page import Document
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import DocumentFilter, Finder, Store

_PATIENCE = 10.0  # seconds that words wait for the question's vector
_VECTORS_KEPT = 256

Vector = list[float]


class Archive:
    """Search over a store; an embedder adds meaning to words."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
        *,
        model: str | None = None,
    ) -> None:
        """`model` names the vectors to search, where that is not simply the embedder's name."""
        self._store = store
        self._embedder = embedder
        self._model = model or (embedder.name if embedder else "")
        self._clock = clock
        self._vectors: dict[str, Vector] = {}

    async def search(self, query: ArchiveQuery) -> ArchiveAnswer:
        """The documents that answer, with what they say and, when asked, what they cite."""
        asked = _asked(query)
        notes: list[str] = []
        with trace.step("archive_search", mode=query.mode) as facts:
            words, found = await self._found(asked, notes)
            facts["results"] = len(found.results)
        if found.mode == "hybrid" and found.results and not words.answer.candidates:
            notes.append("No document holds these words; these are the nearest in meaning.")
        citations: dict[str, Citations] = {}
        graph = None
        if query.include_citations and found.cards:
            chosen = [card for card, _ in found.cards]
            citations, graph = await citations_and_graph(self._store, chosen, query.citation_depth)
        return ArchiveAnswer(
            query=query,
            results=tuple(
                ArchiveResult(document, marks, citations.get(document.id)) for document, marks in found.results
            ),
            mode=found.mode,
            corrected_query=corrected(query.text, words.changes) if words.changes else None,
            citation_graph=graph,
            notes=tuple(notes),
        )

    async def add_note(self, document: Document, *, day: str | None = None, tags: Sequence[str] = ()) -> Snapshot:
        """Keep a text as research; its id is `document_id(snapshot.key)`."""
        return await add_note(self._store, document, self._clock(), day=day, tags=tags)

    async def add_page(self, snapshot: Snapshot, *, day: str | None = None, tags: Sequence[str] = ()) -> Snapshot:
        """Make a kept page research."""
        return await add_page(self._store, snapshot, day=day, tags=tags)

    async def _found(self, asked: Asked, notes: list[str]) -> tuple[Words, Found]:
        query = asked.query
        if query.mode != "text" and self._embedder is None:
            notes.append("No embedding model is configured: found by words alone.")
        model = self._embedder if query.mode != "text" else None
        vector = self._vectors.get(query.text)
        if model is not None and vector is None:
            words, vector = await self._at_once(asked, model, notes)
        else:
            words, found = await self._store.finding(
                functools.partial(self._in_one, asked, vector if model is not None else None)
            )
            if found is not None:
                return words, self._noted(found, asked, vector if model is not None else None, notes)
        if words.changes and vector is not None and model is not None:
            vector = await self._vector(model, corrected(query.text, words.changes), notes)
        rest = functools.partial(
            answered, asked=asked, words=words, model=self._model, vector=vector, today=self._today()
        )
        return words, self._noted(await self._store.finding(rest), asked, vector, notes)

    def _in_one(self, asked: Asked, vector: Vector | None, finder: Finder) -> tuple[Words, Found | None]:
        """Words, and the answer too unless the model has to read a corrected question first."""
        alone = vector is None
        words = by_words(finder, asked, alone=alone, cards=wider(asked.query.limit) if alone else 0)
        if words.changes and not alone:
            return words, None
        return words, answered(finder, asked, words, self._model, vector, self._today())

    async def _at_once(self, asked: Asked, model: Embedder, notes: list[str]) -> tuple[Words, Vector | None]:
        """The model reads the question while its words are looked up: neither waits for the other."""
        vector: Vector | None = None
        failure: WebError | None = None

        async def ask_model() -> None:
            nonlocal vector
            vector = await self._vector(model, asked.query.text, notes)

        # There is time to fetch what words find; half of it will be shown.
        look_up = functools.partial(by_words, asked=asked, alone=False, cards=wider(asked.query.limit))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_model)
            try:
                words = await self._store.finding(look_up)
            except WebError as error:
                failure = error
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return words, vector

    async def _vector(self, model: Embedder, text: str, notes: list[str]) -> Vector | None:
        """The question's vector, or None with a note why words alone answer."""
        # The same question is asked again with other filters and limits.
        if (known := self._vectors.get(text)) is not None:
            return known
        try:
            with anyio.fail_after(_PATIENCE):
                row = (await model.embed([text], "query"))[0]
        except (EmbeddingError, TimeoutError) as error:
            notes.append(f"The embedding model could not be asked ({error or 'too slow'}): found by words alone.")
            return None
        vector: Vector = row.tolist()
        self._vectors[text] = vector
        while len(self._vectors) > _VECTORS_KEPT:
            self._vectors.pop(next(iter(self._vectors)))
        return vector

    def _noted(self, found: Found, asked: Asked, vector: Vector | None, notes: list[str]) -> Found:
        if vector is not None and found.mode != asked.query.mode:
            notes.append("No document has vectors of this model yet; `mcp-web archive reindex` makes them.")
        return found

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()


def _asked(query: ArchiveQuery) -> Asked:
    question = parse(query.text)
    if not question.wanted and not question.prefixes:
        raise InvalidInput(
            f"The query {query.text!r} has no word to look for.",
            suggestion="Name a word that the document should contain.",
        )
    given: Mapping[str, str | None] = {"since": query.since, "until": query.until}
    for name, value in given.items():
        try:
            date.fromisoformat(value or "2000-01-01")
        except ValueError as error:
            raise InvalidInput(f"{name} is {value!r}; a date is written as 2025-05-20.") from error
    source = None if query.source == "all" else query.source
    return Asked(query, question, DocumentFilter(source, query.since, query.until, query.collection or None))
